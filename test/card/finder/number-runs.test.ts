import test from 'ava';
import fc from 'fast-check';
import { MOST_BYTES } from '../../../src/base/card/finder/byte-kinds.ts';
import { NumberRuns } from '../../../src/base/card/finder/number-runs.ts';

const SEPARATORS = [...' -.', '\u00a0', '\u2009'];
const SIGNS = [..."/_,*:+=~'|;\t^`", ' ', '\u00b7', '\u2019', '\u2212', '\u2022'];
const OUTSIDE = [...'aZ"\n#(<&@', '\r'];
const ANY = [...'0123456789', ...SEPARATORS, ...SIGNS, ...OUTSIDE, '\u0664'];
const text = (characters: string[], lengths: { minLength?: number; maxLength: number }) =>
	fc.array(fc.constantFrom(...characters), lengths).map((each) => each.join(''));
const digits = (least: number, most: number) =>
	text([...'0123456789', '\u0664'], { minLength: least, maxLength: most });
const figures = (least: number, most: number) => text([...'0123456789'], { minLength: least, maxLength: most });
const gapOf = (signs: string[], most: number) => text(signs, { minLength: 1, maxLength: most });
/** Groups of digits with up to three separators between, as they stand in one number. */
const printed = fc.array(fc.tuple(digits(1, 19), gapOf(SEPARATORS, 3)), { minLength: 1, maxLength: 20 });
/** The groups of a card or of an amount in thousands, with one gap of up to five bytes between. */
const divided = fc
	.tuple(
		fc.constantFrom('4444', '465', '464', '44443', '13333', '23333', '33333', '1333333'),
		figures(30, 30),
		gapOf(SIGNS, 3).filter((gap) => Buffer.byteLength(gap) <= 5),
	)
	.map(([lengths, digit, gap]) => [...lengths].map((length, i) => [digit.slice(4 * i, 4 * i + Number(length)), gap]));
const number = fc
	.oneof(printed, divided)
	.map((groups) =>
		groups
			.flat()
			.join('')
			.replace(/\D+$/u, (end) => end.replace(/[^\u0664]/gu, '')),
	)
	.filter((each) => [...each].filter((character) => /\p{Nd}/u.test(character)).length >= 13);

/** Returns every byte at which the runs of a text say that 13 bytes of a run end. */
function endsOf(bytes: Buffer, from: number, to: number): Set<number> {
	const runs = new NumberRuns().begin(bytes, from, to);
	const ends = new Set<number>();
	for (let at = runs.next(from); at < to; at = runs.next(at + 1)) ends.add(at);
	return ends;
}

test('the 13th byte of every number is found, whatever stands around the number and wherever a text begins', (t) => {
	const around = text(ANY, { maxLength: 40 });
	fc.assert(
		fc.property(around, text(OUTSIDE, { minLength: 1, maxLength: 1 }), number, around, (before, sign, each, behind) => {
			const start = Buffer.byteLength(before + sign);
			const bytes = Buffer.from(before + sign + each + behind);
			return endsOf(bytes, 0, bytes.length).has(start + 12) && endsOf(bytes, start, bytes.length).has(start + 12);
		}),
		{ numRuns: 3000 },
	);
	t.pass();
});

test('a number is found on both sides of where one block of bytes ends and the next begins', (t) => {
	const bytes = Buffer.alloc(3 * MOST_BYTES, 'x');
	for (let shift = 0; shift <= 16; shift++) {
		const at = MOST_BYTES + 5 - shift;
		const copy = Buffer.from(bytes);
		copy.write('4111111111111111', at);
		t.deepEqual([...endsOf(copy, 5, copy.length)], [at + 12]);
	}
});

test('dates, references and short numbers are passed over, and so is a text of letters', (t) => {
	for (const line of [
		'the guest of room 4711 leaves',
		'Visa,4242,late arrival',
		'AIR-BLK207;7A;;233;0000000000;1A1200000;001001',
		'AMD 0100000001;1/1;              ',
		'MUC1A ABCDEF003;0101;PARXX2100;20200001;PARXX2100',
		'page 1      of 400000000000',
		'2026-11-28T17',
		'D-261120;261120;261120',
		'',
	]) {
		const bytes = Buffer.from(line);
		t.is(endsOf(bytes, 0, bytes.length).size, 0, line);
	}
	const card = Buffer.from('Visa,4111 1111 1111 1111,late');
	t.true(endsOf(card, 0, card.length).size > 0);
});
