// Rule AIR-1: forms of payment, `FPO/CASH+/CCVI4111111111111111/0119/USD538.02` (formats §3.3, §3.4).

import { CODE_LENGTH, endOfCodedNumber, numberStartBehind, readExpiryBehind } from './scan/lines-coded.ts';
import type { LineFindings } from './scan/lines-findings.ts';

const BLANK = 0x20;
const STAR = 0x2a;
const PLUS = 0x2b;
const SLASH = 0x2f;
const C = 0x43;
const M = 0x4d;

/** Adds the cards of an `FP` or `MFP` line. */
export function scanPayment(bytes: Uint8Array, start: number, end: number, line: LineFindings): void {
	let i = start + (bytes[start] === M ? 3 : 2);
	let next = addCard(bytes, i, end, line);
	if (next === -1 && i < end && bytes[i] === STAR) next = addCard(bytes, ++i, end, line);
	if (next !== -1) i = next;
	for (; i < end; i++) {
		const byte = bytes[i];
		if (byte !== SLASH && byte !== PLUS && byte !== BLANK) continue;
		next = addCard(bytes, i + 1, end, line);
		if (next !== -1) i = next - 1;
	}
}

/** Adds the card whose `C` or `CC` stands at `at`; the end of its number, or -1. */
function addCard(bytes: Uint8Array, at: number, end: number, line: LineFindings): number {
	if (at >= end || bytes[at] !== C) return -1;
	// In FPCCCA5555 the code is CA behind CC, in FPCCA5555 it is CA behind C: the number tells.
	let codeAt = at + 2;
	let numberEnd = at + 1 < end && bytes[at + 1] === C ? endOfCodedNumber(bytes, codeAt, end) : -1;
	if (numberEnd === -1) {
		codeAt = at + 1;
		numberEnd = endOfCodedNumber(bytes, codeAt, end);
	}
	if (numberEnd === -1) return -1;
	const expiry = readExpiryBehind(bytes, numberEnd, end, true);
	line.add(numberStartBehind(bytes, codeAt), numberEnd, expiry, codeAt, codeAt + CODE_LENGTH);
	return numberEnd;
}
