// Implements the inbound gateway (shapes §4): a third party pushes a message to an account, and the account receives it
// with tokens in place of cards.

import { badInput } from '../../base/errors.ts';
import type { HeaderPair } from '../../base/outbound/headers.ts';
import type { Token } from '../../vault/tokens/token.ts';
import { findHeader, headersFor } from './call.ts';
import { checkTokenizes, countCards, recordMessageWithout, type Tokenizing } from './capture.ts';
import type { ThirdPartyAnswer, ThirdPartyCall } from './third-party-call.ts';
import { tokenizeBody } from './tokenize-body.ts';
import { listHeaders } from './verdict-headers.ts';

export interface InboundCall extends Omit<ThirdPartyCall, 'targetUri'> {
	/** The part of the path after the profile's name, beginning with a slash, and the query without credentials. */
	readonly rest: string;
	readonly query: string;
	/** Describes the connection over which the call came to us. */
	readonly cameFrom: { readonly address: string; readonly scheme: string; readonly port: number };
	uriOf(token: Token): string;
}

/**
 * Tokenizes a request and passes it on to the profile's target. If the target cannot be called, nothing is stored.
 * @throws ServiceError
 */
export async function inbound(parts: Tokenizing, call: InboundCall): Promise<ThirdPartyAnswer> {
	const { profile, principal, requestId, body } = call;
	checkTokenizes(call);
	if (profile.targetUri === undefined) {
		throw badInput('profileName', 'the profile names no targetUri');
	}
	const targetUri = joined(profile.targetUri, call.rest, call.query);
	const { targets } = parts;
	const url = targets.urlOf({ profile, targetUri });
	const about = forwardingHeaders(call);
	const sent = { ...call, headers: withoutTokens(call) };
	headersFor(sent, about);
	const ready = await targets.prepare('inbound', sent, url);
	try {
		const contentType = findHeader(call.headers, 'content-type') ?? profile.contentType;
		const wishes = { keepsCvv: principal.cvvRetention, maxTokens: maxTokensOf(call) };
		const message = {
			action: 'card.inbound',
			subject: `profile ${profile.name}`,
			details: { requestId, host: url.host },
		} as const;
		const sender = { principal, profile, contentType, refusal: 'bad-input-data', message } as const;
		const tokenized = body && (await tokenizeBody(parts, sender, body, wishes));
		// The clear bytes are no longer needed, so they are wiped.
		if (tokenized && tokenized.body !== body && body && body.length > 0) body.fill(0);
		const tokens = tokenized?.tokens ?? [];
		await countCards(parts.allowance, call, tokens.length);
		const found: HeaderPair[] = tokenized ? listHeaders(profile, tokenized, call.uriOf) : [];
		await recordMessageWithout(parts.audit, call, message, { tokens, errors: tokenized?.errors ?? [] });
		const headers = headersFor(sent, [...about, ...found]);
		return await ready.send({ url, headers, body: tokenized?.body ?? body });
	} finally {
		ready.release();
	}
}

/** Appends the rest of the path to the target's path, and makes sure that the result stays below it. */
function joined(targetUri: string, rest: string, query: string): string {
	const target = new URL(targetUri);
	// URL parsers treat a backslash as a slash, and many servers treat an escaped slash as one.
	const segments = rest.split(/[/\\]|%2f|%5c/i);
	if (segments.some((segment) => /^(\.|%2e){1,2}$/i.test(segment))) {
		throw badInput('path', 'must not contain . or .. segments');
	}
	if (rest !== '') target.pathname = target.pathname.replace(/\/$/, '') + rest;
	if (query !== '') target.search = [target.search.slice(1), query].filter(Boolean).join('&');
	return target.href;
}

/**
 * The header that lists the tokens of a message may have this many characters. The headers of the caller and the lists
 * of verdicts need the rest of the space.
 */
const MAX_TOKEN_CHARACTERS = 14_000;

/**
 * Returns how many tokens fit into the headers of a call to the target. A message with more cards is refused before any
 * is stored.
 */
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

/** Returns the received headers without one of the name of our list of tokens, which only this service may make. */
function withoutTokens({ headers, profile }: InboundCall): readonly string[] {
	const tokenHeader = profile.tokenHeader.toLowerCase();
	if (findHeader(headers, tokenHeader) === undefined) return headers;
	return headers.filter((_, index) => headers[index - (index % 2)].toLowerCase() !== tokenHeader);
}
