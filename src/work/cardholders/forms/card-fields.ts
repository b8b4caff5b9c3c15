// Checks the values typed into a form. The form is stricter than the calls of the interface (spec §2.4), and all fields
// that are not valid are reported at once.

import { asciiDigits } from '../../../base/card/ascii-digits.ts';
import { CARD_TYPES, type CardType, coBadgesOf, isTypePlausible } from '../../../base/card/brand.ts';
import { CardNumber } from '../../../base/card/card-number.ts';
import { PART } from '../../../base/card/card-parts.ts';
import { Cvv } from '../../../base/card/cvv-code.ts';
import { EXPIRY_UNREADABLE } from '../../../base/card/expiry.ts';
import { findCardType } from '../../../base/card/names/brand-names.ts';
import { CardReading, DOORS, mayHaveFourDigits } from '../../../base/card/read-card.ts';
import type { Problem } from '../../../base/card/verdict.ts';
import type { Texts } from '../../../base/pages/languages/index.ts';
import type { NewCard } from '../../../vault/cards/new-card.ts';
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

const NUMBER_PROBLEMS: Partial<Record<Problem, keyof Texts['problems']>> = {
	...{ required: 'required', 'too-short': 'numberShort', 'too-long': 'numberLong' },
};

/** Returns the card, or the problems of the fields that are not valid. */
export function readCardFields(
	typed: TypedFields,
	options: CardFormOptions,
	now: Date,
): ReadFields | { readonly problems: FieldProblems } {
	const problems: FieldProblems = {};
	const reading = new CardReading(DOORS.form, now);
	try {
		// A digit before a blank is a month by itself: `1 30` is January 2030.
		const spelled = asciiDigits(typed.expiry ?? '').replace(/^\s*(\d)\s+(?=\d)/, '0$1/');
		const date = spelled.replace(/[\s\u200e\u200f]/g, '');
		putTexts(reading, typed, options, date);
		reading.read(/^[\d/.-]*$/.test(date) ? undefined : EXPIRY_UNREADABLE);
		noteNumber(reading, problems);
		const digits = problems.cardNumber ? '' : reading.digits();
		const type = readType(typed.cardType ?? '', { brand: reading.brand, digits, options, problems });
		noteExpiry(reading, date, options, problems);
		noteTexts(reading, options, problems);
		const cvv = options.cvv === 'absent' ? undefined : cvvOf(reading, reading.brand, options.cvv, problems);
		if (Object.keys(problems).length > 0) return { problems };
		const [name, owner] = [reading.text(PART.name)?.toString(), reading.text(PART.owner)?.toString()];
		return { card: { number: new CardNumber(digits), expiry: reading.expiry, type, name, owner }, cvv };
	} finally {
		reading.wipe();
	}
}

/** Returns the CVV that was typed for a stored card of a brand, or notes what is wrong with it. */
export function readCvvText(text: string, brand: number, now: Date, problems: FieldProblems): Cvv | undefined {
	const reading = new CardReading(DOORS.form, now);
	try {
		reading.parts.begin();
		reading.parts.put(PART.cvv, asciiDigits(text).trim());
		reading.readCvvOf(brand);
		return cvvOf(reading, brand, 'required', problems);
	} finally {
		reading.wipe();
	}
}

function putTexts({ parts }: CardReading, typed: TypedFields, { cvv, asksOwnerId }: CardFormOptions, date: string) {
	const plain = (text = '') => text.replaceAll('\0', '').trim();
	parts.begin();
	parts.put(PART.number, typed.cardNumber?.trim());
	parts.put(PART.expiry, date);
	if (cvv !== 'absent') parts.put(PART.cvv, asciiDigits(typed.cvv ?? '').trim());
	parts.put(PART.name, plain(typed.nameOnCard));
	if (asksOwnerId) parts.put(PART.owner, plain(typed.ownerId));
}

function noteNumber({ number, problems: { [PART.number]: problem } }: CardReading, problems: FieldProblems): void {
	if (problem === null) return;
	const isNumber = problem === 'required' || (number.kind === 'digits' && !number.hasOtherCharacters);
	problems.cardNumber = (isNumber && NUMBER_PROBLEMS[problem]) || 'numberWrong';
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

function noteExpiry(reading: CardReading, date: string, { minExpiry = 0 }: CardFormOptions, problems: FieldProblems) {
	const problem = reading.problems[PART.expiry];
	if (problem === 'required' || problem === 'expired') problems.expiry = problem;
	else if (problem !== null) {
		const month = Number(/^(\d{2})\D?\d{2}(\d{2})?$/.exec(date)?.[1] ?? 1);
		problems.expiry = month < 1 || month > 12 ? 'expiryMonth' : 'expiryIncomplete';
	} else if (reading.expiry < minExpiry) problems.expiry = 'expiresSoon';
}

function noteTexts(reading: CardReading, { checksName }: CardFormOptions, problems: FieldProblems): void {
	const { [PART.name]: name, [PART.owner]: owner } = reading.problems;
	if (owner !== null) problems.ownerId = owner === 'long' ? 'tooLong' : 'ownerNumber';
	if (name !== null) problems.nameOnCard = name === 'long' ? 'tooLong' : 'nameNumber';
	else if (checksName) {
		const text = reading.text(PART.name)?.toString();
		if (text === undefined) problems.nameOnCard = 'required';
		else if (!/\p{L}/u.test(text) || /\p{Nd}/u.test(text)) problems.nameOnCard = 'nameWrong';
	}
}

function cvvOf(
	reading: CardReading,
	brand: number,
	rule: 'required' | 'optional',
	problems: FieldProblems,
): Cvv | undefined {
	if (reading.problems[PART.cvv] !== null) problems.cvv = mayHaveFourDigits(brand) ? 'cvvThreeOrFour' : 'cvvThree';
	else if (reading.cvv === 'readable') return new Cvv(reading.parts.of(PART.cvv).toString());
	else if (rule === 'required') problems.cvv = 'required';
	return undefined;
}
