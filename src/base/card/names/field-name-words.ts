// Splits the name of a field into words of the vocabulary. Blanks, punctuation, capitals and digits show where words
// begin; if there are none, the vocabulary itself decides (`kreditkartennummer`, `CCEXPMONTH`).

import { COMMON, KIND_BITS, LONE, VOCABULARY, WORD_KINDS, WORDS_OF_TEXT, type WordKind } from './field-words.ts';
import { NOWHERE, plainLetters, ROOT } from './word-tree.ts';

/** Describes one word of a name. It has no kind if the vocabulary does not contain it. */
export interface Word {
	readonly text: string;
	readonly kind: WordKind | undefined;
	/** True if the name has a blank, a sign or similar inside the word, as in `CVV 2`. */
	readonly isApart: boolean;
}

/**
 * The costs by which the best division of a name into words is found: of a known word, of each blank or sign inside a
 * word, and of an unknown word.
 */
const COST = { known: 10, apart: 1, stranger: 80 } as const;

/** Splits a name into words, in the cheapest way that covers all of it. */
export function readWords(name: string): Word[] {
	const parts = plainLetters(
		name
			.replace(/#/g, ' number ')
			.normalize('NFKC')
			.replace(/(\p{Ll}|\p{Nd})(\p{Lu})/gu, '$1 $2')
			.replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2'),
	).match(/[a-z]+|\p{Nd}+|\p{L}+/gu);
	if (parts === null) return [];
	const text = parts.join('');
	const ends = new Map<number, number>();
	let length = 0;
	for (const part of parts) ends.set(length, (length += part.length));
	return cheapestWords(text, ends);
}

/**
 * Returns the cheapest division of a text into words. `ends` maps the beginning of each part that blanks, punctuation,
 * capitals or digits set apart to the end of that part.
 */
function cheapestWords(text: string, ends: ReadonlyMap<number, number>): Word[] {
	const partEnds = new Set(ends.values());
	const costs = new Array<number>(text.length + 1).fill(Number.POSITIVE_INFINITY);
	const lastWords = new Array<(Word & { from: number }) | undefined>(text.length + 1);
	costs[0] = 0;
	const offer = (from: number, to: number, kind: WordKind | undefined, cost: number, isApart = false) => {
		if (costs[from] + cost >= costs[to]) return;
		costs[to] = costs[from] + cost;
		lastWords[to] = { text: text.slice(from, to), kind, isApart, from };
	};
	// In `expm` and `expy` one letter says month or year, though it does not stand alone.
	const isGlued = (from: number, to: number, kind: WordKind) =>
		(kind === 'month' || kind === 'year') && lastWords[from]?.kind === 'expiry' && partEnds.has(to);
	for (let from = 0; from < text.length; from++) {
		if (costs[from] === Number.POSITIVE_INFINITY) continue;
		const partEnd = ends.get(from);
		if (partEnd !== undefined) offer(from, partEnd, undefined, COST.stranger);
		let node = ROOT;
		for (let to = from + 1; to <= text.length; to++) {
			node = VOCABULARY.step(node, text.charCodeAt(to - 1));
			if (node === NOWHERE) break;
			const value = VOCABULARY.values[node];
			const kind = WORD_KINDS[(value & KIND_BITS) - 1];
			if (kind === undefined || ((value & LONE) !== 0 && partEnd !== to && !isGlued(from, to, kind))) continue;
			if ((value & COMMON) !== 0 && WORDS_OF_TEXT.has(text.slice(from, to))) continue;
			const inner = startsWithin(ends, from, to);
			offer(from, to, kind, COST.known + COST.apart * inner, inner > 0);
		}
	}
	const words: Word[] = [];
	for (let at = text.length; at > 0; ) {
		const { from, ...word } = lastWords[at]!;
		words.unshift(word);
		at = from;
	}
	return words;
}

function startsWithin(ends: ReadonlyMap<number, number>, from: number, to: number): number {
	let count = 0;
	for (let at = from + 1; at < to; at++) if (ends.has(at)) count++;
	return count;
}
