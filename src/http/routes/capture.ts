import type {} from '@fastify/swagger';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { type CaptureCall, capture, checkTokenizes } from '../../relay/capture.ts';
import type { ReadyProfile } from '../../relay/profiles.ts';
import { listHeaders } from '../../relay/verdict-headers.ts';
import { notingSent } from '../idempotency/effects.ts';
import { cvvToKeep, findElimination, findFlag, findReferenceValue } from '../input/query-values.ts';
import { answer } from '../negotiation/answer.ts';
import type { HttpRooms } from '../rooms.ts';
import {
	addRawBodies,
	checkContentType,
	deadlineFor,
	findHttpMethod,
	getProfile,
	HTTP_METHOD,
	PROFILE_NAME,
	passOn,
	rawBody,
	TARGET_URI,
	THIRD_PARTY_ANSWER,
	TIMEOUT,
} from '../third-parties/third-party.ts';
import { FLAG, MERCHANT, REF } from '../tokens/schemas.ts';
import { tokenUri } from '../tokens/token-uri.ts';

const WISHES = {
	targetUri: TARGET_URI,
	httpMethod: HTTP_METHOD,
	timeout: TIMEOUT,
	ref: REF,
	merchantId: MERCHANT,
	saveCVV: FLAG('Keep the CVVs; an account that is set up for it does unless told otherwise.'),
	eliminateCardDuplication: FLAG('Give back the tokens the account already has for the cards.'),
};
const QUERY = Type.Object({ profileName: PROFILE_NAME, ...WISHES });
const PRESET_QUERY = Type.Object(WISHES);
const PRESET_PATH = Type.Object({ profileName: Type.String({ description: 'Name of a preset, matched exactly.' }) });
const nullable = Type.Union([Type.String(), Type.Null()]);
export const PRESET = Type.Object({
	Name: Type.String(),
	Description: nullable,
	TargetUri: nullable,
	HttpMethod: Type.String(),
	ContentType: nullable,
});

type Wishes = Static<typeof PRESET_QUERY>;

/** Tokenization on response, and universal tokenization by presets (spec §4.1, shapes §4). */
export function captureRoutes(rooms: HttpRooms): FastifyPluginAsync {
	const { profiles } = rooms;
	return async (app) => {
		addRawBodies(app);
		app.post(
			'/api/payments/paycard/capture',
			{
				config: { permission: 'Capture', isBillable: true },
				schema: {
					summary: 'Call a third party and tokenize its answer',
					description:
						'The body goes out as it is. In the answer cards are masked, and X-service-cardUri has their token URIs in the order of the message.',
					tags: ['third parties'],
					querystring: QUERY,
					response: THIRD_PARTY_ANSWER,
				},
			},
			async (request, reply) => {
				const query = request.query as Static<typeof QUERY>;
				const profile = await getProfile(rooms, request, query.profileName);
				return takeAnswer(rooms, { request, reply, profile, query, isPreset: false });
			},
		);
		app.get(
			'/api/booker',
			{
				schema: {
					summary: 'Preset tokenization profiles',
					description: 'Those of the platform, for every account.',
					tags: ['third parties'],
					response: { 200: Type.Array(PRESET) },
				},
			},
			async (request, reply) => answer(request, reply, profiles.presets().map(shown), { root: 'Preset' }),
		);
		app.post(
			'/api/booker/:profileName',
			{
				config: { permission: 'Capture', isBillable: true },
				schema: {
					summary: 'Universal tokenization',
					description: 'As capture, with a preset in the place of a profile of the account.',
					tags: ['third parties'],
					params: PRESET_PATH,
					querystring: PRESET_QUERY,
					response: THIRD_PARTY_ANSWER,
				},
			},
			async (request, reply) => {
				const { profileName } = request.params as Static<typeof PRESET_PATH>;
				const profile = profiles.findPreset(profileName);
				if (!profile) {
					throw new ServiceError('bad-input-data', {
						field: 'profileName',
						problem: 'there is no preset of this name',
					});
				}
				return takeAnswer(rooms, { request, reply, profile, query: request.query as Wishes, isPreset: true });
			},
		);
	};
}

async function takeAnswer(
	{ thirdParties, identity, settings, database }: HttpRooms,
	asked: { request: FastifyRequest; reply: FastifyReply; profile: ReadyProfile; query: Wishes; isPreset: boolean },
) {
	const { request, reply, profile, query, isPreset } = asked;
	const { principal, id: requestId, raw } = request;
	const deadlineAt = deadlineFor(query.timeout);
	const body = rawBody(request);
	if (body !== null && profile.contentType === undefined) checkContentType(request);
	checkTokenizes({ profile });
	const saveCvv = findFlag('saveCVV', query.saveCVV);
	cvvToKeep(undefined, principal, saveCvv);
	const { targetUri, merchantId } = query;
	const call: CaptureCall = {
		...{ principal, requestId, profile, isPreset, targetUri, body, deadlineAt, headers: raw.rawHeaders },
		method: findHttpMethod(query.httpMethod),
		...notingSent({ database }, request),
		wishes: {
			reference: findReferenceValue('ref', query.ref),
			merchantId: merchantId ? await identity.resolveAssociationTarget(principal, merchantId) : undefined,
			keepsCvv: principal.cvvRetention && saveCvv !== false,
			eliminatesDuplicates: findElimination(principal, query.eliminateCardDuplication),
		},
	};
	const { found, ...answered } = await capture(thirdParties, call);
	const lists = listHeaders(profile, found, (token) => tokenUri(settings.baseUrl, token));
	return passOn(request, reply, { ...answered, headers: [...answered.headers, ...lists] });
}

function shown({
	name,
	description,
	targetUri,
	httpMethod,
	contentType,
}: ReturnType<HttpRooms['profiles']['presets']>[0]) {
	return {
		Name: name,
		Description: description ?? null,
		TargetUri: targetUri ?? null,
		HttpMethod: httpMethod,
		ContentType: contentType ?? null,
	};
}
