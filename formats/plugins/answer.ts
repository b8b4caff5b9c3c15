// Checks the positions that a plugin answers. Everything in an answer may be wrong on purpose, so each number is checked here
// before anything else uses it.

import { isTextAt } from '../../src/base/card/ascii.ts';
import { TOKEN_LENGTH } from '../../src/base/card/number.ts';
import { COLUMNS_TAIL_PREFIX } from '../../src/engine/format.ts';
import type { Manifest } from './manifest.ts';
import { PluginFailure } from './process.ts';

/** The numbers of an answer: four at its head, then those of each card (`inside.mjs` writes them). */
const HEAD = 4;
const SPANS = ['number', 'expiry', 'cvv', 'type', 'name', 'reference', 'mask'] as const;
const WIDTH = 2 + SPANS.length * 2;
const STATUS = { answered: 0, fault: 1, threw: 2 } as const;
/** No spelling of a card number, and no text beside it, takes more bytes. */
const LONGEST: Record<(typeof SPANS)[number], number> = {
	...{ number: 64, expiry: 32, cvv: 8, type: 64, name: 256, reference: 256, mask: 64 },
};
const SHOWN_DIGITS = 4;
const SHORTEST_MASK = 12;
const X = 0x58;
const TAIL_PREFIX = Buffer.from(COLUMNS_TAIL_PREFIX);

/** A span, with its offsets in the window. */
interface Span {
	readonly start: number;
	readonly end: number;
}

export interface PluginCard extends Record<(typeof SPANS)[number], Span> {
	/** The record in the file, counted from 1, or 0 if the plugin counts none. It is not checked here. */
	readonly record: number;
	/** Where the token goes that has no space in the columns of the number, or -1. */
	readonly tail: number;
}

/** What a plugin says about a window: where its cards are, or what is wrong with the file. */
export type PluginAnswer =
	| { readonly settled: number; readonly cards: readonly PluginCard[]; readonly droppedTexts: number }
	| { readonly fault: string; readonly at: number };

/**
 * Reads an answer about `bytes[from, to)`.
 * @throws PluginFailure that says which position is wrong
 */
export function readAnswer(
	answer: Buffer,
	{ bytes, from, to, isLast }: { bytes: Buffer; from: number; to: number; isLast: boolean },
	{ faults }: Pick<Manifest, 'faults'>,
): PluginAnswer {
	const count = answer.length / 4;
	const at = (index: number) => answer.readInt32LE(index * 4);
	if (count < HEAD || (count - HEAD) % WIDTH !== 0) throw new PluginFailure('its answer is no list of positions');
	const [status, first, second] = [at(0), at(1), at(2)];
	if (status === STATUS.threw) throw new PluginFailure('its program ended with an error');
	if (status === STATUS.fault) {
		if (first < 0 || first > to - from)
			throw new PluginFailure('it refuses the file at a place outside the window', `${first}`);
		if (faults[second] === undefined)
			throw new PluginFailure('it refuses the file for a reason that it has not', `${second}`);
		return { fault: faults[second], at: from + first };
	}
	if (status !== STATUS.answered) throw new PluginFailure('its answer is no list of positions');
	const settled = from + first;
	if (settled < from || settled > to || (isLast && settled !== to)) {
		const what = isLast ? 'it did not settle the end of the file' : 'it settled bytes that it has not got';
		throw new PluginFailure(what, `${first} of ${to - from}`);
	}
	const cards: PluginCard[] = [];
	let free = from;
	for (let index = HEAD; index < count; index += WIDTH) {
		const spans = SPANS.map((name, i) => {
			const [start, end] = [at(index + 2 + i * 2), at(index + 3 + i * 2)];
			return [name, { start: from + start, end: from + end }] as const;
		});
		const tail = at(index + 1);
		const card = {
			record: at(index),
			tail: tail < 0 ? -1 : from + tail,
			...(Object.fromEntries(spans) as Record<(typeof SPANS)[number], Span>),
		};
		free = checkCard(card, { bytes, from, settled, free });
		cards.push(card);
	}
	return { settled, cards, droppedTexts: at(3) };
}

/** Checks one card and returns where the next one may begin. */
function checkCard(
	card: PluginCard,
	{ bytes, from, settled, free }: { bytes: Buffer; from: number; settled: number; free: number },
): number {
	const failure = (what: string, ...spans: Span[]) =>
		new PluginFailure(what, spans.map(({ start, end }) => `${start - from} to ${end - from}`).join(', '));
	for (const name of SPANS) {
		const span = card[name];
		if (span.end < span.start || span.start < from || span.end > settled)
			throw failure(`the ${name} of a card is not in the bytes that it settled`, span);
		if (span.end - span.start > LONGEST[name]) throw failure(`the ${name} of a card is too long`, span);
	}
	const { number, cvv, mask, tail } = card;
	if (number.start === number.end) throw failure('the number of a card is empty', number);
	const changed = [number, cvv, mask].filter(({ start, end }) => start < end);
	changed.sort((one, other) => one.start - other.start);
	if (changed[0].start < free) throw failure('a card is not behind the one before', changed[0]);
	for (let i = 1; i < changed.length; i++) {
		if (changed[i].start < changed[i - 1].end) throw failure('two spans of a card overlap', changed[i - 1], changed[i]);
	}
	const end = changed[changed.length - 1].end;
	if (tail !== -1 && (tail < end || tail > settled || mask.start < mask.end))
		throw failure('the tail of a card is not behind it', { start: tail, end: tail });
	if (mask.start < mask.end && !(isMask(bytes, mask) && isTailToken(bytes, from, number)))
		throw failure('the mask of a card has no token of ours behind it', mask);
	return Math.max(end, tail);
}

/** Tells whether a span looks as the engine masks columns: X, and the last four bytes of a number. */
function isMask(bytes: Buffer, { start, end }: Span): boolean {
	if (end - start < SHORTEST_MASK) return false;
	for (let i = start; i < end - SHOWN_DIGITS; i++) if (bytes[i] !== X) return false;
	return true;
}

function isTailToken(bytes: Buffer, from: number, { start, end }: Span): boolean {
	const prefix = start - TAIL_PREFIX.length;
	return end - start === TOKEN_LENGTH && prefix >= from && isTextAt(bytes, prefix, TAIL_PREFIX);
}
