// Searches the text outside a scanner's findings. When tokenizing, it adds a finding with `isOther` for every card
// number there; when detokenizing, for every token. So a pass handles the scanner's findings and these together. A
// scanner's finding whose value is more than a number or token is narrowed to it.

import { areDigits, endOfDigits } from '../../base/card/ascii.ts';
import { EscapeMarks } from '../../base/card/finder/escapes.ts';
import { commentsIn, nextMarkup } from '../../base/card/finder/inner-markup.ts';
import { NumberPlaces, PLACE } from '../../base/card/finder/number-places.ts';
import { NumberRuns } from '../../base/card/finder/number-runs.ts';
import { OtherNumbers } from '../../base/card/finder/other-numbers.ts';
import { findInValue, Unescaped } from '../../base/card/finder/unescaped.ts';
import { ValueNumbers } from '../../base/card/finder/value-numbers.ts';
import { WrappedNumbers } from '../../base/card/finder/wrapped-numbers.ts';
import { tellWrapped } from '../../base/card/finder/wrapped-stretches.ts';
import { isOtherThing, mayBeOtherThing } from '../../base/card/names/number-context.ts';
import { countLineEnds } from '../../base/text/line-ends.ts';
import { TOKEN_CHARACTERS, type TokenCipher } from '../../vault/tokens/token.ts';
import type { Direction, Finding, Findings, Format, Scanner } from '../format.ts';
import { HeldText, heldToken } from './held-text.ts';
import { isNumber, narrow, narrowCvv, takeCodeBehind } from './narrow.ts';
import { NumberFields } from './number-fields.ts';
import { findCodesBeside, findCodesBesideMasks, findOtherCodes, takeCodes } from './other-codes.ts';
import { hexDigitsBefore, isFoundAt, isLoneToken, LONGEST_RUN, OtherTokens, runWithTokens } from './other-tokens.ts';
import { dropCodesInNumbers, lastReplaced, TakenSpans } from './taken-spans.ts';
import { TextAround } from './text-around.ts';
import { TextStarts } from './text-starts.ts';

const CR = 0x0d;
const MINUS = 0x2d;

export interface WindowBounds {
	/** The offset of the first byte whose replacement is not decided yet. */
	readonly from: number;
	/**
	 * The offset where the scanner began to read. The bytes from `from` up to it were held back from the previous window.
	 */
	readonly scanFrom: number;
	readonly settled: number;
}

/** Finds numbers outside the card fields of a file's format. One instance serves one pass over one file. */
export class OtherFindings {
	readonly #format: Format;
	readonly #scanner: Scanner;
	/** The object that finds card numbers when tokenizing; null when detokenizing. */
	readonly #numbers: OtherNumbers | null;
	/** The object that finds the number in the value of a card field. */
	readonly #values: ValueNumbers;
	readonly #tokens: OtherTokens;
	readonly #places = new NumberPlaces();
	readonly #textStarts: TextStarts;
	readonly #held: HeldText;
	readonly #around: TextAround;
	/** The line of the next byte to examine. */
	#line = 1;
	/** There are `#countedEnds` line ends in the window before `#countedTo`. */
	#countedTo = 0;
	#countedEnds = 0;
	#isAfterCr = false;
	/** The places in the window where an escape may begin. Most windows have none. */
	readonly #marks: EscapeMarks;
	/** For files of lines: most of their text lies between findings, and has many short numbers. */
	readonly #runs: NumberRuns | undefined;
	readonly #wrapped = new WrappedNumbers();
	readonly #stretches: number[] = [];
	readonly #fields: NumberFields;
	#settled = 0;
	/**
	 * The number of hexadecimal digits directly before the window, because a long word may begin in an earlier window.
	 */
	#hexBefore = 0;

