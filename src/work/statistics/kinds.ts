// Writes and reads the kinds under which events are counted, such as `cards/http`.

import { REFUSALS, type Refusal } from '../../base/card/verdict.ts';
import type { Direction } from '../../engine/format.ts';

/** The ways in which cards come in. `back` is the opposite: card numbers that files got in place of tokens. */
export const CARD_WAYS = ['http', 'file', 'form', 'import', 'back'] as const;
export type CardWay = (typeof CARD_WAYS)[number];

/**
 * The reasons under which refused cards are counted: the reasons that a file's report gives, `call` for any card
 * refused in a call, and `other`.
 */
export type RefusedFor = Refusal | 'call' | 'other';

/** The upper limits of the classes of response times, in milliseconds; the last class has none. */
export const BUCKETS_MS = [5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000] as const;

const LONGEST = 64;

export const FAILED = 'failed';
export const UNITS = 'units';

export function cardsKind(way: CardWay): string {
	return `cards/${way}`;
}

/**
 * Returns the kind under which a file is counted. The kind is cut to the length of its database column, although the
 * names of formats are short enough today.
 */
export function fileKind(direction: Direction, filter: string): string {
	return `file/${direction}/${filter}`.slice(0, LONGEST);
}

export function refusedKind(reason: RefusedFor): string {
	return `refused/${reason}`;
}

/** Returns the kind under which a call is counted, by the class of its response time. */
export function callKind(ms: number): string {
	const bucket = BUCKETS_MS.findIndex((end) => ms <= end);
	return `call/${bucket < 0 ? BUCKETS_MS.length : bucket}`;
}

export function isRefusal(text: string): text is Refusal {
	return Object.hasOwn(REFUSALS, text);
}

/** Splits a kind into its two parts: `cards/http` becomes `cards` and `http`. */
export function splitKind(kind: string): [area: string, rest: string] {
	const slash = kind.indexOf('/');
	return slash < 0 ? [kind, ''] : [kind.slice(0, slash), kind.slice(slash + 1)];
}
