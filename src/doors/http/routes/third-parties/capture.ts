import { type Static, Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../../../base/database/open.ts';
import { badInput } from '../../../../base/errors.ts';
import type { Identity } from '../../../../people/identity/identity.ts';
import { type CaptureCall, checkTokenizes } from '../../../../work/relay/capture.ts';
import type { Profile } from '../../../../work/relay/profiles/profile.ts';
import type { Profiles } from '../../../../work/relay/profiles/profiles.ts';
import type { ThirdParties } from '../../../../work/relay/third-parties.ts';
import { listHeaders } from '../../../../work/relay/verdict-headers.ts';
import { type Call, defineCall } from '../../calls/call.ts';
import { nullable } from '../../calls/fields.ts';
import { notingSent } from '../../idempotency/effects.ts';
import { cvvToKeep, findElimination, findFlag, findReferenceValue } from '../../input/query-values.ts';
import { named } from '../../input/schema-notes.ts';
import type { HttpSettings } from '../../settings.ts';
import {
	anyBody,
	CALLS_OUT,
	CAPTURED,
	HTTP_METHOD,
	PROFILE_NAME,
	TARGET_HEADERS,
	TARGET_URI,
	TIMEOUT,
	thirdPartyAnswers,
} from '../../third-parties/schemas.ts';
import {
	checkContentType,
	deadlineFor,
	findHttpMethod,
	getProfile,
	passOn,
	rawBody,
} from '../../third-parties/third-party.ts';
import { FLAG, MERCHANT, REF } from '../../tokens/schemas.ts';
import { tokenUri } from '../../tokens/token-uri.ts';

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
const PRESET = named(
	'Preset',
	Type.Object({
		Name: Type.String(),
		Description: nullable(),
		TargetUri: nullable(),
		HttpMethod: Type.String(),
		ContentType: nullable(),
	}),
);
const TOKENIZING = {
	tag: 'third parties',
	needs: { permission: 'Capture', isBillable: true },
	intake: 'raw',
	headers: TARGET_HEADERS,
	body: anyBody(false),
	answers: thirdPartyAnswers(CAPTURED),
	failures: ['cvv-retention-not-set-up', 'association-target-invalid', ...CALLS_OUT],
} as const;

type Wishes = Static<typeof PRESET_QUERY>;

interface Parts {
	readonly database: Database;
	readonly identity: Identity;
	readonly profiles: Profiles;
	readonly thirdParties: ThirdParties;
	readonly settings: Pick<HttpSettings, 'baseUrl'>;
}

/**
 * Defines the calls that tokenize the answer of a third party, and those that tokenize any body with a preset
 * (spec §4.1, shapes §4).
 */
export function captureCalls(parts: Parts): Call[] {
	const { profiles } = parts;
	return [
		defineCall('POST', '/api/payments/paycard/capture', {
			summary: 'Call a third party and tokenize its answer',
			description:
				'The body goes out as it is. In the answer cards are masked, and X-service-cardUri has their token URIs in the order of the message.',
			...TOKENIZING,
			query: QUERY,
			handler: async (request, reply) => {
				const { query } = request;
				const profile = await getProfile(parts, request, query.profileName);
				return takeAnswer(parts, { request, reply, profile, query, isPreset: false });
			},
		}),
		defineCall('GET', '/api/booker', {
			summary: 'Preset tokenization profiles',
			description: 'Those of the platform, for every account.',
			tag: 'third parties',
			needs: {},
			returns: { schema: Type.Array(PRESET), root: 'Preset' },
			handler: async () => profiles.presets().map(shown),
		}),
		defineCall('POST', '/api/booker/:profileName', {
			summary: 'Universal tokenization',
			description: 'As capture, with a preset in the place of a profile of the account.',
			...TOKENIZING,
			params: PRESET_PATH,
			query: PRESET_QUERY,
			handler: async (request, reply) => {
				const { profileName } = request.params;
				const profile = profiles.findPreset(profileName);
				if (!profile) throw badInput('profileName', 'there is no preset of this name');
				return takeAnswer(parts, { request, reply, profile, query: request.query, isPreset: true });
			},
		}),
	];
}

async function takeAnswer(
	{ thirdParties, identity, settings, database }: Parts,
	asked: { request: FastifyRequest; reply: FastifyReply; profile: Profile; query: Wishes; isPreset: boolean },
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
		principal,
		requestId,
		profile,
		isPreset,
		targetUri,
		body,
		deadlineAt,
		headers: raw.rawHeaders,
		method: findHttpMethod(query.httpMethod),
		...notingSent({ database }, request),
		wishes: {
			reference: findReferenceValue('ref', query.ref),
			merchantId: merchantId ? await identity.resolveAssociationTarget(principal, merchantId) : undefined,
			keepsCvv: principal.cvvRetention && saveCvv !== false,
			eliminatesDuplicates: findElimination(principal, query.eliminateCardDuplication),
		},
	};
	const { found, ...answered } = await thirdParties.capture(call);
	const lists = listHeaders(profile, found, (token) => tokenUri(settings.baseUrl, token));
	return passOn(request, reply, { ...answered, headers: [...answered.headers, ...lists] });
}

function shown({ name, description, targetUri, httpMethod, contentType }: Profile) {
	return {
		Name: name,
		Description: description ?? null,
		TargetUri: targetUri ?? null,
		HttpMethod: httpMethod,
		ContentType: contentType ?? null,
	};
}
