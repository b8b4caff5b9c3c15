// Checks the values typed into a form. The form is stricter than the calls of the interface (spec §2.4), and all fields
// that are not valid are reported at once.

import { asciiDigits } from '../card/ascii-digits.ts';
import { brandOf, CARD_TYPES, type CardType, findCardType, isTypePlausible } from '../card/brand.ts';
import { CardNumber } from '../card/card-number.ts';
import { coBadgesOf } from '../card/co-badges.ts';
import { Cvv } from '../card/cvv-code.ts';
import { EXPIRY_ABSENT, EXPIRY_UNREADABLE, type Expiry, isExpired, monthOf, readExpiry } from '../card/expiry.ts';
import { passesLuhn } from '../card/luhn.ts';
import { NumberReading } from '../card/number.ts';
import { holdsCardNumber } from '../card/spelled-number.ts';
import { MAX_CARD_DIGITS } from '../card/verdict.ts';
import type { Texts } from '../pages/languages/index.ts';
import type { NewCard } from '../vault/new-card.ts';
import type { CardFormOptions } from './form-options.ts';

export const FIELDS = ['cardNumber', 'cardType', 'expiry', 'cvv', 'nameOnCard', 'ownerId'] as const;
export type FieldName = (typeof FIELDS)[number];

/** The typed values, by the names of the fields. */
export type TypedFields = Partial<Record<FieldName, string>>;

/** The names of the error messages, by field. */
export type FieldProblems = Partial<Record<FieldName, keyof Texts['problems']>>;

export interface ReadFields {
	readonly card: NewCard;
	readonly cvv: Cvv | undefined;
}

const MIN_DIGITS = 12;
const MAX_TEXT_CHARACTERS = 255;
const AMEX = CARD_TYPES.indexOf('AMEX');

/** Returns the card, or the problems of the fields that are not valid. */
export function readCardFields(
	typed: TypedFields,
	options: CardFormOptions,
	now: Date,
): ReadFields | { readonly problems: FieldProblems } {
	const problems: FieldProblems = {};
	const number = new NumberReading();
	try {
		readNumber(typed.cardNumber ?? '', number, problems);
		const brand = problems.cardNumber ? 0 : brandOf(number.digits, 0, number.count);
		const digits = problems.cardNumber ? '' : number.digits.toString('latin1', 0, number.count);
		const type = readType(typed.cardType ?? '', { brand, digits, options, problems });
		const expiry = checkExpiry(readExpiryText(typed.expiry ?? '', problems), options, now, problems);
		const name = readName(typed.nameOnCard ?? '', options, problems);
		const owner = options.asksOwnerId ? readText('ownerId', typed.ownerId ?? '', problems) : undefined;
		const cvv = options.cvv === 'absent' ? undefined : readCvvText(typed.cvv ?? '', brand, options.cvv, problems);
		if (Object.keys(problems).length > 0) return { problems };
		return { card: { number: new CardNumber(digits), expiry, type, name, owner }, cvv };
	} finally {
		number.clear();
	}
}

function readNumber(text: string, number: NumberReading, problems: FieldProblems): void {
	const bytes = Buffer.from(text.trim());
	number.read(bytes, 0, bytes.length);
	bytes.fill(0);
	if (number.kind === 'empty') problems.cardNumber = 'required';
	else if (number.kind !== 'digits' || number.hasOtherCharacters) problems.cardNumber = 'numberWrong';
	else if (number.count < MIN_DIGITS) problems.cardNumber = 'numberShort';
	else if (number.count > MAX_CARD_DIGITS) problems.cardNumber = 'numberLong';
	else if (!passesLuhn(number.digits, 0, number.count)) problems.cardNumber = 'numberWrong';
}

/**
 * Returns the type under which the card is stored: the chosen one, or else the one that the number shows, or else the
 * default.
 */
function readType(
	text: string,
	about: { brand: number; digits: string; options: CardFormOptions; problems: FieldProblems },
): number {
	const { brand, digits, options, problems } = about;
	const { detectsType, defaultType, types } = options;
	const named = text.trim() === '' ? undefined : findCardType(text);
	const isChoice = named !== undefined && coBadgesOf(digits).includes(CARD_TYPES[named]);
	const fallback = defaultType === undefined ? 0 : CARD_TYPES.indexOf(defaultType);
	const told = detectsType ? (isChoice ? named : brand || fallback) : (named ?? 0);
	if (!detectsType && named === undefined) problems.cardType = 'required';
	else if (problems.cardNumber) return told;
	else if (!detectsType && !isChoice && !isTypePlausible(told, brand)) problems.cardType = 'typeMismatch';
	else if (types && !types.includes(CARD_TYPES[told] as CardType)) problems.cardNumber = 'typeRefused';
	return told;
}

function readExpiryText(text: string, problems: FieldProblems): Expiry {
	const plain = asciiDigits(text).replace(/[\s\u200e\u200f]/g, '');
	const bytes = Buffer.from(plain);
	const expiry = /^[\d/.-]*$/.test(plain) ? readExpiry(bytes, 0, bytes.length) : EXPIRY_UNREADABLE;
	if (expiry === EXPIRY_ABSENT) problems.expiry = 'required';
	else if (expiry === EXPIRY_UNREADABLE) {
		const month = Number(/^(\d{2})\D?\d{2}(\d{2})?$/.exec(plain)?.[1] ?? 1);
		problems.expiry = month < 1 || month > 12 ? 'expiryMonth' : 'expiryIncomplete';
	}
	return expiry;
}

function checkExpiry(expiry: Expiry, { minExpiry }: CardFormOptions, now: Date, problems: FieldProblems): Expiry {
	if (problems.expiry) return expiry;
	if (isExpired(expiry, monthOf(now))) problems.expiry = 'expired';
	else if (minExpiry !== undefined && expiry < minExpiry) problems.expiry = 'expiresSoon';
	return expiry;
}

function readName(text: string, { checksName }: CardFormOptions, problems: FieldProblems): string | undefined {
	const name = readText('nameOnCard', text, problems);
	if (name !== undefined && holdsCardNumber(name)) problems.nameOnCard = 'nameNumber';
	else if (!checksName) return name;
	else if (name === undefined) problems.nameOnCard ??= 'required';
	else if (!/\p{L}/u.test(name) || /\p{Nd}/u.test(name)) problems.nameOnCard = 'nameWrong';
	return name;
}

function readText(field: 'nameOnCard' | 'ownerId', text: string, problems: FieldProblems): string | undefined {
	const plain = text.replaceAll('\0', '').trim();
	if (plain.length > MAX_TEXT_CHARACTERS) problems[field] = 'tooLong';
	return plain === '' ? undefined : plain;
}

/** Reads a CVV: 3 digits for a known brand, 3 or 4 for American Express and for a brand that is unknown (spec §2.4). */
export function readCvvText(
	text: string,
	brand: number,
	rule: 'required' | 'optional',
	problems: FieldProblems,
): Cvv | undefined {
	const digits = asciiDigits(text).trim();
	if (digits === '') {
		if (rule === 'required') problems.cvv = 'required';
		return undefined;
	}
	const mayBeFour = brand === 0 || brand === AMEX;
	if (/^\d{3}$/.test(digits) || (mayBeFour && /^\d{4}$/.test(digits))) return new Cvv(digits);
	problems.cvv = mayBeFour ? 'cvvThreeOrFour' : 'cvvThree';
	return undefined;
}
