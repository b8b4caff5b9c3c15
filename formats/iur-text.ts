// Rule IUR-4: text of M3, M7, M8, M9, ME and MF.

import { EXPIRY_ABSENT, EXPIRY_UNREADABLE, type Expiry } from '../src/card/expiry.ts';
import type { Findings } from '../src/transfer/format.ts';
import { findLeadingCode, readCrossExpiry } from './iur-payment.ts';
import { FreeText } from './scan/free-text.ts';
import { CODE_LENGTH, isKnownCode, scanCodes } from './scan/lines-coded.ts';
import { markCvvs } from './scan/lines-cvv.ts';
import { LineFindings } from './scan/lines-findings.ts';
import { endOfNumber, isAlphanumeric, mayHoldGroupedNumber } from './scan/lines-number.ts';

const LABEL = Buffer.from('FOP*');
const SLASH = 0x2f;

/** Finds the cards in lines of text. */
export class IurText {
	readonly #freeText: FreeText | undefined;
	readonly #line = new LineFindings();

	/** Without keywords only numbers behind a card code are found. */
	constructor(keywords: readonly string[] | undefined) {
		this.#freeText = keywords === undefined ? undefined : new FreeText(keywords);
	}

	scan(bytes: Buffer, start: number, end: number, found: Findings, record: number, lineNumber: number): void {
		if (!mayHoldGroupedNumber(bytes, start, end)) return;
		const line = this.#line.begin(found, record, lineNumber);
		scanCodes(bytes, start, end, line);
		for (let i = 0; i < line.count; i++) {
			const finding = line.at(i);
			finding.expiry ||= readTextExpiry(bytes, finding.numberEnd, end);
		}
		scanLabelled(bytes, start, end, line);
		this.#freeText?.scan(bytes, start, end, line);
		if (line.count > 0) markCvvs(bytes, start, end, line);
	}
}

/** What stands behind a slash in text may be anything: only a real month makes it an expiry, as in rule AIR-2. */
function readTextExpiry(bytes: Buffer, numberEnd: number, end: number): Expiry {
	const expiry = readCrossExpiry(bytes, numberEnd, end);
	return expiry === EXPIRY_UNREADABLE && bytes[numberEnd] === SLASH ? EXPIRY_ABSENT : expiry;
}

/** Adds what stands behind `FOP*`: `FOP*VI4111111111111111#1229` (formats §4.2). */
function scanLabelled(bytes: Buffer, start: number, end: number, line: LineFindings): void {
	line.sort();
	for (let i = start; i + LABEL.length < end; i++) {
		if (bytes[i] !== LABEL[0] || bytes.compare(LABEL, 0, LABEL.length, i, i + LABEL.length) !== 0) continue;
		if (i > start && isAlphanumeric(bytes[i - 1])) continue;
		const codeAt = findLeadingCode(bytes, i + LABEL.length, end);
		if (codeAt === -1 || !isKnownCode(bytes, codeAt, end)) continue;
		const numberStart = codeAt + CODE_LENGTH;
		const numberEnd = endOfNumber(bytes, numberStart, end);
		if (line.findOverlap(numberStart, numberEnd) !== undefined) continue;
		line.add(numberStart, numberEnd, readCrossExpiry(bytes, numberEnd, end), codeAt, numberStart);
	}
}
