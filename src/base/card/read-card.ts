// Reads one card from the byte ranges of its parts and judges it (spec §2.4, §4.1). Nothing else decides whether a card
// is accepted: each door says where the parts are, and maps the outcome to its names and texts.

import { countCharacters, isDigit, numberAt } from './ascii.ts';
import { readAscii } from './ascii-digits.ts';
import { brandOf, type CardTypeIndex, isTypePlausible, typeToStore } from './brand.ts';
import { CardParts, PART, type PartName } from './card-parts.ts';
import { CODE_PLACE, type CvvReading, isPlainCode, narrowToCode, readCvv, withLostZeros } from './cvv.ts';
import { cvvLengthOf } from './cvv-length.ts';
import {
	EXPIRY_ABSENT,
	EXPIRY_UNREADABLE,
	type Expiry,
	expiryOf,
	isExpired,
	monthOf,
	readExpiry,
	readMonthAndYear,
} from './expiry.ts';
import { passesLuhn } from './luhn.ts';
import type { ReadingRule } from './names/placeholders.ts';
import { TypeMemo } from './names/type-memo.ts';
import { NumberReading } from './number.ts';
import { utf8Of } from './plain-text.ts';
import { trimmed } from './spelling/blanks.ts';
import { holdsCardNumber } from './spelling/spelled-number.ts';
import { MAX_CARD_DIGITS, MAX_TEXT_CHARACTERS, type Problem, type Refusal, WARNING_BITS } from './verdict.ts';

/** The rules that differ from door to door. */
export interface CardRules {
	/**
	 * True if a card is refused because a part is missing or a text may not be kept. Otherwise the card is taken with a
	 * warning, a place with a masked number, a token or nothing holds no card, and a placeholder is no CVV and no expiry.
	 */
	readonly isStrict: boolean;
	/** True if the number may have 22 characters in all, with its blanks and hyphens. */
	readonly countsCharacters: boolean;
	/** True if digits that a spreadsheet has dropped are the reason for a refusal, and not the number that is left. */
	readonly knowsSpreadsheets: boolean;
	/** `exact`: a month of two digits and a year of four; `any`: every spelling of docs/formats/csv.md. */
	readonly expiry: 'any' | 'exact';
	/** `any`: blanks around it or stars do no harm; `exact`: digits only; `brand`: of the length that the brand has. */
	readonly cvv: 'any' | 'exact' | 'brand';
}

export const DOORS = {
	/** Files, and messages of third parties. */
	found: { isStrict: false, countsCharacters: false, knowsSpreadsheets: true, expiry: 'any', cvv: 'any' },
	/** Calls that take one card, and batches in JSON. */
	call: { isStrict: true, countsCharacters: true, knowsSpreadsheets: false, expiry: 'exact', cvv: 'exact' },
	/** Batches in CSV, and tables that an operator imports. */
	row: { isStrict: true, countsCharacters: true, knowsSpreadsheets: true, expiry: 'any', cvv: 'any' },
	/** Forms, in which cardholders type with blanks of their own. */
	form: { isStrict: true, countsCharacters: false, knowsSpreadsheets: false, expiry: 'any', cvv: 'brand' },
} as const satisfies Record<string, CardRules>;

/** The outcome of a reading; `none` means that there is no card to judge (a masked number, a token, nothing). */
export type Outcome = 'accepted' | 'refused' | 'none';

const PART_NAMES = Object.keys(PART) as PartName[];
const FEWEST_DIGITS = 12;
/** The parts that are kept in clear, because tokens are searched and shown with them. */
const CLEAR_PARTS = [PART.name, PART.issueNumber, PART.owner, PART.reference] as const;
type ClearPart = (typeof CLEAR_PARTS)[number];

