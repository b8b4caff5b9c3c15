// Handles card numbers outside the card fields of a layout in a tokenizing pass, as the option `otherNumbers` says.

import { brandOf, CARD_TYPES, type CardTypeIndex } from '../../base/card/brand.ts';
import { maskNumber } from '../../base/card/masking.ts';
import type { NumberReading } from '../../base/card/number.ts';
import type { FilePosition } from '../../base/errors.ts';
import { type Finding, type KeptFor, type Scanner, WholeFileError } from '../format.ts';
import type { CommonOptions } from '../options.ts';
import type { Rejections } from '../rejections.ts';
import type { ReportEntry, Summary } from '../report.ts';

/** The text that the report shows for a number outside the card fields, by what happened to the number. */
const OUTCOMES = {
	report: 'A card number stands outside the card fields of this format and stays in clear',
	mask: 'A card number stands outside the card fields of this format and was masked',
	tokenize: 'A card number stands outside the card fields of this format and was replaced by a token',
	reject: 'A card number stands outside the card fields of this format',
} as const;
const NO_PLACE =
	'A card number stands outside the card fields of this format, where a token does not fit, and stays in clear';
/** The same for a number that stays although the option asks for stars or a token, by the reason for it. */
const KEPT: Readonly<Record<KeptFor, string>> = {
	token: 'A card number stands outside the card fields of this format, in text that may be a token, and stays in clear',
	spelling:
		'A card number stands outside the card fields of this format, spelled so that nothing fits in its place, and stays in clear',
	bareNumber:
		'A card number stands outside the card fields of this format, in a bare number with a sign, point or exponent, and stays in clear',
};

const DOUBTFUL_CODE =
	'Digits behind a card number and its expiry may be a security code; they stay, because they may mean something else in this layout';

/** An error or notice lists the names of at most this many fields in which numbers were found. */
const MOST_NAMES = 20;

export type OtherTreatment = keyof typeof OUTCOMES;

/** Counts the numbers outside the layout's card fields and decides what happens to each. */
export class OtherNumbersPass {
	readonly #mode: OtherTreatment;
	readonly #expectsCards: boolean;
	readonly #rejections: Rejections;
	readonly #names = new Set<string>();
	/** How many numbers stay in clear although the option asks for stars or tokens. */
	#left = 0;
	/** How many digits that may be security codes stay in clear for the same reason. */
	#codesLeft = 0;
	/** The position of the first number or code, which the error names if the file is refused. */
	#first: FilePosition | undefined;

	constructor({ otherNumbers, expectCards }: CommonOptions, rejections: Rejections) {
		this.#rejections = rejections;
		this.#mode = otherNumbers;
		this.#expectsCards = expectCards;
	}

	isTokenized(finding: Finding): boolean {
		return this.#mode === 'tokenize' && finding.shape !== 'columns' && finding.keptFor === undefined;
	}

