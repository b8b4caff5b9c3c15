// Lists the card types (shapes §2) and the ranges of numbers by which their brands are recognised.

/** Every card type by its wire name. Sealed pages store the index, so new types are only appended. */
export const CARD_TYPES = [
	...(['Unspecified', 'AMEX', 'BC', 'CartaSi', 'Dankort', 'Delta', 'DinersClub', 'Discover', 'Electron'] as const),
	...(['Elo', 'enRoute', 'Hipercard', 'JCB', 'Maestro', 'MasterCard', 'Switch', 'Troy', 'UATP'] as const),
	...(['UnionPay', 'Visa', 'Mir', 'RuPay', 'Verve', 'Mada', 'CartesBancaires', 'Uzcard', 'Humo'] as const),
	...(['Napas', 'PayPak', 'ArCa', 'Belkart', 'Prostir'] as const),
];
export type CardType = (typeof CARD_TYPES)[number];

/** A card type as its position in `CARD_TYPES`; 0 is `Unspecified`. */
export type CardTypeIndex = number;

/**
 * The ranges of each brand: the brand, the lengths of its numbers, and the first digits of its ranges. A second brand
 * behind a plus is also printed on these cards, and the cardholder may choose between the two (regulation (EU) 2015/751,
 * article 8, for cards of the European Economic Area). The first line that fits decides, so narrower ranges come first.
 *
 * The sources are public: the library credit-card-type, with which a test compares the table; Wikipedia's "Payment card
 * number" for Verve, Dankort, JCB with 15 digits and the national brands of Asia; NPCI's ranges for RuPay; and for Mada
 * the numbers that Saudi payment providers list for their clients.
 */
const RANGES = `
Elo+Visa 16 401178-401179 431274 438935 451416 457393 457631-457632
Elo 16 504175 506699-506778 509 627780 636297 636368; Verve 16,18-19 506099-506198 507865-507964 650002-650027
Troy 16 650052 650082-650083 650092 650161 650170 650173 650175 650268 650271 650273-650274 650456-650457 650836
Troy 16 650846-650850 650923 650987 650990 654997 657366 657998 658758 658767-658768 9792
Elo 16 650031-650033 650035-650051 650405-650439 650485-650538 650541-650598 650700-650718 650720-650727
Elo 16 650901-650978 651652-651679 655000-655019 655021-655058
Hipercard 16 606282 637095 637568 637599 637609 637612; Hipercard 16,19 3841
RuPay 16 508227 5085-5089 603741 606985-607984 608001-608500 652150-653149 8172-8299
Visa+Mada 16 400861 401757 407197 407395 409201 410685 417633 419593 422817-422819 428331 428671-428673 431361
Visa+Mada 16 432328 434107 437980 439954 439956 440533 440647 440795 445564 446393 446404 446672 455036 455708
Visa+Mada 16 457865 458456 462220 468540-468543 483010-483012 484783 486094-486096 489317 489319 490980 493428
MasterCard+Mada 16 521076 524514 527016 529415 529741 530906 531095 532013 535825 535989 536023 537767 539931
MasterCard+Mada 16 543085 543357 549760 557606 558848; Mada 16 9682
Maestro+Mada 16 504300 508160 585265 588845-588851 588982-588983 589005 589206 604906 605141 636120
Dankort 16 5019; Visa+Dankort 16 4571; enRoute 15 2014 2149; AMEX 15 34 37; JCB 15 1800 2131; JCB 16-19 3528-3589
DinersClub 14-19 300-305 3095 36 38-39; UnionPay+Discover 16-19 622126-622925; UnionPay 14-19 62 810-8171
Discover 16-19 6011 644-649 65; Mir 16-19 2200-2204; PayPak 16 2205; MasterCard 16 2221-2720 51-55
Uzcard 16 8600; ArCa 16 9051; Belkart 16 9112; Napas 16,19 9704; Prostir 16 9804; Humo 16 9860
Switch 18-19 490302-490335; Switch 16,18-19 633110-633349; Maestro 12-19 50 56-58 6
Visa 13,16,18-19 4; UATP 15 1`;

/** The other brands that a number may have if a file or caller states the first type: many cards are co-branded. */
const ALSO = `
Electron Visa; Delta Visa; CartaSi Visa MasterCard; Dankort Visa; Elo Visa Maestro Discover; Switch Maestro
Hipercard Maestro DinersClub; Maestro MasterCard Switch RuPay Verve; Troy Discover MasterCard; enRoute DinersClub
Discover DinersClub UnionPay JCB Elo Troy RuPay Verve; DinersClub MasterCard Discover; UnionPay Maestro Discover
BC Visa MasterCard JCB UnionPay DinersClub AMEX Maestro; UATP JCB; Mir Maestro MasterCard UnionPay JCB AMEX
RuPay Maestro Discover JCB UnionPay; Verve Maestro Discover MasterCard Visa; Mada Visa MasterCard Maestro
CartesBancaires Visa MasterCard Maestro DinersClub Discover; Uzcard Maestro MasterCard UnionPay Visa
Humo Maestro MasterCard UnionPay Visa; Napas Visa MasterCard JCB; PayPak MasterCard JCB UnionPay
ArCa Visa MasterCard Maestro Mir; Belkart Maestro MasterCard Mir UnionPay; Prostir Visa MasterCard`;

/** The names by which cardholders know card types, if they differ from those on the wire. */
const LABELS: Partial<Record<CardType, string>> = {
	AMEX: 'American Express',
	BC: 'BC Card',
	CartesBancaires: 'Cartes Bancaires',
	Delta: 'Visa Delta',
	DinersClub: 'Diners Club',
	Electron: 'Visa Electron',
	Mada: 'mada',
	MasterCard: 'Mastercard',
	Napas: 'NAPAS',
};

