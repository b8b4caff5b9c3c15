// Makes numbers of the travel trade that are no card numbers, on the lines on which hosts and agents write them. Airlines
// have codes like those of cards (CA, TP, VI, JC, AX …), so they stand before most of the numbers here.

/** A stream of pseudo-random numbers that is the same every time (xorshift). */
export class Dice {
	#state: number;

	constructor(seed: number) {
		this.#state = seed | 1;
	}

	below(limit: number): number {
		this.#state ^= this.#state << 13;
		this.#state ^= this.#state >>> 17;
		this.#state ^= this.#state << 5;
		return (this.#state >>> 0) % limit;
	}

	pick<T>(list: readonly T[]): T {
		return list[this.below(list.length)];
	}

	digits(count: number): string {
		let text = '';
		while (text.length < count) text += this.below(10);
		return text;
	}
}

/** Designators of airlines, most of which are also codes of cards. */
const DESIGNATORS = [
	...[
		'CA',
		'TP',
		'VI',
		'JC',
		'AX',
		'DC',
		'DS',
		'MC',
		'UP',
		'TO',
		'BC',
		'EC',
		'IK',
		'JB',
		'SW',
		'MA',
		'MD',
		'CB',
		'CU',
		'VE',
	],
	...['VD', 'DN', 'XS', 'CC', 'CX', 'AF', 'LH', 'BA', 'U2', '3U'],
];
/** Designators with the airline's own number, which tickets begin with. */
const AIRLINES = [
	...[
		'CA999',
		'TP047',
		'VI412',
		'AX414',
		'UP111',
		'TO979',
		'MD258',
		'MA182',
		'SW186',
		'CU136',
		'CX160',
		'CC318',
		'AF057',
	],
	...['LH220', 'BA125', 'XS479', 'EC888', 'JC234', 'DC881', 'DS667', 'MC555'],
];
const SEPARATORS = ['', '', ' ', ' ', '/', '-', '*', '+', ':', '.', ': ', '  '];
/** IBANs without their check digits: the country and the characters behind the check digits, with `9` for any digit. */
const IBANS = [
	'DE999999999999999999',
	'FR99999999999A99999999999',
	'MC9999999999999999999999',
	'MD9A999999999999999999',
	'GB9999NWBK99999999999999',
];

/** A number with what stands before it as `text`, and its digits alone. */
export interface TradeNumber {
	readonly text: string;
	readonly digits: string;
}

const NUMBERS: readonly ((dice: Dice) => string)[] = [
	(dice) => ticket(dice, `${dice.pick(DESIGNATORS)}${dice.pick(SEPARATORS)}`, dice.digits(3)),
	(dice) => ticket(dice, `${dice.pick(DESIGNATORS)}${dice.pick(SEPARATORS)}`, dice.digits(3)),
	(dice) => {
		const airline = dice.pick(AIRLINES);
		return ticket(dice, `${airline.slice(0, 2)}${dice.pick(SEPARATORS)}`, airline.slice(2));
	},
	// This is the number of a ticket with its check digit.
	(dice) => {
		const airline = dice.pick(AIRLINES);
		const number = airline.slice(2) + dice.digits(10);
		return `${airline.slice(0, 2)}${dice.pick(SEPARATORS)}${number}${BigInt(number) % 7n}`;
	},
	// These are the numbers of an electronic miscellaneous document and of an air waybill.
	(dice) => `TMCD${dice.digits(3)}-${dice.digits(10)};;D1`,
	(dice) => `AWB ${dice.pick(DESIGNATORS)} ${dice.digits(3)}-${dice.digits(8)}`,
	// These are the numbers of frequent flyers.
	(dice) => `FQTV ${dice.pick(DESIGNATORS)} HK1/${dice.pick(DESIGNATORS)}${dice.digits(8 + dice.below(4))}`,
	(dice) => `FQTV AF HK1/AF${dice.digits(16)}`,
	// These are phone numbers.
	(dice) => `CTCP ${dice.pick(DESIGNATORS)} +${dice.digits(2)} ${dice.digits(3)} ${dice.digits(7)}`,
	(dice) => `CTCP ${dice.pick(DESIGNATORS)} 00${dice.digits(12)}`,
	(dice) =>
		`CTCM ${dice.pick(DESIGNATORS)}${dice.pick(SEPARATORS)}${dice.digits(2)}-${dice.digits(3)}-${dice.digits(4)}-${dice.digits(4)}`,
	// These are the numbers of bookings, confirmations, invoices, passports, national identities and bank accounts.
	(dice) => `REF ${dice.pick(DESIGNATORS)}${dice.pick(SEPARATORS)}${dice.digits(6 + dice.below(7))}`,
	(dice) => `CF-${dice.digits(10)}`,
	(dice) => `RE-2026${dice.digits(9)}`,
	(dice) => `FOID 3U HK1/NI${dice.digits(18)}`,
	(dice) => `FOID ${dice.pick(DESIGNATORS)} HK1/PP${dice.digits(9)}`,
	(dice) => {
		const iban = withCheckDigits(dice.pick(IBANS).replace(/9/g, () => dice.digits(1)));
		return `IBAN ${dice.below(2) ? iban : iban.replace(/.{4}(?!$)/g, '$& ')}`;
	},
];

function ticket(dice: Dice, designator: string, airline: string): string {
	const serial = dice.digits(10);
	const number = dice.pick([`${airline}${serial}`, `${airline}-${serial}`, `${airline} ${serial}`]);
	return designator + number + dice.pick(['', '', `-${dice.digits(2)}`, `/${dice.digits(2)}`, 'E1', '/S2']);
}

/** Inserts the check digits (ISO 13616) into an IBAN that has none. */
function withCheckDigits(account: string): string {
	const [country, rest] = [account.slice(0, 2), account.slice(2)];
	const value = [...`${rest}${country}00`].map((character) => Number.parseInt(character, 36)).join('');
	return `${country}${String(98n - (BigInt(value) % 97n)).padStart(2, '0')}${rest}`;
}

/** Returns the next number, which may be of any kind. */
export function tradeNumber(dice: Dice): TradeNumber {
	const text = dice.pick(NUMBERS)(dice);
	return { text, digits: longestRun(text) };
}

/** Returns the digits of the longest number in a text, without what groups them. */
function longestRun(text: string): string {
	const runs = text.match(/\d(?:[ .-]?\d)*/g) ?? [];
	return runs
		.map((run) => run.replace(/\D/g, ''))
		.reduce((one, other) => (other.length > one.length ? other : one), '');
}

const AIR_TAGS = [
	'T-K',
	'FO',
	'FA',
	'FB',
	'FE',
	'R-',
	'RM ',
	'RM*',
	'RIU',
	'RIZ ',
	'RC ',
	'SSR ',
	'OSI ',
	'U-1;',
	'I-1;',
	'AP ',
	'H-1;',
	'EMD',
	'FP',
	'Z-FOP-',
];
const IUR_NAMES = [
	'',
	'',
	'M301 ',
	'M401ADT ',
	'M501  XX#',
	'M6ADT ',
	'M701',
	'M801',
	'M901',
	'MA01',
	'MB01',
	'ME01',
	'MX01',
];

/** Returns a whole AIR with a number on each of `count` lines, and calls `see` with every number. */
export function airOfNumbers(dice: Dice, count: number, see: (number: TradeNumber) => void): Buffer {
	const lines = ['AIR-BLK207;7A;;233;0000000000', 'AMD 0100000001;1/1;', '1A1200000', 'MUC1A ABCDEF003'];
	for (let i = 0; i < count; i++) {
		const number = tradeNumber(dice);
		see(number);
		lines.push(dice.pick(AIR_TAGS) + number.text);
	}
	return Buffer.from([...lines, 'ENDX', ''].join('\r\n'));
}

/** Returns a record of an IUR with a number on each of `count` lines, and calls `see` with every number. */
export function iurOfNumbers(dice: Dice, count: number, see: (number: TradeNumber) => void): Buffer {
	const lines = ['AA20NOV0915M0117'];
	for (let i = 0; i < count; i++) {
		const number = tradeNumber(dice);
		see(number);
		lines.push(dice.pick(IUR_NAMES) + number.text);
	}
	return Buffer.from([...lines, 'M999END', ''].join('\r\n'));
}
