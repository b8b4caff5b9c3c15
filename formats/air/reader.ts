import { readExpiryBehind } from '../../src/base/card/spelling/expiry-behind.ts';
import { FileError, type Findings } from '../../src/engine/format.ts';
import { FreeText } from '../scan/free-text.ts';
import { CODE_LENGTH, isCode } from '../scan/lines/card-codes.ts';
import { CodedNumbers } from '../scan/lines/coded.ts';
import { markCvvs } from '../scan/lines/cvv.ts';
import { LineFindings } from '../scan/lines/findings.ts';
import { addTextStart, endOfLine, findLabelled, isBlank, type LineReader, startsWith } from '../scan/lines/lines.ts';
import { scanCodes, scanNetworks } from '../scan/lines/network.ts';
import { endOfNumber } from '../scan/lines/number.ts';
import { giveCodes, scanPayment, scanStoredPayment } from './payment.ts';
import { type AirLineKind, AirTags, labelBehindTag, shownTag } from './tags.ts';

export interface AirOptions {
	readonly freeText: boolean;
	readonly keywords: readonly string[];
	readonly excludedTags: readonly string[];
	readonly paymentScreen: boolean;
}

/**
 * An AIR has this many header lines after its line AIR-BLK. This format never changes them, because AIR-BLK states a
 * length that counts them (formats §3.2). The engine's search for numbers outside the format still covers them.
 */
const HEADER_LINES_BEHIND_FIRST = 3;
const BEGIN = Buffer.from('AIR-BLK');

export class AirReader implements LineReader {
	readonly #tags: AirTags;
	readonly #freeText: FreeText | undefined;
	readonly #hasPaymentScreen: boolean;
	readonly #line = new LineFindings();
	readonly #numbers = new CodedNumbers();
	#record = 0;
	#headerLinesLeft = 0;
	/** True while the lines read are between AIR-BLK and END or ENDX. */
	#isInside = false;

	constructor(options: AirOptions) {
		this.#tags = new AirTags(options.excludedTags);
		this.#freeText = options.freeText ? new FreeText(options.keywords) : undefined;
		this.#hasPaymentScreen = options.paymentScreen;
	}

	open(bytes: Buffer, start: number, end: number): void {
		for (let at = start; at < end; at = endOfLine(bytes, at, end) + 1) {
			if (startsWith(bytes, at, end, BEGIN)) return;
		}
		throw new FileError(
			'no line in the first 8 KiB starts with AIR-BLK, as every Amadeus Interface Record does',
			{ offset: start, line: 1 },
			{ code: 'file-of-other-format' },
		);
	}

	line(bytes: Buffer, start: number, end: number, lineNumber: number, found: Findings, hasNumber: boolean): void {
		if (!hasNumber && this.#headerLinesLeft === 0 && !this.#tags.mayMatter(bytes, start, end)) return;
		const kind = this.#tags.kindOf(bytes, start, end);
		if (kind === 'begin') {
			this.#record++;
			this.#isInside = true;
			this.#headerLinesLeft = HEADER_LINES_BEHIND_FIRST;
		} else if (kind === 'end') {
			this.#isInside = false;
			this.#headerLinesLeft = 0;
		} else if (this.#headerLinesLeft > 0) {
			if (!isBlank(bytes, start, end)) this.#headerLinesLeft--;
		} else {
			const textStart = labelBehindTag(bytes, start, end);
			if (textStart > start) addTextStart(bytes, start, textStart, end, found);
			if (!hasNumber) return;
			const before = found.length;
			const line = this.#line.begin(found, Math.max(1, this.#record), lineNumber);
			this.#scan(kind, bytes, start, textStart, end, line);
			const tagEnd = start + this.#tags.excludedLength(bytes, start, end);
			// A line is not excluded by a tag that extends into its number or token. The exchange replaces these bytes, so
			// the line would no longer begin with that tag, and the way back would not exclude it.
			if (tagEnd > start && line.count > 0 && line.at(0).numberStart >= tagEnd) found.truncate(before);
		}
	}

	close(bytes: Buffer, lastStart: number, end: number, lineNumber: number): void {
		this.#numbers.clear();
		const at = { offset: end, line: lineNumber, record: Math.max(1, this.#record) };
		const fault = { code: 'file-cut-off' } as const;
		if (this.#isInside)
			throw new FileError('the file ends inside an AIR: its last line END or ENDX is missing', at, fault);
		// A last line that ends within the characters AIR-BLK is the first line of another AIR, cut off.
		if (lastStart < end && startsWith(BEGIN, 0, BEGIN.length, bytes.subarray(lastStart, end))) {
			throw new FileError('the file ends inside the first line of an AIR', at, fault);
		}
	}

	markCodes(bytes: Buffer, start: number, end: number, line: LineFindings): void {
		const place = this.#tags.kindOf(bytes, start, end) === 'text' ? 'text' : 'layout';
		markCvvs(bytes, labelBehindTag(bytes, start, end), end, line, place);
	}

	tagOf(bytes: Buffer, start: number, end: number): string | undefined {
		return shownTag(bytes, start, end);
	}

	/** Runs the rules of a line, the strictest first, because a later rule skips what an earlier one has found. */
	#scan(kind: AirLineKind, bytes: Buffer, start: number, textStart: number, end: number, line: LineFindings): void {
		const numbers = this.#numbers;
		const isQuiet = kind === 'quiet' || kind === 'payment';
		if (kind === 'payment') scanPayment(bytes, start, end, line, numbers);
		if (kind === 'stored') scanStoredPayment(bytes, start, end, line);
		if (!isQuiet && this.#hasPaymentScreen) scanPaymentScreen(bytes, start, end, line);
		if (!isQuiet) scanCodes(bytes, start, end, line, numbers);
		scanNetworks(bytes, start, end, line, numbers, kind === 'payment' || kind === 'stored');
		if (kind === 'text') this.#freeText?.scan(bytes, start, end, line);
		markCvvs(bytes, textStart, end, line, kind === 'text' ? 'text' : 'layout');
		if (kind === 'stored') giveCodes(line);
	}
}

const NUMBER_LABEL = Buffer.from('NUM-');
const VENDOR_LABEL = Buffer.from('VCD-');

/**
 * Adds the numbers of a payment screen pasted into an AIR: `MEP TYP-CARD/VCD-VI/NUM-4111111111111111/EXP-0925` (formats §3.3).
 * Their network code is behind `VCD-` on the same line. Hosts mask the number on such screens, so the rule is off by default.
 */
function scanPaymentScreen(bytes: Buffer, start: number, end: number, line: LineFindings): void {
	line.sort();
	const codeAt = findLabelled(bytes, VENDOR_LABEL, start, end);
	const hasCode = codeAt !== -1 && isCode(bytes, codeAt, end);
	let at = findLabelled(bytes, NUMBER_LABEL, start, end);
	while (at !== -1) {
		const numberEnd = endOfNumber(bytes, at, end);
		if (numberEnd !== -1 && line.findOverlap(at, numberEnd) === undefined) {
			const typeStart = hasCode ? codeAt : at;
			const expiry = readExpiryBehind(bytes, numberEnd, end, false);
			line.add(at, numberEnd, expiry, typeStart, hasCode ? codeAt + CODE_LENGTH : at);
		}
		at = findLabelled(bytes, NUMBER_LABEL, numberEnd === -1 ? at : numberEnd, end);
	}
}
