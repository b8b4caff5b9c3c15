// Reads words of the vocabulary in text, as people and programs write them: `SECURITY CODE`, `SEC.CODE`, `securityCode`,
// `C.V.V.`, `CÓDIGO DE SEGURANÇA`. Nothing, or signs and blanks, may stand between the words.

import { isLetter, tableOf } from '../ascii.ts';
import { COMMON, KIND_BITS, LONE, OPEN, spellingsOf, VOCABULARY, WORD_KINDS, type WordKind } from './field-words.ts';
import { bytesOf, letterAt, letterWidth, NOWHERE, ROOT } from './word-tree.ts';

/** Returns the bit of a kind of words in `Phrase.kinds`. */
export const bitOf = (kind: WordKind) => 1 << WORD_KINDS.indexOf(kind);

/** At most this many signs stand between two words: `SEC. CODE`, `SEC - CODE`. */
const MOST_SIGNS = 3;
const MOST_WORDS = 6;
/** A phrase has at most this many bytes. */
export const LONGEST_PHRASE = 64;
const SIGNS_BETWEEN = " -._'/°º";
const SIGNS = tableOf(SIGNS_BETWEEN);
/** One of these stands behind each letter of an abbreviation that is spelled, `C.V.V.`, or behind one of a letter: `N°`. */
const SPELLING = Buffer.from('. -°º');

/** A word of these kinds says by itself what a phrase is about; `card` and `number` do not. */
const MEANING = bitOf('cvv') | bitOf('security') | bitOf('verification') | bitOf('expiry');

/** Reads phrases of one kind, one at a time. Reading allocates nothing. */
export class Phrase {
	/** The end of the phrase that was read last; 0 if there was none. */
	end = 0;
	/** The bits of the kinds of its words. */
	kinds = 0;
	/** True if one of its words says what it is about, and is none of `COMMON_WORDS`. */
	isTelling = false;
	readonly #allowed: number;
	readonly #isWhole: (kinds: number) => boolean;

	/** Holds 1 for each pair of an ASCII letter and a byte with which a phrase may begin. Most pairs in text are none. */
	readonly #pairs = new Uint8Array(0x2000);

	/**
	 * `isWhole` tells whether words of these kinds, in any order, are a phrase. It does not begin with a joint. `mayBegin`
	 * also holds for `others`.
	 */
	constructor(kinds: readonly WordKind[], isWhole: (kinds: number) => boolean, others: readonly string[] = []) {
		this.#allowed = kinds.reduce((bits, kind) => bits | bitOf(kind), 0);
		this.#isWhole = isWhole;
		for (const word of [...others, ...kinds.filter((kind) => kind !== 'joint').flatMap(spellingsOf)]) {
			const isDivided = word[1] === '-';
			const signs = isDivided ? Buffer.from(SIGNS_BETWEEN) : word.length < 5 ? SPELLING : [];
			const seconds = word.length === 1 ? SPELLING : [...bytesOf(word[isDivided ? 2 : 1]), ...signs];
			for (const second of seconds) this.#pairs[pairOf(word.charCodeAt(0), second)] = 1;
		}
	}

	/** Tells at a glance whether a phrase may begin at `at`. Of other text, this is true now and then. */
	mayBegin(bytes: Uint8Array, at: number): boolean {
		return this.#pairs[pairOf(bytes[at], bytes[at + 1])] === 1;
	}

	/** Reads the longest phrase that begins exactly at `at`, and tells whether there is one. */
	read(bytes: Uint8Array, at: number, end: number): boolean {
		this.end = 0;
		if (!this.mayBegin(bytes, at)) return false;
		// Three letters are enough for most other words.
		if (isLetter(bytes[at + 1]) && isLetter(bytes[at + 2])) {
			const second = VOCABULARY.step(VOCABULARY.step(ROOT, bytes[at]), bytes[at + 1]);
			if (VOCABULARY.step(second, bytes[at + 2]) === NOWHERE && (VOCABULARY.values[second] & KIND_BITS) === 0)
				return false;
		}
		this.#readWord(bytes, at, Math.min(end, at + LONGEST_PHRASE), 0, false, MOST_WORDS);
		return this.end > 0;
	}

	#readWord(bytes: Uint8Array, start: number, end: number, before: number, isTelling: boolean, words: number): void {
		// In `C.V.V.` the same sign stands behind each letter.
		const sign =
			start + 3 < end && SIGNS[bytes[start + 1]] === 1 && bytes[start + 3] === bytes[start + 1] ? bytes[start + 1] : 0;
		const isApart = start === 0 || !isLetter(bytes[start - 1]);
		let node = ROOT;
		for (let at = start; at < end; ) {
			node = VOCABULARY.step(node, letterAt(bytes, at, end));
			if (node === NOWHERE) return;
			at += letterWidth(bytes, at, end);
			const value = VOCABULARY.values[node];
			const bit = 1 << ((value & KIND_BITS) - 1);
			const isFree = at >= end || !isLetter(letterAt(bytes, at, end));
			if ((bit & this.#allowed) !== 0 && ((value & LONE) === 0 || (isApart && isFree))) {
				const kinds = before | bit;
				const isNowTelling = isTelling || ((bit & MEANING) !== 0 && (value & COMMON) === 0);
				// `KARTENCODE` is one telling word, and also two that tell less.
				const isBetter = at > this.end || (at === this.end && isNowTelling && !this.isTelling);
				if (isFree && isBetter && this.#isWhole(kinds)) {
					this.end = at;
					this.kinds = kinds;
					this.isTelling = isNowTelling;
				}
				if (words > 1) this.#readWord(bytes, endOfSigns(bytes, at, end), end, kinds, isNowTelling, words - 1);
			}
			if ((value & OPEN) !== 0) at = endOfSigns(bytes, at, end);
			else if (sign !== 0 && bytes[at] === sign && at < end) at++;
		}
	}
}

function pairOf(first: number, second: number): number {
	return ((first & 0x1f) << 8) | second;
}

function endOfSigns(bytes: Uint8Array, at: number, end: number): number {
	const limit = Math.min(end, at + MOST_SIGNS);
	while (at < limit && SIGNS[bytes[at]] === 1) at++;
	return at;
}
