// Defines the parts that the definitions of all calls to third parties have in common.

import { Type } from '@sinclair/typebox';
import type { Reason } from '../../../base/errors.ts';
import { HTTP_METHODS } from '../../../work/relay/profiles/profile.ts';
import { ROUND_TRIP_MS } from '../../../work/relay/third-party-call.ts';
import type { Answer } from '../calls/call.ts';
import { BYTES, type OtherBody } from '../calls/content.ts';
import { noted } from '../input/schema-notes.ts';

/**
 * The parameter with the name of a profile. Its schema says that it is optional, because the calls themselves refuse a
 * request without it, each in its own order of checks.
 */
export const PROFILE_NAME = noted(
	Type.Optional(Type.String({ description: 'Profile of the account, matched exactly.' })),
	{ isRequired: true },
);
export const TARGET_URI = Type.Optional(
	Type.String({ description: 'Absolute address of the third party; the profile may have one.' }),
);
export const HTTP_METHOD = noted(
	Type.Optional(
		Type.String({
			description: `How to call the third party: ${HTTP_METHODS.join(', ')}. Unless given the profile's, else POST.`,
		}),
	),
	{ shownAs: { type: 'string', enum: HTTP_METHODS } },
);
export const TIMEOUT = noted(
	Type.Optional(
		Type.String({ description: 'Milliseconds for the whole round trip; at most 29,000, which is the default.' }),
	),
	{ shownAs: { type: 'integer', minimum: 1, default: ROUND_TRIP_MS } },
);

const header = (description: string) => Type.Optional(Type.String({ description }));
export const FOR_TARGET = {
	'X-service-Target-Authorization': header("Goes out as `Authorization`; the profile's own wins."),
	'X-service-Target-Cookie': header('Goes out as `Cookie`.'),
	'X-service-Target-Idempotency-Key': header('Goes out as `Idempotency-Key`.'),
};
export const RELAY_HEADERS = Type.Object({
	'X-service-cardUri': header('Token URIs, separated by commas. Required unless `cardToken` is given.'),
	...FOR_TARGET,
});
export const TARGET_HEADERS = Type.Object(FOR_TARGET);

const ANY = { '*/*': { schema: BYTES } };

/**
 * Returns how the documentation of a call describes the answers of a third party. `headers` are those that this service
 * adds to them. No key `2XX` is used, because some code generators make an invalid name from it.
 */
export function thirdPartyAnswers(headers?: Answer['headers']): Readonly<Record<number | 'default', Answer>> {
	return {
		200: { description: 'What the third party answered, with its headers.', headers, content: ANY },
		default: {
			description:
				'What the third party answered with any other status, 4xx and 5xx too, which come as they are. Failures of ours have the standard error for a body.',
			headers,
			content: ANY,
		},
	};
}

const said = (description: string) => ({ schema: { type: 'string' }, description });
/** The headers about the cards of an answer. Two of them have one entry a card, separated by `;;` (spec §4.1). */
export const CAPTURED = {
	'X-service-cardUri': said('URIs of the tokenized cards, separated by commas; the profile may name another header.'),
	'X-service-Tokenization-Errors': said('By card, separated by `;;`; absent when every card was tokenized.'),
	'X-service-Tokenization-Warnings': said('By card, separated by `;;`; absent when there is nothing to warn of.'),
};

/** The usual types are listed by name, because clients know how to write these. */
export function anyBody(isRequired: boolean): OtherBody {
	return {
		isRequired,
		content: {
			'application/json': { schema: {}, example: { cards: [{ number: '', month: '', year: '' }] } },
			'application/xml': { schema: { type: 'string' } },
			'application/x-www-form-urlencoded': { schema: { type: 'object', additionalProperties: { type: 'string' } } },
			...ANY,
		},
	};
}

/**
 * The reasons for which a call that is passed on to another host can fail on its way: its body is malformed and cannot
 * be searched, the other host cannot be reached or is too slow, or too many such calls are open.
 */
export const CALLS_OUT: readonly Reason[] = [
	...(['message-malformed', 'target-unreachable', 'request-timed-out'] as const),
	...(['too-many-calls', 'too-many-calls-of-account'] as const),
];
