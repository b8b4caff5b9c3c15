// Lists what can be said about a card, with its texts. `read-card.ts` decides which of it holds.

/** The number of digits in the longest card number, and of characters in the longest one that a caller may send. */
export const MAX_CARD_DIGITS = 22;
/** A text that is kept in clear beside a card (name, issue number, id of the owner, reference) has at most this length. */
export const MAX_TEXT_CHARACTERS = 255;

/**
 * Lists the reasons why a card is not tokenized. The first four texts are contractual (spec §4.1), and so is that of
 * `cvv` (shapes §2). The last two reasons occur only in files, messages and tables.
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

/** Lists what can be wrong with one part of a card. All but the refusals are problems only where rules are strict. */
export const PROBLEMS = {
	...REFUSALS,
	required: 'is required',
	month: 'expected two digits, 01 to 12',
	year: 'expected four digits',
	range: 'out of range',
	long: `longer than ${MAX_TEXT_CHARACTERS} characters`,
	nul: 'may not hold a NUL character',
	number: 'looks like a card number',
} as const;
export type Problem = keyof typeof PROBLEMS;

/** Lists the notices about a card that is tokenized nevertheless. The first two texts are contractual (spec §4.1). */
export const WARNINGS = {
	'type-mismatch': 'Card type validation message',
	'type-missing': 'The Card type is missing',
	'expiry-missing': 'The expiration date is missing',
	'reference-unusable': 'The reference is too long or looks like a card number, and was not kept',
	'name-unusable': 'The name is too long or looks like a card number, and was not kept',
} as const;
export type Warning = keyof typeof WARNINGS;

/** Returns which refusal or warning has this text, or undefined if none has it. */
export function findVerdict(text: string): Refusal | Warning | undefined {
	return VERDICTS.get(text);
}

const VERDICTS = new Map(
	Object.entries({ ...REFUSALS, ...WARNINGS }).map(([verdict, text]) => [text as string, verdict as Refusal | Warning]),
);

/** Gives each warning its bit in a set of warnings. */
export const WARNING_BITS = Object.fromEntries(Object.keys(WARNINGS).map((warning, i) => [warning, 1 << i])) as Record<
	Warning,
	number
>;

/** Holds the texts of every set of `WARNING_BITS`, so that no card needs a new list. */
export const WARNING_TEXTS: readonly (readonly string[])[] = Array.from({ length: 32 }, (_, bits) =>
	(Object.keys(WARNINGS) as Warning[]).filter((each) => bits & WARNING_BITS[each]).map((each) => WARNINGS[each]),
);
/** Holds the same texts, joined by commas; the empty set has an empty text. */
export const WARNING_LINES: readonly string[] = WARNING_TEXTS.map((texts) => texts.join(', '));
