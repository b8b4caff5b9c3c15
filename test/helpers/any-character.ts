import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };
const LAST = 0x10ffff;

/**
 * Generates any character at all, as the unit of strings. `unit: 'binary'` of fast-check does the same, but it builds a
 * table of all 1.1 million characters when it is first used, which takes a second in every process and burdens the garbage
 * collector.
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