/** Returns the name of a card type as cardholders know it. */
export function brandLabel(type: CardType): string {
	return LABELS[type] ?? type;
}

export interface BrandRange {
	readonly type: CardType;
	/** The second brand of the card, of which the cardholder may choose one. */
	readonly second: CardType | undefined;
	/** The lowest and the highest first six digits of the range, both inclusive. */
	readonly from: number;
	readonly to: number;
	/** The lengths of its numbers, as bits. */
	readonly lengths: number;
	readonly index: CardTypeIndex;
}

/** Returns the words of each row of a table. Line ends and semicolons divide rows. */
export const rowsOf = (table: string) =>
	table
		.trim()
		.split(/\n|; /)
		.map((row) => row.split(' '));

function indexOf(type: string): CardTypeIndex {
	const index = CARD_TYPES.indexOf(type as CardType);
	if (index === -1) throw new Error(`internal error: ${type} is no card type`);
	return index;
}

/** Returns both ends of `506099-506198` or `18-19`; those of `34` are the same. */
function endsOf(text: string): readonly [first: string, last: string] {
	const [first, last = first] = text.split('-');
	return [first, last];
}

/** Returns the bits of all lengths from the first to the last. */
function lengthBits(text: string): number {
	const [least, most] = endsOf(text).map(Number);
	return (2 << most) - (1 << least);
}

/** Lists the ranges in the order in which they are tried. */
export const BRAND_RANGES: readonly BrandRange[] = rowsOf(RANGES).flatMap(([types, lengthText, ...prefixes]) => {
	const [index, second] = types.split('+').map(indexOf);
	const lengths = lengthText.split(',').reduce((bits, text) => bits | lengthBits(text), 0);
	return prefixes.map((prefix) => {
		const [from, to] = endsOf(prefix).map((end, i) => Number(end.padEnd(6, i === 0 ? '0' : '9')));
		return { type: CARD_TYPES[index], second: CARD_TYPES[second], from, to, lengths, index };
	});
});

/** Maps the first three digits of a card to the ranges that contain numbers with these digits, narrowest first. */
const RANGES_BY_PREFIX: readonly BrandRange[][] = Array.from({ length: 1000 }, () => []);
for (const range of BRAND_RANGES) {
	const last = Math.floor(range.to / 1000);
	for (let prefix = Math.floor(range.from / 1000); prefix <= last; prefix++) RANGES_BY_PREFIX[prefix].push(range);
}

/** Maps the first three digits to the possible lengths, as bits, so that numbers of other lengths are refused quickly. */
const LENGTHS_BY_PREFIX = Int32Array.from(RANGES_BY_PREFIX, (ranges) =>
	ranges.reduce((bits, { lengths }) => bits | lengths, 0),
);
const FEWEST_DIGITS = 12;
const MOST_DIGITS = 19;

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
	if (count < FEWEST_DIGITS || count > MOST_DIGITS) return 0;
	let prefix = 0;
	for (let i = start; i < start + 6; i++) prefix = prefix * 10 + digits[i] - 48;
	const ranges = RANGES_BY_PREFIX[Math.trunc(prefix / 1000)];
	for (let i = 0; i < ranges.length; i++) {
		const range = ranges[i];
		if (prefix >= range.from && prefix <= range.to && (range.lengths & (1 << count)) !== 0) return range.index;
	}
	return 0;
}

/** Returns the brands of a range with two, between which the holder of this number may choose; otherwise an empty list. */
export function coBadgesOf(digits: string): readonly CardType[] {
	const prefix = Number(digits.slice(0, 6));
	const range = BRAND_RANGES.find(({ second, from, to }) => second !== undefined && prefix >= from && prefix <= to);
	return range?.second === undefined ? [] : [range.type, range.second];
}

const PLAUSIBLE = new Uint8Array(CARD_TYPES.length * CARD_TYPES.length);
for (const [type, ...others] of rowsOf(ALSO)) {
	for (const other of others) PLAUSIBLE[indexOf(type) * CARD_TYPES.length + indexOf(other)] = 1;
}

/**
 * Tells whether a number of brand `actual` may have the type `named` (spec §2.4). The type `Unspecified` fits every
 * number.
 */
export function isTypePlausible(named: CardTypeIndex, actual: CardTypeIndex): boolean {
	return named === 0 || named === actual || PLAUSIBLE[named * CARD_TYPES.length + actual] === 1;
}

const CARTES_BANCAIRES = indexOf('CartesBancaires');

/**
 * Returns the brands that a card of this number may bear, of which its holder may choose one: the brand of the number, and
 * the second one of its range. Cartes Bancaires stands on many French cards of Visa, Mastercard and Maestro; as no public
 * range tells these cards from others, it may be chosen with any of the three.
 */
export function choicesOf(digits: string, brand: CardType): readonly CardType[] {
	if (brand === 'Unspecified') return [];
	const inRange = coBadgesOf(digits);
	const choices = inRange.length > 0 ? inRange : [brand];
	return FRENCH.has(brand) ? [...choices, 'CartesBancaires'] : choices;
}

/** The brands beside which the mark of Cartes Bancaires is printed. */
const FRENCH: ReadonlySet<CardType> = new Set(['Visa', 'MasterCard', 'Maestro'] as const);

/**
 * Returns the type under which a card is stored: the one that its file or caller names, otherwise its brand. The code CB
 * is the French mark beside that of Visa or Mastercard, and Carte Blanche on a number of Diners Club, so that the brand of
 * the number says more.
 */
export function typeToStore(named: CardTypeIndex | undefined, brand: CardTypeIndex): CardTypeIndex {
	return named === undefined || named === CARTES_BANCAIRES ? brand : named;
}
