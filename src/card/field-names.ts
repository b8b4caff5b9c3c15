// What files and messages call the fields of a card: one table for every format, preset and check (docs/formats/names.md).

/** The fields of a card that a name may stand for. `expiry` is a whole date; `month` and `year` are its parts. */
export const CARD_FIELDS = ['number', 'expiry', 'month', 'year', 'cvv', 'type', 'name', 'reference'] as const;
export type CardField = (typeof CARD_FIELDS)[number];

/** What a name stands for. */
export interface FieldMeaning {
	readonly field: CardField;
	/**
	 * True for a name that says by itself that it belongs to a card (`Card No.`, `cvv2`). False for a name that does so
	 * only beside or inside something that says card (`number` in a `card` object, `Expiry` beside a card number).
	 */
	readonly isSure: boolean;
}

/** Words for a card, as the first or the last part of a name. */
const CARD_WORDS = [
	...['card', 'cc', 'creditcard', 'debitcard', 'paymentcard', 'bankcard', 'cardaccount', 'virtualcard', 'vcc', 'ccard'],
	...['karte', 'karten', 'kreditkarte', 'kreditkarten', 'zahlungskarte', 'bankkarte'],
	...['carte', 'cartebancaire', 'cartecredit', 'cartedecredit', 'cb'],
	...['tarjeta', 'tarjetacredito', 'tarjetadecredito', 'tarjetabancaria', 'tarjetadepago'],
	...['carta', 'cartacredito', 'cartadicredito', 'cartapagamento', 'cartadipagamento'],
	...['cartao', 'cartaocredito', 'cartaodecredito', 'cartaopagamento'],
];

const NUMBER_WORDS = ['number', 'numbr', 'no', 'nr', 'nbr', 'num', 'nummer', 'numero', 'nro', 'nu', 'n', 'pan'];
/** What stands between the words of a name in Romance languages: numéro de la carte. */
const JOINTS = ['', 'de', 'dela', 'della', 'di', 'da', 'do', 'del', 'du', 'd'];

const EXPIRY_WORDS = ['expiry', 'expirydate', 'expirationdate', 'expiration', 'expiredate', 'expire', 'expires', 'exp'];
const EXPIRY_STEMS = ['expiry', 'expiration', 'expire', 'exp', 'expirydate', 'expirationdate', 'expiredate', 'valid'];
const MONTH_WORDS = ['month', 'mm', 'mo', 'mon', 'mth', 'monat', 'mois', 'mes', 'mese'];
const YEAR_WORDS = ['year', 'yy', 'yyyy', 'yr', 'jahr', 'annee', 'ano', 'anno'];
const CVV_WORDS = ['cvv', 'cvv2', 'cvc', 'cvc2', 'cid', 'csc', 'cvn', 'cvd', 'cav2'];

const across = (...parts: readonly (readonly string[])[]): readonly string[] =>
	parts.reduce<readonly string[]>((names, words) => names.flatMap((name) => words.map((word) => name + word)), ['']);

/** Names that say card by themselves. */
const SURE: Record<CardField, readonly string[]> = {
	number: [...across(CARD_WORDS, NUMBER_WORDS), ...across(NUMBER_WORDS, JOINTS, CARD_WORDS), 'pan', 'fopnumber'],
	expiry: [...across(CARD_WORDS, EXPIRY_WORDS)],
	month: [...across(CARD_WORDS, EXPIRY_STEMS, MONTH_WORDS)],
	year: [...across(CARD_WORDS, EXPIRY_STEMS, YEAR_WORDS)],
	cvv: [...CVV_WORDS, ...across(CARD_WORDS, CVV_WORDS), 'securitycode', 'cardsecuritycode'],
	type: across(CARD_WORDS, ['type', 'code', 'brand', 'scheme', 'network']),
	name: [...across(CARD_WORDS, ['holder', 'holdername', 'name', 'owner']), 'nameoncard'],
	reference: across(CARD_WORDS, ['reference', 'ref']),
};

/** Names that mean a field of a card only where something else says card. */
const IN_CONTEXT: Record<CardField, readonly string[]> = {
	number: [...CARD_WORDS, 'number', 'no', 'nr', 'num', 'account', 'accountnumber', 'acctnbr'],
	expiry: [...EXPIRY_WORDS, 'validthru', 'validuntil', 'gultigbis', 'gueltigbis'],
	month: [...MONTH_WORDS, ...across(EXPIRY_STEMS, MONTH_WORDS)],
	year: [...YEAR_WORDS, ...across(EXPIRY_STEMS, YEAR_WORDS)],
	cvv: ['security', 'verification'],
	type: ['type', 'brand', 'network', 'scheme', 'vendor'],
	name: ['name', 'holder', 'holdername', 'owner'],
	reference: ['reference', 'ref'],
};

/**
 * A name without what does not count in it: case, blanks, punctuation, camel case and accents. `Numéro de carte`,
 * `NUMERO_DE_CARTE` and `numeroDeCarte` are one name.
 */
export function foldFieldName(name: string): string {
	return name
		.normalize('NFKD')
		.replace(/ß/g, 'ss')
		.replace(/[^\p{L}\p{Nd}]/gu, '')
		.toLowerCase();
}

const MEANINGS = new Map<string, FieldMeaning>();
for (const [names, isSure] of [
	[SURE, true],
	[IN_CONTEXT, false],
] as const) {
	for (const field of CARD_FIELDS) {
		for (const name of names[field]) if (!MEANINGS.has(name)) MEANINGS.set(name, { field, isSure });
	}
}

/** What a name of a column, key, element, attribute or form field stands for; undefined when it is no card field's. */
export function findFieldMeaning(name: string): FieldMeaning | undefined {
	return MEANINGS.get(foldFieldName(name));
}
