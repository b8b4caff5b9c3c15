// Lists the card types (shapes §2), the two-letter codes that travel systems write for them, and the number ranges by
// which the brands are recognised.

/** Every card type by its wire name. Sealed pages store the index, so new types are only appended. */
export const CARD_TYPES = [
	'Unspecified',
	'AMEX',
	'BC',
	'CartaSi',
	'Dankort',
	'Delta',
	'DinersClub',
	'Discover',
	'Electron',
	'Elo',
	'enRoute',
	'Hipercard',
	'JCB',
	'Maestro',
	'MasterCard',
	'Switch',
	'Troy',
	'UATP',
	'UnionPay',
	'Visa',
] as const;
export type CardType = (typeof CARD_TYPES)[number];

/** A card type as its position in `CARD_TYPES`; 0 is `Unspecified`. */
export type CardTypeIndex = number;

/**
 * GDS codes (shapes §2, formats §1), and the codes that agencies' systems write instead: those of the Open Travel
 * Alliance (DN, MA, VE, CU) and for debit cards (MD, VD). `CB` (Carte Blanche) shares Diners' ranges and has no type of
 * its own.
 */
const GDS_CODES: Record<string, CardType> = {
	AX: 'AMEX',
	VI: 'Visa',
	CA: 'MasterCard',
	MC: 'MasterCard',
	IK: 'MasterCard',
	EC: 'MasterCard',
	DC: 'DinersClub',
	CB: 'DinersClub',
	DS: 'Discover',
	JC: 'JCB',
	JB: 'JCB',
	TP: 'UATP',
	TO: 'Maestro',
	UP: 'UnionPay',
	BC: 'BC',
	SW: 'Switch',
	XS: 'Unspecified',
	DN: 'DinersClub',
	MA: 'Maestro',
	MD: 'MasterCard',
	VE: 'Electron',
	VD: 'Delta',
	CU: 'UnionPay',
};

/** The two-letter codes of `GDS_CODES`, for scanners that accept only known codes. */
export const GDS_CARD_CODES: readonly string[] = Object.keys(GDS_CODES);

const ALIASES: Record<string, CardType> = {
	americanexpress: 'AMEX',
	diners: 'DinersClub',
	dinersclubinternational: 'DinersClub',
	visaelectron: 'Electron',
	visadelta: 'Delta',
	mastercard: 'MasterCard',
	eurocard: 'MasterCard',
	airplus: 'UATP',
	chinaunionpay: 'UnionPay',
	cup: 'UnionPay',
	solo: 'Switch',
};

const INDEX_BY_NAME = new Map<string, CardTypeIndex>();
for (const [index, name] of CARD_TYPES.entries()) INDEX_BY_NAME.set(name.toLowerCase(), index);
for (const [name, type] of [...Object.entries(GDS_CODES), ...Object.entries(ALIASES)]) {
	if (!INDEX_BY_NAME.has(name.toLowerCase())) INDEX_BY_NAME.set(name.toLowerCase(), CARD_TYPES.indexOf(type));
}

/** Finds the card type that a caller or a file named, by wire name, GDS code or usual alias. */
export function findCardType(name: string): CardTypeIndex | undefined {
	return INDEX_BY_NAME.get(name.replace(/[\s_.-]/g, '').toLowerCase());
}

interface Range {
	readonly type: CardType;
	/** The lowest and the highest first six digits of the range, both inclusive. */
	readonly from: number;
	readonly to: number;
	readonly lengths: readonly number[];
}

const range = (type: CardType, from: number, to: number, ...lengths: number[]): Range => ({ type, from, to, lengths });

/** Lists the number ranges. The first range that matches decides the brand, so narrower ranges come first. */
export const BRAND_RANGES: readonly Range[] = [
	range('Elo', 401178, 401179, 16),
	range('Elo', 431274, 431274, 16),
	range('Elo', 438935, 438935, 16),
	range('Elo', 451416, 451416, 16),
	range('Elo', 457393, 457393, 16),
	range('Elo', 457631, 457632, 16),
	range('Elo', 504175, 504175, 16),
	range('Elo', 506699, 506778, 16),
	range('Elo', 509000, 509999, 16),
	range('Elo', 627780, 627780, 16),
	range('Elo', 636297, 636297, 16),
	range('Elo', 636368, 636368, 16),
	range('Troy', 650052, 650052, 16),
	range('Troy', 650082, 650083, 16),
	range('Troy', 650092, 650092, 16),
	range('Troy', 650161, 650161, 16),
	range('Troy', 650170, 650170, 16),
	range('Troy', 650173, 650173, 16),
	range('Troy', 650175, 650175, 16),
	range('Troy', 650268, 650268, 16),
	range('Troy', 650271, 650271, 16),
	range('Troy', 650273, 650274, 16),
	range('Troy', 650456, 650457, 16),
	range('Troy', 650836, 650836, 16),
	range('Troy', 650846, 650850, 16),
	range('Troy', 650923, 650923, 16),
	range('Troy', 650987, 650987, 16),
	range('Troy', 650990, 650990, 16),
	range('Troy', 654997, 654997, 16),
	range('Troy', 657366, 657366, 16),
	range('Troy', 657998, 657998, 16),
	range('Troy', 658758, 658758, 16),
	range('Troy', 658767, 658768, 16),
	range('Elo', 650031, 650033, 16),
	range('Elo', 650035, 650051, 16),
	range('Elo', 650405, 650439, 16),
	range('Elo', 650485, 650538, 16),
	range('Elo', 650541, 650598, 16),
	range('Elo', 650700, 650718, 16),
	range('Elo', 650720, 650727, 16),
	range('Elo', 650901, 650978, 16),
	range('Elo', 651652, 651679, 16),
	range('Elo', 655000, 655019, 16),
	range('Elo', 655021, 655058, 16),
	range('Hipercard', 606282, 606282, 16),
	range('Hipercard', 384100, 384199, 16, 19),
	range('Dankort', 501900, 501999, 16),
	range('Troy', 979200, 979289, 16),
	range('enRoute', 201400, 201499, 15),
	range('enRoute', 214900, 214999, 15),
	range('AMEX', 340000, 349999, 15),
	range('AMEX', 370000, 379999, 15),
	range('DinersClub', 300000, 305999, 14, 15, 16, 17, 18, 19),
	range('DinersClub', 309500, 309599, 14, 15, 16, 17, 18, 19),
	range('DinersClub', 360000, 369999, 14, 15, 16, 17, 18, 19),
	range('DinersClub', 380000, 399999, 14, 15, 16, 17, 18, 19),
	range('JCB', 352800, 358999, 16, 17, 18, 19),
	range('Discover', 601100, 601199, 16, 17, 18, 19),
	range('Discover', 644000, 659999, 16, 17, 18, 19),
	range('UnionPay', 620000, 629999, 16, 17, 18, 19),
	range('UnionPay', 810000, 817199, 16, 17, 18, 19),
	range('MasterCard', 222100, 272099, 16),
	range('MasterCard', 510000, 559999, 16),
	range('Switch', 490302, 490335, 18, 19),
	range('Switch', 633110, 633349, 16, 18, 19),
	range('Maestro', 500000, 509999, 12, 13, 14, 15, 16, 17, 18, 19),
	range('Maestro', 560000, 589999, 12, 13, 14, 15, 16, 17, 18, 19),
	range('Maestro', 600000, 699999, 12, 13, 14, 15, 16, 17, 18, 19),
	range('Visa', 400000, 499999, 13, 16, 18, 19),
	range('UATP', 100000, 199999, 15),
];