/** Returns what is wrong with a number of `count` ASCII digits, among which other characters may be (`hasOthers`). */
export function numberProblem(digits: Uint8Array, count: number, hasOthers: boolean): Refusal | null {
	if (count < FEWEST_DIGITS) return 'too-short';
	if (count > MAX_CARD_DIGITS) return 'too-long';
	return hasOthers || !passesLuhn(digits, 0, count) ? 'luhn' : null;
}

/** Returns what is wrong with an expiry in a month. Where rules are strict, there must be one. */
export function expiryProblem(
	expiry: Expiry,
	month: Expiry,
	isStrict: boolean,
): 'expiry' | 'required' | 'expired' | null {
	if (expiry === EXPIRY_UNREADABLE) return 'expiry';
	if (expiry === EXPIRY_ABSENT) return isStrict ? 'required' : null;
	return isExpired(expiry, month) ? 'expired' : null;
}

/** Returns why a text may not be kept in clear beside a card; null if it may. */
export function clearTextProblem(text: string): Problem | null {
	if (text.length > MAX_TEXT_CHARACTERS) return 'long';
	return text.includes('\0') ? 'nul' : holdsCardNumber(text) ? 'number' : null;
}

/**
 * Reads one card after the other and holds what was read of the last one. The object and all that it returns is reused,
 * so that a good card allocates nothing. It holds clear digits, so the owner calls `wipe` when done.
 */
export class CardReading {
	/** The parts of the card, which the owner sets before each `read`. */
	readonly parts = new CardParts();
	readonly number = new NumberReading();
	expiry: Expiry = EXPIRY_ABSENT;
	cvv: CvvReading = 'absent';
	/** The type under which an accepted card is stored: the one that it names, otherwise its brand. */
	type: CardTypeIndex = 0;
	/** The brand that the number range gives; 0 if unknown or if the number is refused. */
	brand: CardTypeIndex = 0;
	/** The warnings about a card that is taken, as a sum of `WARNING_BITS`; 0 if the card is refused. */
	warnings = 0;
	readonly problems: (Problem | null)[] = PART_NAMES.map(() => null);
	readonly #rules: CardRules;
	readonly #rule: ReadingRule;
	#month!: Expiry;
	readonly #types = new TypeMemo();
	/** The bits of those parts in clear that are not all ASCII. */
	#wide = 0;

	constructor(rules: CardRules, now: Date) {
		this.#rules = rules;
		this.#rule = rules.isStrict ? 'strict' : 'lenient';
		this.now = now;
	}

	/** Sets the time at which the next cards are judged. */
	set now(now: Date) {
		this.#month = monthOf(now);
	}

	/**
	 * Reads and judges the card in `parts`. A caller passes `expiry` if the format's scanner has read the expiry already,
	 * and `isSpelled` if the number's bytes are known to be one number, however blanks group them.
	 */
	read(expiry?: Expiry, isSpelled = false): Outcome {
		const { problems, number, parts } = this;
		const { isStrict } = this.#rules;
		this.warnings = this.type = this.brand = this.#wide = 0;
		if (isSpelled) number.readSpelled(parts.bytes, parts.spans[0], parts.spans[1]);
		else number.read(parts.bytes, parts.spans[0], parts.spans[1]);
		const isCard = isStrict || number.kind === 'digits' || number.kind === 'spreadsheet';
		const problem = isCard ? this.#numberProblem() : null;
		problems[PART.number] = problem;
		if (isCard && problem === null) this.brand = brandOf(number.digits, 0, number.count);
		this.#readCvv();
		this.#readExpiry(expiry);
		for (let i = 0; i < CLEAR_PARTS.length; i++) {
			const part = CLEAR_PARTS[i];
			const isEmpty = parts.spans[part * 2] === parts.spans[part * 2 + 1];
			problems[part] = isCard && !isEmpty ? this.#clearProblem(part) : null;
		}
		if (!isCard) return 'none';
		const isAccepted = isStrict ? problems.every((each) => each === null) : this.refusal === null;
		if (!isAccepted) return 'refused';
		this.#readType();
		if (this.expiry === EXPIRY_ABSENT) this.warnings |= WARNING_BITS['expiry-missing'];
		if (problems[PART.name] !== null) this.warnings |= WARNING_BITS['name-unusable'];
		if (problems[PART.reference] !== null) this.warnings |= WARNING_BITS['reference-unusable'];
		return 'accepted';
	}

