// Makes names and references as agencies and programs give them, none of which is a card number.

import type { Dice } from './trade-numbers.ts';

const WORDS = ['booking', 'EXPORT', 'tickets', 'BSP', 'daily', 'Rechnung', 'facturas', 'INV', 'PNR', 'batch', 'report'];
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
const ULID = '0123456789abcdefghjkmnpqrstvwxyz';
const HEX = '0123456789abcdef';

/** The functions that make names, one for each kind, by which bench/numbers-in-names.ts counts refusals. */
export const ORDINARY_NAMES: Record<string, (dice: Dice) => string> = {
	'date and time': (d) => `${d.pick(WORDS)}_${date(d)}${time(d)}.csv`,
	'date and time, to the millisecond': (d) => `${date(d)}${time(d)}${d.digits(3)}.csv`,
	'date and time, divided': (d) => `${d.pick(WORDS)}-${date(d)}-${time(d)}-${d.digits(d.pick([4, 6, 9, 12]))}.csv`,
	'ISO time': (d) => `${d.pick(WORDS)} ${date(d, '-')}T${time(d, '-')}.${d.digits(d.pick([3, 6, 9]))}Z.json`,
	'day first': (d) => `${d.pick(WORDS)} ${two(d, 1, 28)}.${two(d, 1, 12)}.20${two(d, 20, 29)} ${time(d, '.')}.xls`,
	'office, date, counter': (d) => `${d.digits(4)}_${date(d)}_${d.digits(4)}.air`,
	'counter, date, time': (d) => `${d.pick(WORDS)}-${d.digits(d.pick([3, 4, 5, 6, 8]))}-${date(d)}-${time(d)}.txt`,
	'counter of 6 to 12 digits': (d) => `${d.pick(WORDS)}-${d.digits(6 + d.below(7))}.csv`,
	'counter with zeros in front': (d) => d.digits(d.pick([6, 8])).padStart(16, '0'),
	milliseconds: (d) => `${d.pick(WORDS)}.${1_600_000_000_000 + d.below(2 ** 31) * 150}.csv`,
	microseconds: (d) => `${1_600_000_000 + d.below(3e8)}${d.digits(6)}`,
	nanoseconds: (d) => `${1_600_000_000 + d.below(3e8)}${d.digits(9)}.log`,
	ULID: (d) => `daily.${characters(d, ULID, 26)}.csv`,
	UUID: (d) => {
		const [first, second, third, fourth, fifth] = [8, 4, 3, 3, 12].map((count) => characters(d, HEX, count));
		return `${first}-${second}-4${third}-${d.pick(['8', '9', 'a', 'b'])}${fourth}-${fifth}`;
	},
	'hexadecimal of 32': (d) => characters(d, HEX, 32),
	IBAN: (d) => iban(d, d.pick(['DE', 'ES', 'IT', 'AT', 'BE'])),
	'IBAN in fours': (d) => iban(d, 'DE').replace(/(.{4})(?=.)/g, '$1 '),
	'record locator and names': (d) => `${characters(d, LETTERS, 6)} ${d.pick(WORDS)} ${d.digits(5)}/${d.digits(3)}`,
	'reference of parts': (d) => `PNR/20${two(d, 20, 29)}/${d.digits(4)}/${d.digits(4)}`,
	'ticket of an airline': (d) =>
		`${d.pick(['006', '016', '020', '057', '074', '083', '125', '157', '176', '220'])}-${d.digits(10)}`,
	'order of a shop': (d) => `${d.digits(3)}-${d.digits(7)}-${d.digits(7)}`,
	address: (d) => Array.from({ length: 4 }, () => d.below(256)).join('.'),
	version: (d) => Array.from({ length: 4 + d.below(8) }, () => d.below(20)).join('.'),
	phone: (d) => `+${d.pick(['44', '33', '34', '39', '1', '55'])} ${d.digits(3)} ${d.digits(3)} ${d.digits(4)}`,
	'host and port': (d) => `node${d.below(99)}.example.com:${d.below(65_536)}`,
};

function two(dice: Dice, from: number, to: number): string {
	return String(from + dice.below(to - from + 1)).padStart(2, '0');
}

function date(dice: Dice, between = ''): string {
	return [`20${two(dice, 15, 32)}`, two(dice, 1, 12), two(dice, 1, 28)].join(between);
}

function time(dice: Dice, between = ''): string {
	return [two(dice, 0, 23), two(dice, 0, 59), two(dice, 0, 59)].join(between);
}

function characters(dice: Dice, alphabet: string, count: number): string {
	let text = '';
	while (text.length < count) text += alphabet[dice.below(alphabet.length)];
	return text;
}

const IBAN_DIGITS: Record<string, number> = { DE: 18, ES: 20, AT: 16, BE: 12, IT: 22 };

function iban(dice: Dice, country: string): string {
	const account = country === 'IT' ? `X${dice.digits(IBAN_DIGITS.IT)}` : dice.digits(IBAN_DIGITS[country]);
	const spelled = [...`${account}${country}00`].map((character) => Number.parseInt(character, 36)).join('');
	return `${country}${String(98n - (BigInt(spelled) % 97n)).padStart(2, '0')}${account}`;
}
