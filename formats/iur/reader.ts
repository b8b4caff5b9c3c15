import { EXPIRY_ABSENT } from '../../src/base/card/expiry.ts';
import { FileError, type Findings } from '../../src/engine/format.ts';
import { FreeText } from '../scan/free-text.ts';
import { isKnownCode } from '../scan/lines/card-codes.ts';
import { CodedNumbers } from '../scan/lines/coded.ts';
import { markCvvs } from '../scan/lines/cvv.ts';
import { LineFindings } from '../scan/lines/findings.ts';
import { addTextStart, endOfLine, findLabelled, isBlank, type LineReader } from '../scan/lines/lines.ts';
import { addCoded, scanCodes, scanNetworks } from '../scan/lines/network.ts';
import { scanColumns } from './columns.ts';
import { findCut, LINES_BEHIND_M1, LINES_BEHIND_M2 } from './cut.ts';
import { IurExpiries } from './expiry.ts';
import {
	findLeadingCode,
	giveExpiries,
	type M2Facts,
	readM2,
	rememberCards,
	scanM2Payment,
	scanM5,
} from './payment.ts';
import {
	hasColumns,
	type IurLineKind,
	isRecordStart,
	isVoid,
	lineKindOf,
	mayBeginSection,
	textStartOf,
} from './sections.ts';

export interface IurOptions {
	readonly freeText: boolean;
	readonly keywords: readonly string[];
}

/** The form of payment of an M2 sub-record is this many lines below its first line. */
const PAYMENT_LINE = 3;
const LABEL = Buffer.from('FOP*');

export class IurReader implements LineReader {
	readonly #freeText: FreeText | undefined;
	readonly #line = new LineFindings();
	readonly #numbers = new CodedNumbers();
	readonly #expiries = new IurExpiries();
	#record = 0;
	/** The sub-record that the current lines belong to. */
	#section: Exclude<IurLineKind, 'variable' | 'likeMG'> = 'M0';
	#isVoid = false;
	/** The number of lines read since the first line of the sub-record. */
	#linesBehind = 0;
	#m2: M2Facts = { passenger: 0, expiry: EXPIRY_ABSENT };
	/** The starts of the lines behind M0, with addresses and phones, that may hold a number in the current window. */
	readonly #headerLines: number[] = [];
	textStart = 0;

	constructor(options: IurOptions) {
		this.#freeText = options.freeText ? new FreeText(options.keywords) : undefined;
	}

	open(bytes: Buffer, start: number, end: number): void {
		let at = start;
		let lineEnd = endOfLine(bytes, at, end);
		while (lineEnd < end && isBlank(bytes, at, lineEnd)) {
			at = lineEnd + 1;
			lineEnd = endOfLine(bytes, at, end);
		}
		if (isRecordStart(bytes, at, lineEnd)) return;
		throw new FileError(
			'the first line does not start with AA, a date and M0 at column 12, as every Sabre Interface User Record does',
			{ offset: at, line: 1 },
			{ code: 'file-of-other-format' },
		);
	}

	beginWindow(): void {
		this.#headerLines.length = 0;
	}