	/** Counts a number and decides what happens to it. `base` is the offset in the file of the window's first byte. */
	take(finding: Finding, base: number, summary: Summary): OtherTreatment {
		summary.otherNumbers++;
		const place = { offset: base + finding.numberStart, line: finding.line };
		this.#first ??= place;
		if (this.#mode === 'reject') this.#rejections.addOtherNumber(place);
		if (finding.field !== undefined && this.#names.size < MOST_NAMES) this.#names.add(finding.field);
		const isKept = this.#mode === 'mask' && finding.keptFor !== undefined;
		const isLeft = this.#mode === 'tokenize' ? !this.isTokenized(finding) : isKept;
		if (isLeft) this.#left++;
		return isLeft ? 'report' : this.#mode;
	}

	/**
	 * Counts a security code and decides what happens to it. Codes are never stored, so they are masked even where card
	 * numbers become tokens.
	 */
	takeCode(finding: Finding, base: number, summary: Summary): 'report' | 'mask' | 'reject' {
		summary.otherCodes++;
		const place = { offset: base + finding.numberStart, line: finding.line };
		this.#first ??= place;
		if (finding.isCvvDoubtful) {
			this.#codesLeft++;
			return 'report';
		}
		if (this.#mode === 'reject') this.#rejections.addOtherCode(place);
		return this.#mode === 'tokenize' ? 'mask' : this.#mode;
	}

	codeEntry(finding: Finding, base: number): ReportEntry {
		const isStarred = !finding.isCvvDoubtful && (this.#mode === 'mask' || this.#mode === 'tokenize');
		return {
			line: finding.line,
			offset: base + finding.numberStart,
			outcome: 'otherCode',
			reason: finding.isCvvDoubtful
				? DOUBTFUL_CODE
				: `A security code seems to stand outside the card fields of this format${isStarred ? ' and was replaced by stars' : ' and stays in clear'}`,
			...(finding.field !== undefined && { field: finding.field }),
		};
	}

	/** Returns the entry about a number for the report. `number` holds the digits of the finding. */
	entry(finding: Finding, base: number, treatment: OtherTreatment, number: NumberReading): ReportEntry {
		const brand: CardTypeIndex = brandOf(number.digits, 0, number.count);
		return {
			line: finding.line,
			offset: base + finding.numberStart,
			outcome: 'otherNumber',
			reason: this.#reasonOf(finding, treatment),
			...(brand !== 0 && { cardType: CARD_TYPES[brand] }),
			number: maskNumber(number.digits.toString('latin1', 0, number.count)),
			...(finding.field !== undefined && { field: finding.field }),
		};
	}

	/**
	 * Returns notices with the counts of numbers and codes outside the card fields, for the top of the report.
	 * @throws FileError if there are numbers but no field for cards, which shows that the file is not of this format
	 */
	judgeFile(scanner: Scanner, summary: Summary): string[] {
		const { otherNumbers: count, otherCodes } = summary;
		if (this.#first === undefined || this.#mode === 'reject') return [];
		if (count > 0 && this.#expectsCards && this.#mode === 'report' && scanner.hasCardPlace === false) {
			throw new WholeFileError(
				`the file has no field that this format knows as a card number, but ${count === 1 ? 'a card number stands' : `${count} card numbers stand`} in it${this.#listNames()}; name the field in the options of the format, or set expectCards to false`,
				this.#first,
				{ code: 'file-without-card-field', parameters: { numbers: count } },
			);
		}
		const notices: string[] = [];
		const numbers = count === 1 ? '1 card number stands' : `${count} card numbers stand`;
		const asked = { report: 'in clear', mask: 'masked', tokenize: 'as tokens' }[this.#mode];
		const fate = fateOf(asked, this.#left, count);
		if (count > 0) notices.push(`${numbers} outside the card fields of this format, ${fate}${this.#listNames()}`);
		const codes = otherCodes === 1 ? '1 security code seems to stand' : `${otherCodes} security codes seem to stand`;
		const codesFate = fateOf(this.#mode === 'report' ? 'in clear' : 'starred', this.#codesLeft, otherCodes);
		if (otherCodes > 0) notices.push(`${codes} outside the card fields of this format, ${codesFate}`);
		return notices;
	}

	#reasonOf(finding: Finding, treatment: OtherTreatment): string {
		if (treatment !== 'report' || this.#mode === 'report') return OUTCOMES[treatment];
		return finding.keptFor === undefined ? NO_PLACE : KEPT[finding.keptFor];
	}

	#listNames(): string {
		if (this.#names.size === 0) return '';
		return `, in ${[...this.#names].map((name) => `"${name}"`).join(', ')}`;
	}
}

/** Says what became of all numbers or codes of which `left` stay in clear. */
function fateOf(asked: string, left: number, count: number): string {
	return left === 0 || asked === 'in clear' ? asked : left === count ? 'in clear' : `${asked} but for ${left} in clear`;
}
