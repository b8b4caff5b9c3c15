// Makes decoys, which are numbers of the trade that are no cards: tickets, flyers, phones, IBANs, bookings, hashes, amounts
// and masked numbers.

import { maskedNumber } from './cards.ts';
import type { Dice } from './dice.ts';
import type { Mark } from './draft.ts';

/** The kinds of decoys, each with a function that makes one. */
export const DECOYS: Record<string, (dice: Dice) => string> = {
	ticket: (dice) => `${dice.pick(AIRLINES)}${dice.pick(['', '-', ' '])}${dice.digits(10)}`,
	conjunction: (dice) => `${dice.pick(AIRLINES)}-${dice.digits(10)}-${dice.digits(2)}`,
	flyer: (dice) => `${dice.letters(2)}${dice.digits(dice.between(9, 12))}`,
	phone: (dice) => `+${dice.pick(['49', '33', '34', '39', '351', '44', '1'])} ${dice.digits(3)} ${dice.digits(7)}`,
	phoneDigits: (dice) => `00${dice.pick(['49', '33', '34', '39', '44'])}${dice.digits(10)}`,
	iban: (dice) => iban(dice),
	booking: (dice) => dice.digits(dice.between(8, 12)),
	locator: (dice) => dice.locator(),
	invoice: (dice) => `RE-2026-${dice.digits(6)}`,
	hash: (dice) => Array.from({ length: 40 }, () => '0123456789abcdef'[dice.below(16)]).join(''),
	amount: (dice) => `${dice.between(1, 9999)}.${dice.digits(2)}`,
	stamp: (dice) => `2026${dice.digits(10)}`,
	masked: maskedNumber,
};

const AIRLINES = ['160', '220', '057', '125', '075', '047', '081', '235', '618', '784', '479', '555'];

function iban(dice: Dice): string {
	const [country, length] = dice.pick([
		['DE', 18],
		['FR', 23],
		['ES', 20],
	] as const);
	const digits = dice.digits(length);
	const checked = `${digits}${[...country].map((letter) => letter.charCodeAt(0) - 55).join('')}00`;
	const check = String(98n - (BigInt(checked) % 97n)).padStart(2, '0');
	const whole = `${country}${check}${digits}`;
	return dice.percent(40) ? whole.match(/.{1,4}/g)!.join(' ') : whole;
}

/** Returns a marked decoy of one of these kinds, or of any kind. */
export function decoy(dice: Dice, name: string, kinds: readonly string[] = Object.keys(DECOYS)): Mark {
	const kind = dice.pick(kinds);
	return { raw: DECOYS[kind](dice), kind: 'decoy', isKnown: false, what: `decoy: ${kind}`, name, card: 0 };
}