	line(bytes: Buffer, start: number, end: number, lineNumber: number, found: Findings, hasNumber: boolean): void {
		if (!hasNumber && !mayBeginSection(bytes, start)) {
			this.#linesBehind++;
			this.textStart = start;
			return;
		}
		const isDue = this.#section === 'M2' && this.#linesBehind + 1 === PAYMENT_LINE;
		// If another sub-record begins before the form of payment, lines of the M2 are missing, so the form of payment is
		// no longer expected.
		const isCard = isDue && findLeadingCode(bytes, start, start, end, this.#numbers) !== -1;
		const kind = isCard ? 'variable' : lineKindOf(bytes, start, end, this.#numbers);
		if (kind === 'variable' || kind === 'likeMG') this.#linesBehind++;
		else this.#beginSection(kind, bytes, start, end);
		const textStart = isDue ? start : textStartOf(kind, bytes, start, end);
		this.textStart = textStart;
		if (textStart > start) addTextStart(bytes, start, textStart, end, found);
		if (!hasNumber) return;
		if (this.#section === 'M0') this.#headerLines.push(start);
		const line = this.#line.begin(found, this.#record, lineNumber);
		if (isDue && kind === 'variable') this.#scanM2Payment(bytes, start, end, line);
		else if (kind === 'variable') this.#scanVariable(bytes, start, textStart, end, line);
		else this.#scanFirst(kind, bytes, start, textStart, end, line);
	}

	close(bytes: Buffer, lastStart: number, end: number, lineNumber: number): void {
		this.#expiries.clear();
		this.#numbers.clear();
		const reason = this.#findMissingLines() ?? (lastStart < end ? findCut(bytes, lastStart, end) : undefined);
		if (reason !== undefined) {
			throw new FileError(reason, { offset: end, line: lineNumber, record: this.#record }, { code: 'file-cut-off' });
		}
	}

	hasColumns(bytes: Buffer, start: number, end: number): boolean {
		return hasColumns(bytes, start, end);
	}

	markCodes(bytes: Buffer, start: number, end: number, line: LineFindings): void {
		const kind = lineKindOf(bytes, start, end, this.#numbers);
		const isText = kind === 'remarks' || kind === 'variable' || kind === 'likeMG';
		const place = isText ? 'text' : hasColumns(bytes, start, end) ? 'columns' : 'layout';
		const textStart = kind === 'M5' ? line.at(0).numberEnd : textStartOf(kind, bytes, start, end);
		markCvvs(bytes, textStart, end, line, place);
	}

	tagOf(bytes: Buffer, start: number, end: number): string | undefined {
		const kind = lineKindOf(bytes, start, end, this.#numbers);
		if (kind === 'M0' || this.#headerLines.includes(start)) return 'M0';
		return kind === 'variable' || kind === 'likeMG' ? undefined : bytes.toString('latin1', start, start + 2);
	}

	#beginSection(kind: Exclude<IurLineKind, 'variable' | 'likeMG'>, bytes: Buffer, start: number, end: number): void {
		this.#section = kind;
		this.#linesBehind = 0;
		if (kind === 'M0') {
			this.#record++;
			this.#isVoid = isVoid(bytes, start, end);
			this.#expiries.clear();
		} else if (kind === 'M2') {
			this.#m2 = readM2(bytes, start, end);
		}
	}

	/** Reads the first line of a sub-record, or a line that looks like an MG. */
	#scanFirst(
		kind: IurLineKind,
		bytes: Buffer,
		start: number,
		textStart: number,
		end: number,
		line: LineFindings,
	): void {
		if (kind === 'M5') {
			scanM5(bytes, start, end, line, this.#numbers);
			scanNetworks(bytes, start, end, line, this.#numbers, true);
			if (line.count === 0) return;
			giveExpiries(bytes, start, this.#expiries, line);
			// Only the text after the form of payment is searched for a CVV; the fields before it are not text.
			markCvvs(bytes, line.at(0).numberEnd, end, line, 'layout');
			return;
		}
		if (kind === 'remarks') this.#scanText(bytes, textStart, end, line);
		else if (kind === 'charges') this.#scanCharges(bytes, start, end, line);
		else if (kind === 'plain') scanNetworks(bytes, start, end, line, this.#numbers);
		else {
			scanColumns(bytes, start, end, line, this.#numbers, kind === 'MG');
			return;
		}
		markCvvs(bytes, textStart, end, line, kind === 'remarks' ? 'text' : 'layout');
	}

	#scanVariable(bytes: Buffer, start: number, textStart: number, end: number, line: LineFindings): void {
		const section = this.#section;
		const isText = section === 'M3' || section === 'remarks';
		if (isText) this.#scanText(bytes, start, end, line);
		else if (section === 'charges') this.#scanCharges(bytes, start, end, line);
		else scanNetworks(bytes, start, end, line, this.#numbers);
		markCvvs(bytes, textStart, end, line, isText ? 'text' : 'layout');
	}

	#scanM2Payment(bytes: Buffer, start: number, end: number, line: LineFindings): void {
		scanM2Payment(bytes, start, end, this.#m2.expiry, line, this.#numbers);
		scanNetworks(bytes, start, end, line, this.#numbers, true);
		markCvvs(bytes, start, end, line, 'layout');
		rememberCards(bytes, this.#m2, this.#expiries, line);
	}

	/**
	 * Finds cards in text that is not laid out in columns (rules IUR-4 and NET): the text of M3, M7, M8, M9, ME and MF. A number
	 * after a word such as `CARD` is searched for only if the account has keywords.
	 */
	#scanText(bytes: Buffer, start: number, end: number, line: LineFindings): void {
		this.#scanLabelled(bytes, start, end, line);
		this.#scanCharges(bytes, start, end, line);
		this.#freeText?.scan(bytes, start, end, line);
	}

	/** Scans a line in which a valid or invalid card number may follow `CC`, as in the forms of payment of MB, MC and MD. */
	#scanCharges(bytes: Buffer, start: number, end: number, line: LineFindings): void {
		scanCodes(bytes, start, end, line, this.#numbers);
		scanNetworks(bytes, start, end, line, this.#numbers);
	}

	/** Adds the card after `FOP*`: `FOP*VI4111111111111111#1229` (formats §4.2). */
	#scanLabelled(bytes: Buffer, start: number, end: number, line: LineFindings): void {
		const numbers = this.#numbers;
		for (let at = findLabelled(bytes, LABEL, start, end); at !== -1; at = findLabelled(bytes, LABEL, at, end)) {
			const codeAt = findLeadingCode(bytes, start, at, end, numbers);
			if (codeAt !== -1 && isKnownCode(bytes, codeAt, end)) addCoded(bytes, codeAt, end, line, numbers, true);
		}
	}

	#findMissingLines(): string | undefined {
		if (this.#section === 'M0' && !this.#isVoid) return 'the file ends before the first sub-record of a record';
		const expected = this.#section === 'M1' ? LINES_BEHIND_M1 : this.#section === 'M2' ? LINES_BEHIND_M2 : 0;
		if (this.#linesBehind >= expected) return undefined;
		return `the file ends ${this.#linesBehind} lines behind an ${this.#section} line, where ${expected} are due`;
	}
}
