import { brandOf, type CardTypeIndex, isTypePlausible } from './brand.ts';
import type { CvvReading } from './cvv.ts';
import { EXPIRY_ABSENT, EXPIRY_UNREADABLE, type Expiry, isExpired } from './expiry.ts';
import { passesLuhn } from './luhn.ts';
import type { NumberReading } from './number.ts';

/** The number of digits in the longest card number (spec §2.4). */
export const MAX_CARD_DIGITS = 22;

/**
 * Lists the reasons why a card is not tokenized. The first four texts are contractual (spec §4.1), and so is that of
 * `cvv` (shapes §2). The last two reasons occur only in files.
 */
export const REFUSALS = {
	'too-short': 'Number has less than 12 digits',
	'too-long': 'Number is longer than 22 chars',
	luhn: 'Luhn (Mod10) error',
	expired: 'Expired card',
	cvv: 'CVV must be 3 or 4 digits',
	expiry: 'Expiration date is not readable',
	spreadsheet: 'Spreadsheet notation: digits of the number are lost',
} as const;
export type Refusal = keyof typeof REFUSALS;

/** Lists the notices about a card that is tokenized nevertheless. The first two texts are contractual (spec §4.1). */
export const WARNINGS = {
	'type-mismatch': 'Card type validation message',
	'type-missing': 'The Card type is missing',
	'expiry-missing': 'The expiration date is missing',
	'reference-unusable': 'The reference is too long or looks like a card number, and was not kept',
} as const;
export type Warning = keyof typeof WARNINGS;

/** Gives each warning its bit in `Verdict.warnings`. */
export const WARNING_BITS: Record<Warning, number> = {
	'type-mismatch': 1,
	'type-missing': 2,
	'expiry-missing': 4,
	'reference-unusable': 8,
};

/** Returns the warnings that a set of `WARNING_BITS` contains, in the order of that table. */
export function warningsOf(bits: number): Warning[] {
	return (Object.keys(WARNING_BITS) as Warning[]).filter((warning) => bits & WARNING_BITS[warning]);
}

/** Holds the verdict on a card. It is filled in place, because files are judged at a million cards a second. */
export interface Verdict {
	refusal: Refusal | null;
	/** The warnings as a set of `WARNING_BITS`; 0 if the card is refused. */
	warnings: number;
	/** The brand that the number range gives; 0 if unknown. */
	brand: CardTypeIndex;
}

/**
 * The facts about a card that are judged besides its number. `type` is undefined if the layout has no field for the
 * card type, or if that field is empty.
 */
export interface CardFacts {
	readonly expiry: Expiry;
	readonly cvv: CvvReading;
	readonly type: CardTypeIndex | undefined;
	/** True if the field names an unknown card type, which fits no number. */
	readonly isTypeUnknown?: boolean;
	/** The current month, as `YYYYMM`. */
	readonly now: Expiry;
}

/**
 * Judges a card (spec §2.4, §4.1). The result is a value and never an error, because a card that cannot be tokenized
 * passes unchanged and its reason is reported. An absent expiry is a warning; a caller that requires one checks it
 * first.
 */
export function judge(number: NumberReading, facts: CardFacts, into: Verdict): Verdict {
	into.warnings = 0;
	into.brand = 0;
	into.refusal = refusalOf(number, facts);
	if (into.refusal !== null) return into;
	into.brand = brandOf(number.digits, 0, number.count);
	if (facts.isTypeUnknown) into.warnings |= WARNING_BITS['type-mismatch'];
	else if (facts.type === undefined) into.warnings |= WARNING_BITS['type-missing'];
	else if (!isTypePlausible(facts.type, into.brand)) into.warnings |= WARNING_BITS['type-mismatch'];
	if (facts.expiry === EXPIRY_ABSENT) into.warnings |= WARNING_BITS['expiry-missing'];
	return into;
}

function refusalOf(number: NumberReading, facts: CardFacts): Refusal | null {
	if (number.kind === 'spreadsheet') return 'spreadsheet';
	if (number.count < 12) return 'too-short';
	if (number.count > MAX_CARD_DIGITS) return 'too-long';
	if (number.hasOtherCharacters || !passesLuhn(number.digits, 0, number.count)) return 'luhn';
	if (facts.expiry === EXPIRY_UNREADABLE) return 'expiry';
	if (isExpired(facts.expiry, facts.now)) return 'expired';
	if (facts.cvv === 'malformed') return 'cvv';
	return null;
}
