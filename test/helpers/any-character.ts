import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };
const LAST = 0x10ffff;

/**
 * The unit of strings with any character at all, as `unit: 'binary'` of fast-check. That one writes down a table of all 1.1
 * million characters when it is first used, which takes a second in every process and is collected again and again.
 */
export const anyCharacter = fc.nat(LAST - SURROGATES.count).map(
	(place) => String.fromCodePoint(place < SURROGATES.first ? place : place + SURROGATES.count),
	(character) => {
		const point = typeof character === 'string' ? character.codePointAt(0) : undefined;
		if (point === undefined || character !== String.fromCodePoint(point)) throw new Error('not one character');
		if (point < SURROGATES.first) return point;
		if (point < SURROGATES.first + SURROGATES.count) throw new Error('half a character');
		return point - SURROGATES.count;
	},
);