/**
 * Maps the card type that a file or caller states to the other brands that the number may have: many cards are
 * co-branded, and some brands were renamed.
 */
const ALSO: Partial<Record<CardType, readonly CardType[]>> = {
	Electron: ['Visa'],
	Delta: ['Visa'],
	CartaSi: ['Visa', 'MasterCard'],
	Dankort: ['Visa'],
	Elo: ['Visa', 'Maestro', 'Discover'],
	Hipercard: ['Maestro', 'DinersClub'],
	Maestro: ['MasterCard', 'Switch'],
	Switch: ['Maestro'],
	Troy: ['Discover', 'MasterCard'],
	Discover: ['DinersClub', 'UnionPay', 'JCB', 'Elo', 'Troy'],
	DinersClub: ['MasterCard', 'Discover'],
	UnionPay: ['Maestro', 'Discover'],
	BC: ['Visa', 'MasterCard', 'JCB', 'UnionPay', 'DinersClub', 'AMEX', 'Maestro'],
	enRoute: ['DinersClub'],
};

/** Maps the first three digits of a card to the ranges that contain numbers with these digits, narrowest first. */
const RANGES_BY_PREFIX: readonly (readonly Range[])[] = Array.from({ length: 1000 }, (_, prefix) =>
	BRAND_RANGES.filter(
		(candidate) => Math.floor(candidate.from / 1000) <= prefix && Math.floor(candidate.to / 1000) >= prefix,
	),
);

/**
 * Maps the first three digits of a card to the lengths that it may have, as bits, so that numbers of other lengths are
 * refused quickly.
 */
const LENGTHS_BY_PREFIX = Int32Array.from(RANGES_BY_PREFIX, (candidates) =>
	candidates.flatMap(({ lengths }) => lengths).reduce((bits, length) => bits | (1 << length), 0),
);

/**
 * Returns a number with bit `n` set if a card that begins with the three ASCII digits at `start` may have `n` digits; 0
 * means that no card begins with them.
 */
export function possibleLengths(digits: Uint8Array, start: number): number {
	return LENGTHS_BY_PREFIX[digits[start] * 100 + digits[start + 1] * 10 + digits[start + 2] - 48 * 111];
}

/**
 * Returns the brand of `count` ASCII digits at `start`, by number range and length, or 0 (`Unspecified`) if no range
 * fits. It is called for every card of a file, so it allocates nothing.
 */
export function brandOf(digits: Uint8Array, start: number, count: number): CardTypeIndex {
	if (count < 12) return 0;
	let prefix = 0;
	for (let i = start; i < start + 6; i++) prefix = prefix * 10 + digits[i] - 48;
	const candidates = RANGES_BY_PREFIX[Math.trunc(prefix / 1000)];
	for (let i = 0; i < candidates.length; i++) {
		const candidate = candidates[i];
		if (prefix >= candidate.from && prefix <= candidate.to && candidate.lengths.includes(count)) {
			return INDEX_BY_TYPE[candidate.type];
		}
	}
	return 0;
}

const INDEX_BY_TYPE = Object.fromEntries(CARD_TYPES.map((name, index) => [name, index])) as Record<CardType, number>;

/**
 * Tells whether a number of brand `actual` may have the type `named` (spec §2.4). The type `Unspecified` fits every
 * number.
 */
export function isTypePlausible(named: CardTypeIndex, actual: CardTypeIndex): boolean {
	return named === 0 || named === actual || PLAUSIBLE[named * CARD_TYPES.length + actual] === 1;
}

const PLAUSIBLE = new Uint8Array(CARD_TYPES.length * CARD_TYPES.length);
for (const [type, others] of Object.entries(ALSO)) {
	for (const other of others) PLAUSIBLE[INDEX_BY_TYPE[type as CardType] * CARD_TYPES.length + INDEX_BY_TYPE[other]] = 1;
}
