// Judges what is typed into the fields of a form: number, expiry, CVV, brand and name. The form is stricter than the calls
// of the interface (spec §2.4), and all fields that are not valid are told at once. The script of the page runs this very
// module (`npm run generate:card-rules`), so page and service never disagree.

import { asciiDigits } from '../../../base/card/ascii-digits.ts';
import {
	brandOf,
	CARD_TYPES,
	type CardType,
	type CardTypeIndex,
	choicesOf,
	isTypePlausible,
} from '../../../base/card/brand.ts';
import { type CvvLength, cvvLengthOf, storedCvvLengthOf } from '../../../base/card/cvv-length.ts';
import { EXPIRY_ABSENT, EXPIRY_UNREADABLE, type Expiry, expiryOf } from '../../../base/card/expiry.ts';
import { expiryProblem, numberProblem } from '../../../base/card/read-card.ts';
import { MAX_TEXT_CHARACTERS } from '../../../base/card/verdict.ts';
import type { Texts } from '../../../base/pages/languages/index.ts';
import type { CardFormOptions } from './form-options.ts';

export const FIELDS = ['cardNumber', 'cardType', 'expiry', 'cvv', 'nameOnCard', 'ownerId'] as const;
export type FieldName = (typeof FIELDS)[number];

/** The typed values, by the names of the fields. A card type is a name of `CARD_TYPES`. */
export type TypedFields = Partial<Record<FieldName, string>>;

/** The names of the error messages, by field. */
export type FieldProblems = Partial<Record<FieldName, ProblemName>>;
type ProblemName = keyof Texts['problems'];

/** The options of a form that decide which values are valid. */
export type FieldRules = Pick<
	CardFormOptions,
	'cvv' | 'detectsType' | 'defaultType' | 'types' | 'minExpiry' | 'asksOwnerId' | 'checksName'
>;

const FEWEST_DIGITS = 12;
/** What people write between the digits of a number: blanks, and the points and dashes of any keyboard. */
const SEPARATORS = /[\s.\-\u2010-\u2015\u2212\uff0d\uff0e]/g;
/** Copied text brings them along: soft hyphens, zero width characters and marks of the direction of writing. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const CVV_PROBLEMS: Record<CvvLength, ProblemName> = { three: 'cvvThree', four: 'cvvFour', both: 'cvvThreeOrFour' };

/** Reads and judges the fields of a card. `month` is the present one. What was read of a field with a problem means nothing. */
export function judgeFields(typed: TypedFields, rules: FieldRules, month: Expiry) {
	const problems: FieldProblems = {};
	const note = (field: FieldName, problem: ProblemName | undefined) => {
		if (problem !== undefined) problems[field] = problem;
	};
	const digits = plainDigits(typed.cardNumber ?? '').replace(SEPARATORS, '');
	note('cardNumber', judgeNumber(digits));
	const brand = problems.cardNumber ? 0 : brandOf(Buffer.from(digits), 0, digits.length);
	const type = judgeType(typed.cardType ?? '', { brand, digits, rules, note });
	const expiry = readTypedExpiry(typed.expiry ?? '');
	note('expiry', judgeExpiry(expiry, month, rules));
	const cvv = judgeCvv(rules.cvv === 'absent' ? '' : (typed.cvv ?? ''), cvvLengthOf(brand));
	if (cvv.problem !== 'required' || rules.cvv === 'required') note('cvv', cvv.problem);
	note('nameOnCard', nameProblem(typed.nameOnCard ?? '', rules));
	if (rules.asksOwnerId && (typed.ownerId ?? '').trim().length > MAX_TEXT_CHARACTERS) note('ownerId', 'tooLong');
	return { problems, digits, brand, type, expiry, cvv: cvv.digits };
}

export function judgeStoredCvv(text: string, brand: CardTypeIndex): { digits: string; problem?: ProblemName } {
	return judgeCvv(text, storedCvvLengthOf(brand));
}

/** Returns a text with its digits in ASCII and without what nobody sees. */
const plainDigits = (text: string) => asciiDigits(text).replace(INVISIBLE, '');