	/** The reason why the card is refused, whatever its texts are. */
	get refusal(): Refusal | null {
		const { problems } = this;
		return (problems[PART.number] ?? problems[PART.expiry] ?? problems[PART.cvv]) as Refusal | null;
	}

	/** Returns the parts that are wrong, in the order of `PART`, with what is wrong with them. */
	faults(): readonly (readonly [PartName, Problem])[] {
		return PART_NAMES.flatMap((name) => {
			const problem = this.problems[PART[name]];
			return problem === null ? [] : [[name, problem] as const];
		});
	}

	digits(): string {
		return this.number.digits.toString('latin1', 0, this.number.count);
	}

	/** Returns a text that is kept in clear, as UTF-8; null if the card has none or it may not be kept. */
	text(part: ClearPart): Buffer | null {
		const { spans } = this.parts;
		if (spans[part * 2] === spans[part * 2 + 1] || this.problems[part] !== null) return null;
		const text = this.parts.of(part);
		return this.#wide & (1 << part) ? utf8Of(text) : text;
	}

	/** Returns the CVV in ASCII, with the leading zeros that it may have lost; undefined if the card has none in clear. */
	code(): Buffer | undefined {
		const spelled = trimmed(this.parts.of(PART.cvv));
		const digits = readAscii(spelled, 0, spelled.length)?.bytes ?? spelled;
		if (this.cvv === 'short') return withLostZeros(digits, this.brand);
		return this.cvv === 'readable' ? digits : undefined;
	}

	#readCvv(): void {
		const { bytes, spans } = this.parts;
		let start = spans[PART.cvv * 2];
		let end = spans[PART.cvv * 2 + 1];
		let ascii: Buffer | undefined;
		if (start < end && !this.#rules.isStrict && !isPlainCode(bytes, start, end)) {
			narrowToCode(bytes, start, end);
			start = CODE_PLACE.start;
			end = CODE_PLACE.end;
			this.parts.set(PART.cvv, start, end);
			ascii = readAscii(bytes, start, end)?.bytes;
		}
		if (ascii) this.cvv = readCvv(ascii, 0, ascii.length, this.#rule);
		else this.cvv = start === end ? 'absent' : readCvv(bytes, start, end, this.#rule);
		const isWrong =
			this.#rules.cvv === 'any' || start === end ? this.cvv === 'malformed' : !this.#isExactCvv(start, end);
		this.problems[PART.cvv] = isWrong ? 'cvv' : null;
	}

	wipe(): void {
		this.number.clear();
		this.parts.wipe();
	}

	#isExactCvv(start: number, end: number): boolean {
		const { bytes } = this.parts;
		if (this.cvv !== 'readable' || !isDigit(bytes[start]) || !isDigit(bytes[end - 1])) return false;
		return this.#rules.cvv === 'exact' || end - start === 3 || cvvLengthOf(this.brand) === 'both';
	}

