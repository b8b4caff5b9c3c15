// Splits the name of a field into words of the vocabulary. Blanks, punctuation, capitals and digits show where words
// begin; if there are none, the vocabulary itself decides (`kreditkartennummer`, `CCEXPMONTH`).

import { FIELD_WORDS, LONE_WORDS, WORD_KINDS, type WordKind } from './field-words.ts';

/** Describes one word of a name. It has no kind if the vocabulary does not contain it. */
export interface Word {
	readonly text: string;
	readonly kind: WordKind | undefined;
	/** True if the name has a blank, a sign or similar inside the word, as in `CVV 2`. */
	readonly isApart: boolean;
}

/**
 * A node of the vocabulary, which is a tree of letters. A search ends as soon as no word continues, however long the
 * name is.
 */
interface Letter {
	readonly next: Map<number, Letter>;
	kind: WordKind | undefined;
}

const FIRST: Letter = { next: new Map(), kind: undefined };
for (const kind of WORD_KINDS) for (const word of FIELD_WORDS[kind].split(/\s+/)) addWord(word, kind);

function addWord(word: string, kind: WordKind): void {
	for (const spelling of [plainLetters(word), plainLetters(word.replace(/[äöü]/g, (letter) => `${letter}e`))]) {
		let letter = FIRST;
		for (let i = 0; i < spelling.length; i++) {
			const code = spelling.charCodeAt(i);
			let next = letter.next.get(code);
			if (next === undefined) letter.next.set(code, (next = { next: new Map(), kind: undefined }));
			letter = next;
		}
		letter.kind ??= kind;
	}
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

/** Removes accents and lowers the case. */
function plainLetters(text: string): string {
	return text.normalize('NFKD').replace(/\p{M}/gu, '').replace(/ß/g, 'ss').toLowerCase();
}

/**
 * Returns the cheapest division of a text into words. `ends` maps the beginning of each part that blanks, punctuation,
 * capitals or digits set apart to the end of that part.
 */
function cheapestWords(text: string, ends: ReadonlyMap<number, number>): Word[] {
	const costs = new Array<number>(text.length + 1).fill(Number.POSITIVE_INFINITY);
	const lastWords = new Array<(Word & { from: number }) | undefined>(text.length + 1);
	costs[0] = 0;
	const offer = (from: number, to: number, kind: WordKind | undefined, cost: number, isApart = false) => {
		if (costs[from] + cost >= costs[to]) return;
		costs[to] = costs[from] + cost;
		lastWords[to] = { text: text.slice(from, to), kind, isApart, from };
	};
	for (let from = 0; from < text.length; from++) {
		if (costs[from] === Number.POSITIVE_INFINITY) continue;
		const partEnd = ends.get(from);
		if (partEnd !== undefined) offer(from, partEnd, undefined, COST.stranger);
		let letter = FIRST.next.get(text.charCodeAt(from));
		for (let to = from + 1; letter !== undefined; letter = letter.next.get(text.charCodeAt(to++))) {
			const { kind } = letter;
			if (kind === undefined || (partEnd !== to && LONE_WORDS.has(text.slice(from, to)))) continue;
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