function judgeCvv(text: string, length: CvvLength): { digits: string; problem?: ProblemName } {
	const digits = plainDigits(text).trim();
	if (digits === '') return { digits, problem: 'required' };
	const isRight = /^\d{3,4}$/.test(digits) && (length === 'both' || digits.length === (length === 'four' ? 4 : 3));
	return isRight ? { digits } : { digits, problem: CVV_PROBLEMS[length] };
}

function judgeNumber(digits: string): ProblemName | undefined {
	if (digits === '') return 'required';
	if (/\D/.test(digits)) return 'numberWrong';
	const problem = numberProblem(Buffer.from(digits), digits.length, false);
	if (problem === null) return undefined;
	return problem === 'too-short' ? 'numberShort' : problem === 'too-long' ? 'numberLong' : 'numberWrong';
}

function judgeType(
	text: string,
	about: {
		readonly brand: CardTypeIndex;
		readonly digits: string;
		readonly rules: FieldRules;
		note(field: FieldName, problem: ProblemName): void;
	},
): CardTypeIndex {
	const { brand, digits, rules, note } = about;
	const { detectsType, defaultType, types } = rules;
	const named = CARD_TYPES.indexOf(text as CardType);
	const isChoice = named > 0 && choicesOf(digits, CARD_TYPES[brand]).includes(CARD_TYPES[named]);
	const fallback = defaultType === undefined ? 0 : CARD_TYPES.indexOf(defaultType);
	const told = isChoice || !detectsType ? Math.max(named, 0) : brand || fallback;
	if (!detectsType && named < 0) note('cardType', 'required');
	else if (judgeNumber(digits) !== undefined) return told;
	else if (!detectsType && !isChoice && !isTypePlausible(told, brand)) note('cardType', 'typeMismatch');
	else if (types && !types.includes(CARD_TYPES[told])) note('cardNumber', 'typeRefused');
	return told;
}

/**
 * Reads a month and a year: `12 / 30`, `12/2030`, `1230`, `122030`, `2030-12`, `203012`. A digit before a blank or a sign is a
 * month by itself: `1 30` is January 2030.
 */
function readTypedExpiry(text: string): Expiry {
	const plain = plainDigits(text)
		.replace(/[\u2010-\u2015\u2212]/g, '-')
		.replace(/[\u2044\u2215\uff0f]/g, '/')
		.trim();
	if (plain === '') return EXPIRY_ABSENT;
	const [, yearFirst, monthLast] = /^(20\d\d)(?:\s*[/.\-\s]\s*)?(0?[1-9]|1[0-2])$/.exec(plain) ?? [];
	const [, monthFirst, yearLast] =
		/^(\d\d?)\s*[/.\-\s]\s*(\d\d|\d{4})$/.exec(plain) ?? /^(\d\d)(\d\d|\d{4})$/.exec(plain) ?? [];
	const isYearFirst = yearFirst !== undefined && !(Number(monthFirst) <= 12);
	const [month, year] = isYearFirst ? [monthLast, yearFirst] : [monthFirst, yearLast];
	if (month === undefined) return EXPIRY_UNREADABLE;
	const expiry = expiryOf(Number(month), Number(year));
	return expiry === EXPIRY_UNREADABLE && expiryOf(1, Number(year)) > 0 ? WRONG_MONTH : expiry;
}

/** Stands for an expiry that cannot be read because its month is none of the twelve. */
const WRONG_MONTH = -2;

function judgeExpiry(expiry: Expiry, month: Expiry, { minExpiry = 0 }: FieldRules): ProblemName | undefined {
	if (expiry === WRONG_MONTH) return 'expiryMonth';
	const problem = expiryProblem(expiry, month, true);
	if (problem !== null) return problem === 'expiry' ? 'expiryIncomplete' : problem;
	return expiry < minExpiry ? 'expiresSoon' : undefined;
}

/** Judges a name. Whether one that need not be typed may be kept, the service alone decides (`src/base/card/read-card.ts`). */
function nameProblem(text: string, { checksName }: FieldRules): ProblemName | undefined {
	if (text.trim().length > MAX_TEXT_CHARACTERS) return 'tooLong';
	if (!checksName) return undefined;
	if (text.trim() === '') return 'required';
	if (asciiDigits(text).replace(/\D/g, '').length >= FEWEST_DIGITS) return 'nameNumber';
	return /\p{L}/u.test(text) && !/\p{Nd}/u.test(text) ? undefined : 'nameWrong';
}