	#numberProblem(): Problem | null {
		const { number, parts } = this;
		const { isStrict, countsCharacters, knowsSpreadsheets } = this.#rules;
		const start = parts.spans[0];
		const end = parts.spans[1];
		if (isStrict && start === end) return 'required';
		if (countsCharacters && countCharacters(parts.bytes, start, end) > MAX_CARD_DIGITS) return 'too-long';
		if (isStrict && number.hasOtherCharacters) {
			// Blanks and hyphens are tolerated wherever they are (shapes §2), also at the ends and several in a row.
			const rest = parts.bytes.subarray(start, end).filter((byte) => byte !== 0x20 && byte !== 0x2d);
			number.read(rest, 0, rest.length);
			rest.fill(0);
		}
		if (number.kind === 'spreadsheet' && knowsSpreadsheets) return 'spreadsheet';
		return numberProblem(number.digits, number.count, number.hasOtherCharacters);
	}

	#readExpiry(known: Expiry | undefined): void {
		const { problems } = this;
		this.expiry = known ?? this.#expiryIn(this.parts);
		const areRead = problems[PART.month] === null && problems[PART.year] === null;
		problems[PART.expiry] = areRead ? expiryProblem(this.expiry, this.#month, this.#rules.isStrict) : null;
	}

	#expiryIn({ bytes, spans }: CardParts): Expiry {
		const [month, year, whole] = [PART.month * 2, PART.year * 2, PART.expiry * 2];
		if (this.#rules.expiry === 'exact') {
			return this.#exactExpiry(spans[month], spans[month + 1], spans[year], spans[year + 1]);
		}
		if (spans[whole] !== spans[whole + 1])
			return readExpiry(bytes, spans[whole], spans[whole + 1], undefined, this.#rule);
		return readMonthAndYear(bytes, spans[month], spans[month + 1], spans[year], spans[year + 1], this.#rule);
	}

	#exactExpiry(month: number, monthEnd: number, year: number, yearEnd: number): Expiry {
		const { problems } = this;
		const { bytes } = this.parts;
		const m = monthEnd - month === 2 ? numberAt(bytes, month, monthEnd) : -1;
		const y = yearEnd - year === 4 ? numberAt(bytes, year, yearEnd) : -1;
		problems[PART.month] = problems[PART.year] = null;
		if (month === monthEnd) problems[PART.month] = 'required';
		else if (m < 1 || m > 12) problems[PART.month] = 'month';
		if (year === yearEnd) problems[PART.year] = 'required';
		else if (y < 0) problems[PART.year] = 'year';
		else if (y < 1900 || y > 2999) problems[PART.year] = 'range';
		return expiryOf(m, y);
	}

	#readType(): void {
		const { bytes, spans } = this.parts;
		const start = spans[PART.type * 2];
		const end = spans[PART.type * 2 + 1];
		const named = this.#types.find(bytes, start, end);
		if (named === undefined) this.warnings |= WARNING_BITS['type-missing'];
		else if (!isTypePlausible(named, this.brand)) this.warnings |= WARNING_BITS['type-mismatch'];
		this.type = typeToStore(named, this.brand);
	}

	/**
	 * Returns why a text may not be kept in clear. A usual text costs one look at its bytes: it has too few digits for a
	 * card number.
	 */
	#clearProblem(part: ClearPart): Problem | null {
		const { bytes, spans } = this.parts;
		const start = spans[part * 2];
		const end = spans[part * 2 + 1];
		let digits = 0;
		let traits = 0;
		for (let i = start; i < end; i++) {
			digits += MAY_BE_DIGIT[bytes[i]];
			traits |= TRAITS[bytes[i]];
		}
		if (traits & WIDE) this.#wide |= 1 << part;
		if (digits >= FEWEST_DIGITS || end - start > MAX_TEXT_CHARACTERS) {
			return clearTextProblem(utf8Of(bytes.subarray(start, end)).toString());
		}
		return traits & NUL ? 'nul' : null;
	}
}

/** Holds 1 for each byte that may be a digit or begin one: a character above ASCII may be a digit of another script. */
const MAY_BE_DIGIT = new Uint8Array(256).fill(1, 0x30, 0x3a).fill(1, 0xc0);
const WIDE = 1;
const NUL = 2;
/** Holds what each byte says about the text that it is in: that it is not all ASCII, or has a NUL. */
const TRAITS = new Uint8Array(256).fill(WIDE, 0x80).fill(NUL, 0, 1);
