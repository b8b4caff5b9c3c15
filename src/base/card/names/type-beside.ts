import { findCardType } from './brand-names.ts';

/** At most this many characters beside a number are read for the name of its type. */
const LONGEST_TYPE = 24;
/** Matches up to two words. Travel hosts write CC before the code of a card: `CCVI4111…`. */
const TYPE_BEFORE = /([A-Za-z]+ )?(CC(?=[A-Z]{2}[^A-Za-z]*$))?([A-Za-z]+)([\s:.,/()[\]#-]{0,3})$/;
const TYPE_BEHIND = /^([\s:.,/()[\]#-]{0,3})([A-Za-z]+)( [A-Za-z]+)?/;

/**
 * Returns the range of the name of a card type directly before or behind the number `bytes[numberStart, numberEnd)`, in the
 * value `bytes[start, end)`: `VISA 4111…`, `4111… (Visa)`. Returns undefined if there is none.
 */
export function findTypeBeside(
	bytes: Buffer,
	start: number,
	numberStart: number,
	numberEnd: number,
	end: number,
): [start: number, end: number] | undefined {
	const before = TYPE_BEFORE.exec(bytes.toString('latin1', Math.max(start, numberStart - LONGEST_TYPE), numberStart));
	if (before !== null) {
		const [, first = '', cc = '', second, signs] = before;
		const after = numberStart - signs.length;
		const words = cc === '' ? [first + second, second] : [second];
		for (const word of words) if (isType(word)) return [after - word.length, after];
	}
	const behind = TYPE_BEHIND.exec(bytes.toString('latin1', numberEnd, Math.min(end, numberEnd + LONGEST_TYPE)));
	if (behind === null) return undefined;
	const [, signs, first, second = ''] = behind;
	const at = numberEnd + signs.length;
	for (const word of [first + second, first]) if (isType(word)) return [at, at + word.length];
	return undefined;
}

/** Two small letters are more likely a word than a code: `to`, `up`, `ma`. */
function isType(word: string): boolean {
	const mayBe = word.length > 2 || (word.length === 2 && word === word.toUpperCase());
	return mayBe && findCardType(word) !== undefined;
}
