// What a name of a key, an element or an attribute means to a card scanner, as one number.

import { type CardField, findFieldMeaning, foldFieldName, readFieldName } from '../../src/card/field-names.ts';
import { FIELD, type Field } from './held-card.ts';

/** The field the name stands for. */
export const FIELD_BITS = 15;
/** The name says by itself that it belongs to a card. */
export const SURE = 16;
/** What stands under the name is a card: `card`, `creditCardInfo`. */
export const CARD = 32;
/** A word so common that it is a field of a card at most in one: a `code`, or a month or year that says nothing of an expiry. */
export const BARE = 64;
/** Wraps the value of the field it stands in: `<CardNumber><PlainText>`, `{"cvv": {"value": …}}`. */
export const VALUE = 128;
/** Wraps a token in place of that value. */
export const TOKEN = 256;
/** The name of a field that the options of a folder say nothing of. */
export const UNREAD = 512;

/** Its value names another value beside it: `{"name": "CVC", "value": "123"}`. Not beside `PART` of json/wrap.ts. */
export const PAIR = 2048;
/** A list of the names of columns. */
export const COLUMNS = 4096;

const FIELD_OF: Record<CardField, Field> = {
	number: FIELD.NUMBER,
	expiry: FIELD.EXPIRY,
	month: FIELD.MONTH,
	year: FIELD.YEAR,
	cvv: FIELD.CVV,
	type: FIELD.TYPE,
	name: FIELD.NAME,
	reference: FIELD.REFERENCE,
};

/** Also the name of many another thing: it is the security code only where it looks like one. */
const AMBIGUOUS = new Set(['cid', 'csc']);
const VALUE_WORDS = new Set(['plaintext', 'plain', 'value', 'text', 'clear', 'cleartext', 'clearvalue', 'raw', 'wert']);

/** Names that trees have and no column: OTA and NDC wrap a card's dates. */
const EXPIRY_WRAPS = new Set(['effectiveexpiredate', 'expirydetails', 'cardvalidity']);
/** What American Express calls its security code, CID, written out. */
const CARD_ID_CODES = new Set(['cardidcode', 'cardidentificationcode', 'cardidnumber', 'cardidentificationnumber']);
/** The number is not written out there, whatever stands beside it. */
const HIDDEN = /mask|trunc|obfusc|hidden|encrypt|hash|token|redact|partial/;
/** What a name for a card is put into. */
const PARCEL = /(?:information|infos?|details?|data|records?|forms?|payments?|objects?|elements?|s)$/;
const SHORT_CARDS = new Set(['cc', 'cb', 'crd', 'vcc']);
/** A longer name means nothing, and one with more digits may be a number itself. */
const MAX_CHARACTERS = 64;
const MAX_DIGITS = 6;

/** Whether what stands under a name is a card: `card`, `paymentCard`, `creditCardInfo`, `cards`, `Kreditkarten`. */
function opensCard(folded: string): boolean {
	return [folded, folded.replace(PARCEL, '')].some((name) => {
		if (SHORT_CARDS.has(name)) return true;
		const read = readFieldName(name);
		return read?.field === 'number' && !read.isSure && read.saysCard && !HIDDEN.test(name);
	});
}

/** `cardNumbers`, a list of numbers or a count of them. */
function isPluralNumber(folded: string): boolean {
	if (!folded.endsWith('s') || HIDDEN.test(folded)) return false;
	const one = findFieldMeaning(folded.slice(0, -1));
	return one !== undefined && one.field === 'number' && one.isSure;
}

const PAIR_NAMES = new Set([
	'name',
	'key',
	'label',
	'field',
	'fieldname',
	'title',
	'caption',
	'attribute',
	'parameter',
	'property',
]);
const COLUMN_NAMES = new Set([
	'columns',
	'header',
	'headers',
	'fields',
	'cols',
	'fieldnames',
	'columnnames',
	'spalten',
]);

/** What a name says: what the vocabulary of `field-names.ts` has for it, and what else stands around values; 0 for nothing. */
export function cardNameCode(name: string): number {
	const folded = foldFieldName(name);
	const code = codeOf(name, folded);
	if (PAIR_NAMES.has(folded)) return code | PAIR;
	return COLUMN_NAMES.has(folded) ? COLUMNS : code;
}

function codeOf(name: string, folded: string): number {
	if (name.length > MAX_CHARACTERS || (name.match(/\d/g) ?? []).length > MAX_DIGITS) return 0;
	// A letter is whatever its file wants it to be.
	if (folded.length < 2) return 0;
	if (VALUE_WORDS.has(folded)) return VALUE;
	if (folded === 'token') return TOKEN;
	if (folded === 'code') return FIELD.CVV | BARE;
	if (CARD_ID_CODES.has(folded)) return FIELD.CVV;
	if (EXPIRY_WRAPS.has(folded)) return FIELD.EXPIRY;
	const card = opensCard(folded) ? CARD : 0;
	const meaning = readFieldName(name);
	if (meaning === undefined || meaning.isForeign) return isPluralNumber(folded) ? FIELD.NUMBER | CARD : card;
	const field = FIELD_OF[meaning.field];
	if (field === FIELD.NUMBER && HIDDEN.test(folded)) return 0;
	if (meaning.isSure) return card | field | (AMBIGUOUS.has(folded) ? 0 : SURE);
	return card | field | (meaning.isVague ? BARE : 0);
}
