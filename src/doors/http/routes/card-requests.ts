import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../base/errors.ts';
import { mayCause } from '../../../people/identity/effects.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { Styles } from '../../../work/cardholders/forms/styles.ts';
import type { CardRequestPlan } from '../../../work/cardholders/requests/card-request.ts';
import type { CardRequests } from '../../../work/cardholders/requests/card-requests.ts';
import { type Call, callsAbout } from '../calls/call.ts';
import { pathText } from '../calls/fields.ts';
import { ID } from '../calls/samples.ts';
import { findMade, notingMade } from '../idempotency/effects.ts';
import type { Members } from '../input/members.ts';
import { readCardRequest } from '../requests/card-request-order.ts';
import {
	CARD_REQUEST_BODY,
	type CardRequestOrder,
	CVV_REQUEST_BODY,
	cardRequestDocument,
	MADE,
	SHOWN,
} from '../requests/card-request-schema.ts';
import type { HttpSettings } from '../settings.ts';
import { getOwnRecord } from '../tokens/access.ts';
import { findTokenOfUri } from '../tokens/token-uri.ts';

const PATH = '/api/cardrequest';
const define = callsAbout('card requests', { permission: 'CardRequest' });
const REQUEST_PATH = Type.Object({ requestID: pathText('Of the answer that made it.', ID) });

/** Defines the calls that ask a cardholder for a card or a CVV (spec §2.6, §3.6, shapes §6). */
export function cardRequestCalls(parts: {
	cardRequests: CardRequests;
	identity: Identity;
	vault: Vault;
	styles: Pick<Styles, 'check'>;
	settings: Pick<HttpSettings, 'baseUrl'>;
}): Call[] {
	const { cardRequests, identity, vault, styles, settings } = parts;
	const create = async (request: FastifyRequest, reply: FastifyReply, plan: CardRequestPlan) => {
		const { principal } = request;
		await styles.check(principal, 'Css', plan.css);
		const made = findMade(request, 'card-request');
		const note = notingMade(request);
		const found = made && (await cardRequests.find(principal, made.id));
		const { id, url } =
			found ??
			(await cardRequests.create(principal, plan, {
				baseUrl: settings.baseUrl,
				alongside: note && ((id, transaction) => note({ kind: 'card-request', id }, transaction)),
			}));
		reply.code(201).header('location', `${settings.baseUrl}${PATH}/${id}`);
		return { requestID: id, url };
	};

	return [
		define('POST', PATH, {
			name: 'askForACard',
			summary: 'Ask a cardholder for a card',
			description:
				'Returns a link to a page with a form, and mails it if there is a mail server and a mail address. The link works once, and ends with the API key that made it.',
			body: CARD_REQUEST_BODY,
			returns: { status: 201, ...MADE },
			failures: ['sender-mismatch', 'cvv-retention-not-set-up', 'mail-limit-reached'],
			handler: async (request, reply, readBody) => {
				const { principal } = request;
				return create(request, reply, await readCardRequest(readBody(), { principal, origins: identity.origins }));
			},
		}),
		define('POST', `${PATH}/cvv`, {
			name: 'askForACvv',
			summary: 'Ask a cardholder for the CVV of a stored card',
			description:
				'The CVV is added to the card under the default retention policy; its token stays the same. The page shows the last four digits of the card if the credential has the permission `QueryTokens`.',
			body: CVV_REQUEST_BODY,
			returns: { status: 201, ...MADE },
			failures: [
				...(['sender-mismatch', 'cvv-retention-not-set-up', 'mail-limit-reached'] as const),
				...(['token-not-accessible', 'uri-not-found'] as const),
			],
			handler: async (request, reply, readBody) => {
				const { principal } = request;
				const body = readBody();
				// This body, which requests a CVV, has all members of the body that requests a whole card. So the same
				// function reads both.
				const order = body as unknown as Members<CardRequestOrder>;
				const plan = await readCardRequest(order, { principal, origins: identity.origins });
				const token = findTokenOfUri(body.getText('cardUri'));
				if (token === undefined) throw body.problem('cardUri', 'expected a token URI or a token');
				if (!principal.cvvRetention) {
					throw new ServiceError('cvv-retention-not-set-up', { moreInfo: 'the account keeps no CVV' });
				}
				const { record } = await getOwnRecord(vault, principal, token);
				const lastDigits = mayCause(principal, 'shows')
					? Buffer.from(record.digits.subarray(-4)).toString('latin1')
					: undefined;
				return create(request, reply, { ...plan, card: { token, lastDigits } });
			},
		}),
		define('GET', `${PATH}/:requestID`, {
			summary: 'Read a card request',
			description: 'Until the cardholder has completed it, it was cancelled or it has expired.',
			params: REQUEST_PATH,
			returns: SHOWN,
			failures: ['uri-not-found'],
			handler: async (request) => {
				const found = await cardRequests.find(request.principal, request.params.requestID);
				if (!found) throw noRequest();
				return cardRequestDocument(found);
			},
		}),
		define('DELETE', `${PATH}/:requestID`, {
			summary: 'Cancel a card request',
			description: 'Its link stops working, and a mail that was not sent yet is not sent.',
			params: REQUEST_PATH,
			failures: ['uri-not-found'],
			handler: async (request, reply) => {
				if (!(await cardRequests.cancel(request.principal, request.params.requestID))) throw noRequest();
				return reply.send();
			},
		}),
	];
}

function noRequest(): ServiceError {
	return new ServiceError('uri-not-found', { field: 'requestID', problem: 'no such card request is open' });
}
