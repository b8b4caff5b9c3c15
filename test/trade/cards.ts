// Holds the public test numbers of fixtures/README.md, and spells numbers and expiries as people do.

import type { Dice } from './dice.ts';
import type { Encoding } from './draft.ts';

/** A number with the codes that reservation systems use for its network, and the name of the network. */
export interface TestNumber {
	readonly digits: string;
	readonly codes: readonly string[];
	readonly brand: string;
}

const numbers = (brand: string, codes: string, all: string): TestNumber[] =>
	all.split(' ').map((digits) => ({ digits, codes: codes.split(' '), brand }));

export const TEST_NUMBERS: readonly TestNumber[] = [
	...numbers('Visa', 'VI', '4111111111111111 4012888888881881 4242424242424242 4222222222222 4912345678901234566'),
	...numbers('MasterCard', 'CA MC', '5555555555554444 5105105105105100 2223003122003222'),
	...numbers('American Express', 'AX', '378282246310005 371449635398431'),
	...numbers('Discover', 'DS', '6011111111111117 6011000990139424'),
	...numbers('Diners Club', 'DC', '30569309025904 38520000023237 36227206271667'),
	...numbers('JCB', 'JC', '3530111333300000 3566002020360505'),
	...numbers('UATP', 'TP', '192012345678901'),
	...numbers('Maestro', 'TO', '6304000000000000'),
];

/** One card as a generator writes it. */
export interface Card extends TestNumber {
	/** The ordinal of the card in its file, from 1. */
	readonly index: number;
	readonly cvv: string;
	readonly month: string;
	readonly year: string;
}

/** Draws the next card of a file; the first few numbers come back often, so that one number stands in several spellings. */
export function drawCard(dice: Dice, index: number): Card {
	const number = dice.percent(40) ? TEST_NUMBERS[dice.below(3)] : dice.pick(TEST_NUMBERS);
	const month = String(dice.between(1, 12)).padStart(2, '0');
	// No CVV begins with 2, because `CVV2563` may be a CVV of four digits, or the word CVV2 and a CVV of three.
	const cvv = `${dice.pick([...'013456789'])}${dice.digits(number.brand === 'American Express' ? 3 : 2)}`;
	return { ...number, index, cvv, month, year: String(dice.between(2027, 2032)) };
}

const SCRIPTS = { arabic: 0x660, persian: 0x6f0, devanagari: 0x966, bengali: 0x9e6, thai: 0xe50, fullwidth: 0xff10 };

export type Spelling =
	| 'plain'
	| 'blanks'
	| 'hyphens'
	| 'points'
	| 'no-break'
	| 'double blanks'
	| 'odd groups'
	| 'mixed'
	| 'typographic'
	| 'script';

/** Picks a spelling that a file of that encoding can hold, the common ones more often. */
export function pickSpelling(dice: Dice, encoding: Encoding): Spelling {
	const roll = dice.below(100);
	if (roll < 50) return 'plain';
	if (roll < 65) return 'blanks';
	if (roll < 76) return 'hyphens';
	if (roll < 82) return 'points';
	if (roll < 88) return 'no-break';
	if (roll < 90) return 'double blanks';
	if (roll < 93) return 'odd groups';
	if (roll < 94) return 'mixed';
	if (encoding === 'latin1') return 'plain';
	return roll < 97 ? 'typographic' : 'script';
}

/** Returns the digits in this spelling. */
export function spell(dice: Dice, digits: string, spelling: Spelling): string {
	switch (spelling) {
		case 'plain':
			return digits;
		case 'blanks':
			return groups(digits).join(' ');
		case 'hyphens':
			return groups(digits).join('-');
		case 'points':
			return groups(digits).join('.');
		case 'no-break':
			return groups(digits).join('\u00a0');
		case 'double blanks':
			return groups(digits).join('  ');
		case 'odd groups':
			return oddGroups(dice, digits).join(dice.pick([' ', '-']));
		case 'mixed':
			return groups(digits).reduce((text, group) => text + dice.pick([' ', '-']) + group);
		case 'typographic':
			// Word processors put such signs between groups: a narrow no-break blank, a thin blank or a no-break hyphen.
			return groups(digits).join(dice.pick(['\u202f', '\u2009', '\u2011']));
		case 'script':
			return inScript(digits, dice.pick(Object.values(SCRIPTS)));
	}
}

function inScript(digits: string, zero: number): string {
	return [...digits].map((digit) => String.fromCodePoint(zero + Number(digit))).join('');
}

/** Divides the digits into groups that the card itself may not show: fours, two halves, or the first six and the rest. */
function oddGroups(dice: Dice, digits: string): string[] {
	const half = digits.length >> 1;
	return dice.pick([
		digits.match(/.{1,4}/g)!,
		[digits.slice(0, half), digits.slice(half)],
		[digits.slice(0, 6), digits.slice(6)],
	]);
}

/** Divides the digits as cards are embossed: 4-6-5 for 15 digits, 4-6-4 for 14, 4-3-3-3 for 13, fours for all others. */
function groups(digits: string): string[] {
	if (digits.length === 15) return [digits.slice(0, 4), digits.slice(4, 10), digits.slice(10)];
	if (digits.length === 13) return [digits.slice(0, 4), digits.slice(4, 7), digits.slice(7, 10), digits.slice(10)];
	if (digits.length === 14) return [digits.slice(0, 4), digits.slice(4, 10), digits.slice(10)];
	return digits.match(/.{1,4}/g)!;
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** Returns an expiry in one of the ways in which people and spreadsheets write it. */
export function spellExpiry(dice: Dice, { month, year }: Pick<Card, 'month' | 'year'>): string {
	const short = year.slice(2);
	const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
	return dice.pick([
		`${month}/${short}`,
		`${month}/${short}`,
		`${month}${short}`,
		`${month}/${year}`,
		`${year}-${month}`,
		`${month}-${short}`,
		`${month}.${year}`,
		`${lastDay}.${month}.${year}`,
		`${year}/${month}`,
		`${month}${year}`,
		`${MONTHS[Number(month) - 1]}-${short}`,
		`${year}-${month}-${lastDay}`,
		// Excel counts days from the end of 1899.
		String(Math.round(Date.UTC(Number(year), Number(month) - 1, lastDay) / 86_400_000) + 25_569),
	]);
}

/** Returns a number with a wrong check digit. */
export function brokenNumber(dice: Dice): string {
	const { digits } = dice.pick(TEST_NUMBERS);
	const last = (Number(digits.at(-1)) + dice.between(1, 9)) % 10;
	return digits.slice(0, -1) + last;
}

/** Returns a masked number, which shows the first six and the last four digits. */
export function maskedNumber(dice: Dice): string {
	const { digits } = dice.pick(TEST_NUMBERS);
	const sign = dice.pick(['*', 'X', 'x', '#']);
	return digits.slice(0, 6) + sign.repeat(digits.length - 10) + digits.slice(-4);
}
