import { EXPIRY_ABSENT } from '../src/card/expiry.ts';
import { FileError, type Findings } from '../src/transfer/format.ts';
import { scanMg } from './iur-columns.ts';
import { findCut, LINES_BEHIND_M1, LINES_BEHIND_M2 } from './iur-cut.ts';
import { IurExpiries } from './iur-expiry.ts';
import { m2Passenger, readM2Expiry, scanM2Payment, scanM5 } from './iur-payment.ts';
import { type IurLineKind, isRecordStart, isVoid, lineKindOf } from './iur-sections.ts';
import { IurText } from './iur-text.ts';
import { endOfLine, isBlank, type LineReader } from './scan/lines.ts';
import { LineFindings } from './scan/lines-findings.ts';

export interface IurOptions {
	readonly freeText: boolean;
	readonly keywords: readonly string[];
}

/** The form of payment stands in this line behind M2. */
const PAYMENT_LINE = 3;
/** Length of the name and the item number before the text of a remark: `M801`. */
const REMARK_START = 4;

/** Reads one file of IUR records, line by line. */
export class IurReader implements LineReader {
	readonly #text: IurText;
	readonly #line = new LineFindings();
	readonly #expiries = new IurExpiries();
	#record = 0;
	/** The sub-record that the lines now read belong to. */
	#section: Exclude<IurLineKind, 'variable'> = 'M0';
	#isVoid = false;
	/** How many lines stand behind the first line of the sub-record. */
	#linesBehind = 0;
	#m2 = { passenger: 0, expiry: EXPIRY_ABSENT };

	constructor(options: IurOptions) {
		this.#text = new IurText(options.freeText ? options.keywords : undefined);
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
		);
	}

	line(bytes: Buffer, start: number, end: number, lineNumber: number, found: Findings): void {
		const isPaymentLine = this.#section === 'M2' && this.#linesBehind + 1 === PAYMENT_LINE;
		if (isPaymentLine && this.#scanM2Payment(bytes, start, end, this.#begin(found, lineNumber))) {
			this.#linesBehind++;
			return;
		}
		const kind = lineKindOf(bytes, start, end);
		if (kind === 'variable') {
			this.#linesBehind++;
			if (this.#section === 'M3' || this.#section === 'remarks') {
				this.#text.scan(bytes, start, end, found, this.#record, lineNumber);
			}
			return;
		}
		this.#section = kind;
		this.#linesBehind = 0;
		this.#firstLine(kind, bytes, start, end, lineNumber, found);
	}

	close(bytes: Buffer, lastStart: number, end: number, lineNumber: number): void {
		this.#expiries.clear();
		const reason = this.#findMissingLines() ?? (lastStart < end ? findCut(bytes, lastStart, end) : undefined);
		if (reason !== undefined) throw new FileError(reason, { offset: end, line: lineNumber, record: this.#record });
	}

	#firstLine(kind: IurLineKind, bytes: Buffer, start: number, end: number, lineNumber: number, found: Findings): void {
		if (kind === 'M0') {
			this.#record++;
			this.#isVoid = isVoid(bytes, start, end);
			this.#expiries.clear();
		} else if (kind === 'M2') {
			this.#m2.passenger = m2Passenger(bytes, start);
			this.#m2.expiry = readM2Expiry(bytes, start, end);
		} else if (kind === 'M5') {
			scanM5(bytes, start, end, this.#expiries, this.#begin(found, lineNumber));
		} else if (kind === 'MG') {
			scanMg(bytes, start, end, this.#begin(found, lineNumber));
		} else if (kind === 'remarks') {
			this.#text.scan(bytes, start + REMARK_START, end, found, this.#record, lineNumber);
		}
	}

	#scanM2Payment(bytes: Buffer, start: number, end: number, line: LineFindings): boolean {
		return scanM2Payment(bytes, start, end, this.#m2, this.#expiries, line);
	}

	#findMissingLines(): string | undefined {
		if (this.#section === 'M0' && !this.#isVoid) return 'the file ends before the first sub-record of a record';
		const expected = this.#section === 'M1' ? LINES_BEHIND_M1 : this.#section === 'M2' ? LINES_BEHIND_M2 : 0;
		if (this.#linesBehind >= expected) return undefined;
		return `the file ends ${this.#linesBehind} lines behind an ${this.#section} line, where ${expected} are due`;
	}

	#begin(found: Findings, lineNumber: number): LineFindings {
		return this.#line.begin(found, this.#record, lineNumber);
	}
}
