// Generates the content of hostile files: valid numbers in every spelling, texts that look like numbers, and fields of
// all kinds.

import fc from 'fast-check';

export interface GeneratedFile {
	readonly bytes: Buffer;
	/** The options of the format. */
	readonly options: object;
}

export const latin1 = (text: string) => Buffer.from(text, 'latin1');

/** Card numbers of every length, which brand rules and Luhn accept. */
export const GOOD_NUMBERS = [
	...['4111111111111111', '4222222222222', '5555555555554444', '378282246310005', '36227206271667'],
	...['192012345678901', '4912345678901234566', '501800000009', '6011000990139424', '1234567890123456789011'],
];

/** Texts that occur in place of a card number but are none, or no longer one. */
export const ODD_NUMBERS = [
	...['4111111111111112', '41111111111', '41111111111111111111110', `${'4111111111111111'.repeat(3)}`, '4.11111E+15'],
	...['411111XXXXXX1111', '************1111', '4111........1111', '9e107d9d372bb6826bd81d3542a419d6'],
	...['CCA5D1229E0B47F1A9C0DE5F6AB01E2D', '12345678901234567890123456789012', '0000000000000000', '', ' ', '0'],
	...['4111\u00a01111', '4111  1111 1111 1111', '4111111111111111X', '+4111111111111111', 'ab', '-', '\u00fc', "'"],
];

const group = (digits: string, sizes: readonly number[], sign: string) => {
	const parts: string[] = [];
	let at = 0;
	for (let i = 0; at < digits.length; i++) {
		const size = sizes[Math.min(i, sizes.length - 1)];
		parts.push(digits.slice(at, at + size));
		at += size;
	}
	return parts.join(sign);
};

export const goodNumber = fc.constantFrom(...GOOD_NUMBERS);
const groupedNumber = fc
	.tuple(
		goodNumber,
		fc.constantFrom([4], [4, 6, 5], [6, 4], [1], [2, 3]),
		fc.constantFrom(' ', '-', '\u00a0', '\u00c2\u00a0'),
	)
	.map(([digits, sizes, sign]) => group(digits, sizes, sign));
export const number = fc.oneof(
	{ weight: 4, arbitrary: goodNumber },
	{ weight: 2, arbitrary: groupedNumber },
	{ weight: 2, arbitrary: fc.constantFrom(...ODD_NUMBERS) },
);

export const expiry = fc.constantFrom(
	...['12/29', '1229', '12/2029', '122029', '2029-12', '2029-12-31', '1/30', '12.29', '12-29', '', ' ', '12 29'],
	...['1219', '13/29', '00/00', '0000', '2912', 'ab', '129', '12/'],
);
export const month = fc.constantFrom('12', '1', '01', '', '13', '0', 'x');
export const year = fc.constantFrom('29', '2029', '', '2019', '999');
export const cvv = fc.constantFrom('123', '1234', '', '***', '12', '12345', 'ab', ' 123 ');
export const cardType = fc.constantFrom('VI', 'Visa', 'AX', 'American Express', '', 'nobody', '4');
export const name = fc.constantFrom(
	'MARIE DUPONT',
	'M\u00dcLLER',
	'M\u00c3\u00bcller',
	'',
	"O'HARA",
	'4111',
	'A "B" C',
	'a\\b',
);
export const reference = fc.constantFrom('REF-1', '', '4111111111111111', 'x'.repeat(300), '  R ');
/** Generates the text of fields that no scanner reads, which may be anything. */
export const otherText = fc.oneof(
	fc.constantFrom('4595262536753', '4111111111111111', 'REF 1', '', ' ', '1,2;3|4\t5', 'a\nb', 'c\r\nd', '"', '""'),
	fc.constantFrom("'", '\\', '=', '\u00fc', '\u00a0', 'H', 'T', '#', '<', '&', '{', 'CCVI4111111111111111/1229'),
	fc.string({ maxLength: 6 }).map((text) => text.replace(/[^\x20-\x7e]/g, '?')),
);

const lineEnd = fc.constantFrom('\n', '\r', '\r\n');
/** Generates the line ends of a file: usually one kind for the whole file, sometimes any mixture. */
export const lineEnds = fc.oneof(
	lineEnd.map((one) => [one]),
	fc.array(lineEnd, { minLength: 2, maxLength: 5 }),
);
