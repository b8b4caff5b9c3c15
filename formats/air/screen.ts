// This optional rule covers payment screens pasted into an AIR: `MEP TYP-CARD/VCD-VI/NUM-4111111111111111/EXP-0925`
// (formats §3.3). Hosts mask the number on such screens, so the rule is off by default; turn it on if you have seen
// clear numbers.

import { isAlphanumeric } from '../../src/base/card/ascii.ts';
import { readExpiryBehind } from '../../src/base/card/spelling/expiry-behind.ts';
import { CODE_LENGTH, isCode } from '../scan/lines/card-codes.ts';
import type { LineFindings } from '../scan/lines/findings.ts';
import { endOfNumber } from '../scan/lines/number.ts';

const NUMBER_LABEL = Buffer.from('NUM-');
const VENDOR_LABEL = Buffer.from('VCD-');

/** Adds the numbers after `NUM-`, and takes their network code from `VCD-` on the same line. */
export function scanPaymentScreen(bytes: Buffer, start: number, end: number, line: LineFindings): void {
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

/** Returns the position after the next `label` that no letter or digit precedes, or -1 if there is none. */
function findLabelled(bytes: Buffer, label: Buffer, from: number, end: number): number {
	for (let i = from; i + label.length <= end; i++) {
		if (bytes[i] !== label[0] || bytes.compare(label, 0, label.length, i, i + label.length) !== 0) continue;
		if (i > from && isAlphanumeric(bytes[i - 1])) continue;
		return i + label.length;
	}
	return -1;
}