	constructor(format: Format, scanner: Scanner, direction: Direction, tokens: TokenCipher) {
		this.#format = format;
		this.#scanner = scanner;
		this.#fields = new NumberFields(scanner);
		this.#tokens = new OtherTokens(tokens);
		this.#textStarts = new TextStarts(direction);
		this.#numbers = direction === 'tokenize' ? new OtherNumbers(format.hasNumberedLists) : null;
		this.#values = new ValueNumbers(format.hasNumberedLists);
		this.#held = new HeldText(format.escapes);
		this.#around = new TextAround(format, this.#fields);
		this.#marks = new EscapeMarks(format.escapes);
		if (this.#numbers && scanner.markCodes) this.#runs = new NumberRuns();
	}

	/**
	 * Adds a finding for every number of the window that no finding covers, and sorts all findings. Returns the offset at
	 * which the next call begins; everything before it is decided. A number that may continue after `settled` is held
	 * back until the rest of it has been read.
	 */
	add(bytes: Buffer, findings: Findings, bounds: WindowBounds, isLast: boolean): number {
		const { from, settled } = bounds;
		this.#fields.begin(from, bounds.scanFrom);
		this.#settled = settled;
		this.#countedTo = from;
		this.#countedEnds = 0;
		this.#textStarts.take(findings.textStarts, from);
		const known = findings.length;
		const lastEnd = lastReplaced(findings, from);
		// The lines of a scanner that settles whole lines continue nothing.
		const isWhole = isLast || this.#scanner.markCodes !== undefined;
		const end = isWhole
			? settled
			: this.#numbers
				? this.#held.startOf(bytes, lastEnd, settled)
				: heldToken(bytes, lastEnd, settled);
		if (this.#numbers) this.#marks.begin(bytes, from, settled);
		this.#runs?.begin(bytes, from, settled);
		let at = from;
		for (let i = 0; i < known; i++) {
			const finding = findings.items[i];
			const { numberStart, numberEnd, shape } = finding;
			narrowCvv(bytes, finding);
			if (this.#numbers) {
				if (shape !== 'columns' && !areDigits(bytes, numberStart, numberEnd))
					this.#narrow(bytes, findings, finding, from);
			} else if (!isLoneToken(bytes, numberStart, numberEnd, from, settled)) {
				this.#narrowToToken(bytes, finding, findings);
				continue;
			}
			this.#look(bytes, findings, at, numberStart, from);
			at = Math.max(at, numberEnd);
		}
		this.#look(bytes, findings, at, end, from);
		if (findings.length > known) {
			findings.sortByNumber();
			dropCodesInNumbers(findings);
			if (this.#numbers) this.#scanner.markCodes?.(bytes, from, end, findings);
		}
		if (this.#numbers) this.#addCodes(bytes, findings, from, end);
		if (findings.length > known) findings.sortByNumber();
		if (end > from) this.#isAfterCr = bytes[end - 1] === CR;
		this.#hexBefore = hexDigitsBefore(bytes, from, end, this.#hexBefore);
		// The scanner counts lines up to `settled`.
		this.#line = this.#scanner.line - countLineEnds(bytes, end, settled, this.#isAfterCr);
		this.#textStarts.hold(end);
		if (this.#numbers) {
			this.#around.keep(bytes, from, end);
			this.#fields.keep(bytes, end, settled);
		}
		return end;
	}

	wipe(): void {
		this.#numbers?.wipe();
		this.#around.wipe();
		this.#values.wipe();
	}

	/** Narrows a scanner's finding to the number in its value, or to the token if there is no number. */
	#narrow(bytes: Buffer, findings: Findings, finding: Finding, from: number): void {
		const places = this.#places;
		const { numberStart, numberEnd } = finding;
		const hasMarkup = finding.isEscaped && nextMarkup(bytes, numberStart, numberEnd) < numberEnd;
		// A comment inside a number is no part of it.
		if (hasMarkup && this.#isNumber(bytes, finding)) {
			this.#lookInMarkup(bytes, findings, numberStart, numberEnd, from);
			return;
		}
		const known = findings.length;
		// A token takes the place of a whole bare JSON number, with its minus and its fraction, or of nothing in it.
		const isBare = finding.shape === 'quoted';
		places.clear();
		const start = isBare && bytes[numberStart] === MINUS ? numberStart + 1 : numberStart;
		const isPlain = findInValue(this.#values, bytes, start, numberEnd, places, this.#format.escapes);
		if (!this.#values.isWhole) this.#tokens.dropFrom(places, bytes, numberStart, numberEnd);
		if (places.count === 0) this.#narrowToToken(bytes, finding);
		else if (this.#values.isWhole && (isPlain || isBare)) {
			if (isBare) return;
			finding.numberStart = places.starts[0];
			finding.numberEnd = places.ends[0];
		} else {
			const value = { from: numberStart, to: numberEnd, before: 0 };
			for (let i = 0; i < places.count; i++) {
				if (isBare || runWithTokens(bytes, places, i, value) > LONGEST_RUN) places.kinds[i] = PLACE.TOLD;
			}
			narrow(bytes, finding, places, findings);
			this.#place(bytes, finding, from);
			for (let i = known; i < findings.length; i++) this.#place(bytes, findings.items[i], from);
		}
		if (!hasMarkup) return;
		const narrowed = places.count > 0 ? [finding, ...findings.items.slice(known, findings.length)] : undefined;
		this.#lookInMarkup(bytes, findings, numberStart, numberEnd, from, narrowed);
	}

	/** Tells whether a value is a number, right or wrong, without its escapes and comments. */
	#isNumber(bytes: Buffer, { numberStart, numberEnd }: Finding): boolean {
		const value = this.#format.decode?.(bytes, numberStart, numberEnd);
		const isWhole = value !== undefined && isNumber(value);
		value?.fill(0);
		return isWhole;
	}

	/**
	 * Narrows a scanner's finding to the first text in its value that may be a token. Letters beside a token may look like
	 * a part of it: `CA` and a token. With `findings`, each text that overlaps the first one gets a finding with the same
	 * fields, and the vault tells which of them is the token.
	 */
	#narrowToToken(bytes: Buffer, finding: Finding, findings?: Findings): void {
		const places = this.#places;
		const { numberStart, numberEnd } = finding;
		if (numberEnd - numberStart <= TOKEN_CHARACTERS) return;
		places.clear();
		findInValue(this.#tokens, bytes, numberStart, numberEnd, places, this.#format.escapes);
		if (places.count === 0) return;
		finding.numberStart = places.starts[0];
		finding.numberEnd = places.ends[0];
		if (findings !== undefined) takeCodeBehind(bytes, finding, numberEnd, findings);
		for (let i = 1; findings !== undefined && i < places.count && places.starts[i] < finding.numberEnd; i++) {
			Object.assign(findings.next(), finding, { numberStart: places.starts[i], numberEnd: places.ends[i] });
		}
	}

	/** Sets what follows from the position of a finding's number. */
	#place(bytes: Buffer, finding: Finding, from: number): void {
		finding.line = this.#line + this.#lineEnds(bytes, from, finding.numberStart);
		if (finding.isOther) this.#describe(bytes, finding);
		else finding.isEscaped ||= bytes.subarray(finding.numberStart, finding.numberEnd).some(isEscapeSign);
	}

	/**
	 * Looks for numbers in the comments and instructions within a value, where they are outside the card fields. `narrowed`
	 * are the numbers to which the value was narrowed. Without them the whole value may be replaced, so what is found is only
	 * told.
	 */
	#lookInMarkup(
		bytes: Buffer,
		findings: Findings,
		valueStart: number,
		end: number,
		from: number,
		narrowed?: readonly Finding[],
	): void {
		for (const [start, after] of commentsIn(bytes, valueStart, end)) {
			if (narrowed?.some((each) => each.numberStart < start && each.numberEnd > start)) continue;
			const known = findings.length;
			this.#look(bytes, findings, start, after, from);
			for (let i = known; narrowed === undefined && i < findings.length; i++) findings.items[i].keptFor ??= 'spelling';
		}
	}

	#look(bytes: Buffer, findings: Findings, start: number, end: number, from: number): void {
		for (const [first, after] of this.#textStarts.parts(start, end)) this.#lookIn(bytes, findings, first, after, from);
	}

	#lookIn(bytes: Buffer, findings: Findings, start: number, end: number, from: number): void {
		const places = this.#places;
		places.clear();
		if (this.#numbers) this.#findNumbers(this.#numbers, bytes, start, end, from, findings);
		else this.#tokens.find(bytes, start, end, places);
		for (let i = 0; i < places.count; i++) {
			const [first, after] = [places.starts[i], places.ends[i]];
			if (!this.#numbers && isFoundAt(findings, first)) continue;
			const finding = findings.next();
			finding.isOther = true;
			finding.numberStart = first;
			finding.numberEnd = after;
			finding.line = this.#line + this.#lineEnds(bytes, from, first);
			if (!this.#numbers) continue;
			if (places.kinds[i] === PLACE.MASKED) {
				finding.isOther = false;
				finding.isMasked = true;
				continue;
			}
			// Digits at the end of a token and digits after it may look like a card number together. Conversely, text that is
			// no token may look like one by chance, so a token may only be possible.
			const overlap = this.#tokens.overlap(bytes, first, after, start, end);
			if (places.kinds[i] === PLACE.TOLD) finding.keptFor = 'spelling';
			else if (overlap === 'possible') finding.keptFor = 'token';
			this.#describe(bytes, finding);
			if (overlap === 'sure' || this.#isOtherThing(bytes, finding, from)) {
				findings.truncate(findings.length - 1);
				continue;
			}
			const before = hexDigitsBefore(bytes, from, start, this.#hexBefore);
			if (runWithTokens(bytes, places, i, { from: start, to: end, before }) > LONGEST_RUN) finding.shape = 'columns';
		}
	}

	/** Tells whether the place of a finding says that its digits are those of a phone, a ticket or the like. */
	#isOtherThing(bytes: Buffer, { numberStart, numberEnd, field }: Finding, from: number): boolean {
		if (!mayBeOtherThing(bytes, numberStart, numberEnd)) return false;
		return isOtherThing({
			spelling: bytes.toString('latin1', numberStart, numberEnd),
			name: field,
			isTag: this.#format.hasNumberedLists === true,
			before: this.#around.before(bytes, from, numberStart),
			behind: this.#around.behind(bytes, numberStart, numberEnd, this.#settled),
		});
	}

	/**
	 * Adds a finding for each security code in the text that is neither the CVV of a card nor part of a number, and for
	 * those of numbers outside the card fields.
	 */
	#addCodes(bytes: Buffer, findings: Findings, from: number, end: number): void {
		const places = this.#places;
		places.clear();
		takeCodes(findings, places);
		const hasLines = this.#scanner.markCodes !== undefined;
		// Another field of the file holds no code of a number.
		const take = (number: number, code: number, isTold: boolean) => {
			if (!this.#fields.areInOneField(bytes, number, code)) return;
			places.add(code, endOfDigits(bytes, code, end), isTold ? PLACE.TOLD : PLACE.REPLACED);
		};
		for (const [first, after] of this.#textStarts.parts(from, end)) {
			findOtherCodes(bytes, first, after, places);
			// A line of a layout may mean something else by what is behind a number that a host has masked.
			findCodesBesideMasks(bytes, first, after, (number, code, isTold) => take(number, code, isTold || hasLines));
		}
		findCodesBeside(bytes, findings, end, hasLines, (at) => this.#textStarts.startOf(at, from), take);
		if (places.count === 0) return;
		const taken = new TakenSpans(findings);
		places.sortFrom(0);
		for (let i = 0; i < places.count; i++) {
			if (taken.overlap(places.starts[i], places.ends[i])) continue;
			// A word may announce the code that is also right behind a number.
			if (i > 0 && places.starts[i] < places.ends[i - 1]) continue;
			const finding = findings.next();
			finding.isOther = true;
			finding.isCode = true;
			finding.isCvvDoubtful = places.kinds[i] === PLACE.TOLD;
			finding.numberStart = places.starts[i];
			finding.numberEnd = places.ends[i];
			this.#place(bytes, finding, from);
		}
	}

	/**
	 * Finds the card numbers in a stretch of text. If the stretch has escapes, they are searched for in the text that the
	 * escapes stand for.
	 */
	#findNumbers(
		numbers: OtherNumbers,
		bytes: Buffer,
		start: number,
		end: number,
		from: number,
		findings: Findings,
	): void {
		const places = this.#places;
		const { escapes } = this.#format;
		if (this.#marks.next(start) >= end) {
			if (escapes === 'markup') numbers.findInLines(bytes, start, end, places, this.#stretches);
			else numbers.find(bytes, start, end, places, this.#runs);
			if (this.#stretches.length > 0) this.#tellWrapped(bytes, bytes, from, findings);
			return;
		}
		const text = new Unescaped(bytes, start, end, escapes, this.#marks);
		const plain = text.bytes;
		if (escapes === undefined) numbers.find(plain, 0, plain.length, places);
		else numbers.findInLines(plain, 0, plain.length, places, this.#stretches);
		if (this.#stretches.length > 0) this.#tellWrapped(plain, bytes, from, findings, text);
		text.move(places);
	}

	/** Tells of the numbers that line ends divide in `plain`, which is the window or a text without its escapes. */
	#tellWrapped(plain: Buffer, bytes: Buffer, from: number, findings: Findings, text?: Unescaped): void {
		const lineOf = (at: number) => this.#line + this.#lineEnds(bytes, from, text?.offsetOf(at) ?? at);
		tellWrapped(this.#stretches, plain, this.#places, this.#wrapped, lineOf, findings);
	}

	#describe(bytes: Buffer, finding: Finding): void {
		const { numberStart, numberEnd } = finding;
		finding.isEscaped = bytes.subarray(numberStart, numberEnd).some(isEscapeSign);
		finding.field = this.#fields.fieldOf(bytes, numberStart);
		const shape = this.#fields.shapeOf(bytes, numberStart, numberEnd);
		if (shape === 'fixed') finding.keptFor = 'bareNumber';
		finding.shape = shape === 'quoted' ? 'otherQuoted' : shape === 'plain' ? 'other' : 'columns';
	}

	/**
	 * Returns the number of line ends in `bytes[from, to)`. It goes on, or back, from where it ended last, because the next
	 * number is mostly near.
	 */
	#lineEnds(bytes: Buffer, from: number, to: number): number {
		const isBack = to < this.#countedTo;
		const start = isBack ? to : this.#countedTo;
		const end = isBack ? this.#countedTo : to;
		const isAfterCr = start > from ? bytes[start - 1] === CR : this.#isAfterCr;
		const ends = countLineEnds(bytes, start, end, isAfterCr);
		this.#countedEnds += isBack ? -ends : ends;
		this.#countedTo = to;
		return this.#countedEnds;
	}
}

function isEscapeSign(byte: number): boolean {
	return byte === 0x5c || byte === 0x26 || byte === 0x25 || byte === 0x3c;
}
