// A card scanner keeps the meaning of a name (of a key, an element or an attribute) as one number, made of these bits.

import {
	type CardField,
	findFieldMeaning,
	foldFieldName,
	readFieldName,
} from '../../src/base/card/names/field-names.ts';
import { FIELD, type Field } from './held-card.ts';

/** These bits hold the field that the name stands for. */
export const FIELD_BITS = 15;
/** This bit means that the name alone shows that it belongs to a card. */
export const SURE = 16;
/** This bit means that the object or element under the name is a card: `card`, `creditCardInfo`. */
export const CARD = 32;
/**
 * This bit means that the name is a very common word, such as `code`, or a month or year without a word for expiry.
 * Such a name means a field only inside a card.
 */
export const BARE = 64;
/**
 * This bit means that the value under the name is the value of the field around it: `<CardNumber><PlainText>`,
 * `{"cvv": {"value": …}}`.
 */
export const VALUE = 128;
/**
 * This bit means that the value under the name is a token, which replaces the value of the field around it. Together with
 * the field `NUMBER` it means that the value is the number only if it is valid, or a token.
 */
export const TOKEN = 256;
/**
 * This bit means that the options of a folder list other names for the field that has this name, so its value is not
 * read.
 */
export const UNREAD = 512;

/**
 * This bit means that a key inside the object of a field is a part of that field: in `{"expiry": {"month": 12}}` the
 * month belongs to the card around, and not to a card of its own.
 */
export const PART = 1024;

/**
 * This bit means that the value under the name is itself the name of another value next to it:
 * `{"name": "CVC", "value": "123"}`. It is never set together with `PART`.
 */
export const PAIR = 2048;
/** This bit means that the value under the name is a list of column names. */
export const COLUMNS = 4096;

/**
 * This bit means that the name says code and card (`cardCode`). The value under it is the card's type, but three or four
 * digits there are its CVV.
 */
export const CODE = 8192;

export function isDate(field: Field): boolean {
	return field === FIELD.EXPIRY || field === FIELD.MONTH || field === FIELD.YEAR;
}

/** These words are names of many other things too, so a value under one of them must look like a CVV. */
const AMBIGUOUS = new Set(['cid', 'csc']);
const VALUE_WORDS = new Set(['plaintext', 'plain', 'value', 'text', 'clear', 'cleartext', 'clearvalue', 'raw', 'wert']);
/** Programs that convert XML to JSON put the text of an element under one of these keys. */
const TEXT_KEYS = new Set('_ $ $t $text _text __text _cdata __cdata #cdata #cdata-section'.split(' '));

/**
 * OTA and NDC, two standards for travel messages, put a card's dates into elements with these names. Columns never have
 * them.
 */
const EXPIRY_WRAPS = new Set(['effectiveexpiredate', 'expirydetails', 'cardvalidity']);
/** American Express calls its CVV CID; these names spell that out. */
const CARD_ID_CODES = new Set(['cardidcode', 'cardidentificationcode', 'cardidnumber', 'cardidentificationnumber']);
/** In the object of a card, three or four digits under one of these names are its CVV. Amadeus writes `securityId`. */
const CODES_IN_CARD = new Set(['code', 'securityid']);
/**
 * A name that contains one of these words belongs to a number that is masked, hashed or encrypted, not to a clear one.
 */
const HIDDEN = /mask|trunc|obfusc|hidden|encrypt|hash|token|redact|partial/;
/** A name for a card can have one of these words appended: `cardDetails`, `cardInfo`. */
const PARCEL = /(?:information|infos?|details?|data|records?|forms?|payments?|objects?|elements?|s)$/;
const SHORT_CARDS = new Set(['cc', 'cb', 'crd', 'vcc']);
/**
 * Names with more characters than this have no meaning. Neither have those with more than `MAX_DIGITS` digits, because
 * such a name may itself be a card number.
 */
const MAX_CHARACTERS = 64;
const MAX_DIGITS = 6;

/**
 * Tells whether the object or element under a name is a card: `card`, `paymentCard`, `creditCardInfo`, `cards`,
 * `Kreditkarten`.
 */
function opensCard(folded: string): boolean {
	return [folded, folded.replace(PARCEL, '')].some((name) => {
		if (SHORT_CARDS.has(name)) return true;
		const read = readFieldName(name);
		return read?.field === 'number' && !read.isSure && read.saysCard && !HIDDEN.test(name);
	});
}

/** Tells whether a name is a plural such as `cardNumbers`, whose value may be a list of numbers or only their count. */
function isPluralNumber(folded: string): boolean {
	if (!folded.endsWith('s') || HIDDEN.test(folded)) return false;
	const one = findFieldMeaning(folded.slice(0, -1));
	return one !== undefined && one.field === 'number' && one.isSure;
}

const PAIR_NAMES = new Set('name key label field fieldname title caption attribute parameter property'.split(' '));
const COLUMN_NAMES = new Set('columns header headers fields cols fieldnames columnnames spalten'.split(' '));

/**
 * Returns the meaning of a name as bits: the field that it names in the vocabulary of `field-names.ts`, and whether the
 * value under it is the value of the field around it, a token, or itself a name. 0 means that the name has no meaning.
 */
export function cardNameCode(name: string): number {
	const folded = foldFieldName(name);
	const code = codeOf(name, folded);
	if (PAIR_NAMES.has(folded)) return code | PAIR;
	return COLUMN_NAMES.has(folded) ? COLUMNS : code;
}

function codeOf(name: string, folded: string): number {
	if (name.length > MAX_CHARACTERS || (name.match(/\d/g) ?? []).length > MAX_DIGITS) return 0;
	if (TEXT_KEYS.has(name)) return VALUE;
	// A name of a single letter can mean anything, so it is ignored.
	if (folded.length < 2) return 0;
	if (VALUE_WORDS.has(folded)) return VALUE;
	if (folded === 'token') return TOKEN;
	if (CODES_IN_CARD.has(folded)) return FIELD.CVV | BARE;
	if (CARD_ID_CODES.has(folded)) return FIELD.CVV;
	if (EXPIRY_WRAPS.has(folded)) return FIELD.EXPIRY;
	const meaning = readFieldName(name);
	// A `CardID` may be the number, or that of a row in a database.
	if (meaning?.field === 'number' && !meaning.isSure && folded.endsWith('id')) return FIELD.NUMBER | TOKEN;
	const card = opensCard(folded) ? CARD : 0;
	if (meaning === undefined || meaning.isForeign) return isPluralNumber(folded) ? FIELD.NUMBER | CARD : card;
	const field = FIELD[meaning.field.toUpperCase() as Uppercase<CardField>];
	if (field === FIELD.NUMBER && HIDDEN.test(folded)) return 0;
	if (meaning.isSure) return card | field | (AMBIGUOUS.has(folded) ? 0 : SURE) | (meaning.isCode === true ? CODE : 0);
	return card | field | (meaning.isVague ? BARE : 0);
}
