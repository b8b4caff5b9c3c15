// The inbound gateway (shapes §4): a third party pushes to the account, and what reaches the account holds tokens.

import { ServiceError } from '../errors.ts';
import type { HeaderPair } from '../outbound/headers.ts';
import type { Token } from '../vault/token.ts';
import { headersFor, prepareCall } from './call.ts';
import { checkTokenizes, countCards, recordMessageWithout } from './capture.ts';
import { findHeader } from './find-header.ts';
import type { RelayRooms, ThirdPartyAnswer, ThirdPartyCall } from './rooms.ts';
import { getTarget } from './target.ts';
import { tokenizeBody } from './tokenize-body.ts';
import { listHeaders } from './verdict-headers.ts';

export interface InboundCall extends Omit<ThirdPartyCall, 'targetUri'> {
	/** What came after the profile's name in the path, with its slash; and the query, without what was a credential. */
	readonly rest: string;
	readonly query: string;
	/** How the call came to us. */
	readonly cameFrom: { readonly address: string; readonly scheme: string; readonly port: number };
	uriOf(token: Token): string;
}

/** Tokenizes a request and passes it on to the profile's target. Nothing is stored for one that cannot be called. @throws ServiceError */
export async function inbound(rooms: RelayRooms, call: InboundCall): Promise<ThirdPartyAnswer> {
	const { profile, principal, requestId, body } = call;
	checkTokenizes(call);
	if (profile.targetUri === undefined) {
		throw new ServiceError('bad-input-data', { field: 'profileName', problem: 'the profile names no targetUri' });
	}
	const targetUri = joined(profile.targetUri, call.rest, call.query);
	const url = getTarget({ profile, targetUri, environment: rooms.environment });
	const about = forwardingHeaders(call);
	const sent = { ...call, headers: withoutTokens(call) };
	headersFor(sent, about);
	const ready = await prepareCall(rooms, 'inbound', sent, url);
	try {
		const contentType = findHeader(call.headers, 'content-type') ?? profile.contentType;
		const wishes = { keepsCvv: principal.cvvRetention, maxTokens: maxTokensOf(call) };
		const message = {
			action: 'card.inbound',
			subject: `profile ${profile.name}`,
			details: { requestId, host: url.host },
		} as const;
		const sender = { principal, profile, contentType, refusal: 'bad-input-data', message } as const;
		const tokenized = body && (await tokenizeBody(rooms, sender, body, wishes));
		// What came in clear is not needed any more, as in a capture.
		if (tokenized && tokenized.body !== body && body && body.length > 0) body.fill(0);
		const tokens = tokenized?.tokens ?? [];
		await countCards(rooms, call, tokens.length);
		const found: HeaderPair[] = tokenized ? listHeaders(profile, tokenized, call.uriOf) : [];
		await recordMessageWithout(rooms, call, message, { tokens, errors: tokenized?.errors ?? [] });
		const headers = headersFor(sent, [...about, ...found]);
		return await ready.send({ url, headers, body: tokenized?.body ?? body });
	} finally {
		ready.release();
	}
}

/** The rest of the path is appended to the target's, and stays below it. */
function joined(targetUri: string, rest: string, query: string): string {
	const target = new URL(targetUri);
	// A backslash is a slash to the parser of addresses, an escaped one to many a server.
	const segments = rest.split(/[/\\]|%2f|%5c/i);
	if (segments.some((segment) => /^(\.|%2e){1,2}$/i.test(segment))) {
		throw new ServiceError('bad-input-data', { field: 'path', problem: 'may not hold . or .. segments' });
	}
	if (rest !== '') target.pathname = target.pathname.replace(/\/$/, '') + rest;
	if (query !== '') target.search = [target.search.slice(1), query].filter(Boolean).join('&');
	return target.href;
}

/** What headers can carry beside those of the caller and the lists of verdicts. */
const MAX_TOKEN_CHARACTERS = 14_000;

/** More tokens than that could not be told to the target; it is said before a card is stored. */
function maxTokensOf({ profile, uriOf }: InboundCall): number | undefined {
	if (profile.inPlace === 'token') return undefined;
	return Math.floor(MAX_TOKEN_CHARACTERS / (uriOf(''.padEnd(32, '0') as Token).length + 1));
}

function forwardingHeaders({ cameFrom, requestId }: InboundCall): HeaderPair[] {
	return [
		['X-Forwarded-For', cameFrom.address],
		['X-Forwarded-Proto', cameFrom.scheme],
		['X-Forwarded-Port', String(cameFrom.port)],
		['X-Real-Ip', cameFrom.address],
		['X-service-Trace-Id', requestId],
	];
}

/** Tokens are ours to name: a list that came with the message is none. */
function withoutTokens({ headers, profile }: InboundCall): readonly string[] {
	const tokenHeader = profile.tokenHeader.toLowerCase();
	if (findHeader(headers, tokenHeader) === undefined) return headers;
	return headers.filter((_, index) => headers[index - (index % 2)].toLowerCase() !== tokenHeader);
}
