// Holds words as a tree of letters, so that a search takes one step a letter, however many words there are.

import { isContinuation, isLetter } from '../ascii.ts';

/** Letters that no decomposition turns into ASCII. */
const STROKES: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', Ø: 'o', ł: 'l', Ł: 'l' };

/** Removes accents and lowers the case. */
export function plainLetters(text: string): string {
	return text
		.replace(/[ßøØłŁ]/g, (letter) => STROKES[letter])
		.normalize('NFKD')
		.replace(/\p{M}/gu, '')
		.toLowerCase();
}

/** Maps a code point below U+0180, and so also a byte of Latin-1, to its letter without accent, in lower case, or to itself. */
const BASES = Uint8Array.from({ length: 0x180 }, (_, code) => {
	const plain = plainLetters(String.fromCodePoint(code)).charCodeAt(0);
	return isLetter(plain) ? plain : Math.min(code, 0xff);
});

const knownBytes = new Map<string, readonly number[]>();

/** Returns the bytes with which a letter may begin: its code in both cases, with accents in Latin-1, and the lead of UTF-8. */
export function bytesOf(letter: string): readonly number[] {
	const known = knownBytes.get(letter) ?? findBytesOf(letter);
	knownBytes.set(letter, known);
	return known;
}

function findBytesOf(letter: string): number[] {
	const code = letter.charCodeAt(0);
	const accented = [...BASES.keys()].filter((at) => at >= 0x80 && BASES[at] === code);
	const small = accented.filter((at) => at < 0x100);
	return [code, code & 0xdf, ...small, ...accented.map((at) => 0xc0 | (at >> 6))];
}

/** The tree begins here. `NOWHERE` has no letter behind it, so a walk may go on from it. */
export const ROOT = 1;
export const NOWHERE = 0;
const BLANK = 0x20;
const MOST_NODES = 0xffff;

/** A tree of words, each of which has a value that is not 0. */
export class WordTree {
	/** The values of the words that end at a node; 0 where none does. */
	readonly values: Uint8Array;
	/** The end of the word that `find` returned last. */
	end = 0;
	readonly #classes = new Uint8Array(256);
	readonly #width: number;
	readonly #next: Uint16Array;

	/** @throws Error if the words need too many nodes; if a word is listed twice, its first value counts */
	constructor(words: Iterable<readonly [word: string, value: number]>) {
		const listed = [...words];
		let width = 1;
		for (const letter of new Set(listed.flatMap(([word]) => [...word.toLowerCase()]))) {
			const code = letter.charCodeAt(0);
			this.#classes[code] = this.#classes[letter.toUpperCase().charCodeAt(0)] = width++;
		}
		const most = listed.reduce((sum, [word]) => sum + word.length, ROOT + 1);
		if (most > MOST_NODES) throw new Error('internal error: too many words for one tree');
		const next = new Uint16Array(most * width);
		const values = new Uint8Array(most);
		let count = ROOT + 1;
		for (const [word, value] of listed) {
			let node = ROOT;
			for (let i = 0; i < word.length; i++) {
				const at = node * width + this.#classes[word.charCodeAt(i)];
				if (next[at] === NOWHERE) next[at] = count++;
				node = next[at];
			}
			values[node] ||= value;
		}
		this.#width = width;
		this.#next = next.slice(0, count * width);
		this.values = values.slice(0, count);
	}

	/** Returns the node behind a letter, given by its code in either case; `NOWHERE` if no word goes on with it. */
	step(node: number, code: number): number {
		// A code above 255 has no class, which makes it 0.
		return this.#next[node * this.#width + (this.#classes[code] | 0)];
	}

	/** Returns the value of the longest word at `at`, whatever its accents, and sets `end` behind it; 0 if there is none. */
	find(bytes: Uint8Array, at: number, end: number): number {
		let found = 0;
		let node = ROOT;
		while (at < end && (node = this.step(node, letterAt(bytes, at, end))) !== NOWHERE) {
			at += letterWidth(bytes, at, end);
			if (this.values[node] === 0) continue;
			found = this.values[node];
			this.end = at;
		}
		return found;
	}
}

/**
 * Returns the byte at `at`, or if it is a letter with an accent, in UTF-8 or Latin-1, that letter without it. `letterWidth`
 * tells how many bytes it has.
 */
export function letterAt(bytes: Uint8Array, at: number, end: number): number {
	if (bytes[at] < 0x80) return bytes[at];
	// Of the characters that begin with these bytes in UTF-8, such as the sign of degrees and dashes, none is a letter of the
	// vocabulary.
	const isPair = at + 1 < end && isContinuation(bytes[at + 1]);
	if (bytes[at] === 0xc2 && isPair) return BLANK;
	if (bytes[at] >= 0xe1 && bytes[at] <= 0xef && isPair && at + 2 < end && isContinuation(bytes[at + 2])) return BLANK;
	const isWide = letterWidth(bytes, at, end) === 2;
	return BASES[isWide ? ((bytes[at] & 0x1f) << 6) | (bytes[at + 1] & 0x3f) : bytes[at]];
}

export function letterWidth(bytes: Uint8Array, at: number, end: number): number {
	const byte = bytes[at];
	return byte >= 0xc3 && byte <= 0xc5 && at + 1 < end && isContinuation(bytes[at + 1]) ? 2 : 1;
}
