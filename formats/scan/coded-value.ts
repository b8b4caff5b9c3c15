// Finds the number in a field that holds the card code with it, as travel hosts write it: `VI4111111111111111`.

import { isUpperLetter } from '../../src/card/ascii.ts';
import { CODE_LENGTH, CodedNumbers } from './lines/coded.ts';

const C = 0x43;
const HYPHEN = 0x2d;
const SLASH = 0x2f;

// This object is reused for every field. It is wiped after each reading.
const numbers = new CodedNumbers();

/** The position of a card code and of the number behind it in a field. One instance is reused for all fields. */
export class CodedValue {
	codeStart = 0;
	codeEnd = 0;
	numberStart = 0;

	/**
	 * Tells whether `bytes[start, end)`, a value without blanks around it, is a known card code with a number or token
	 * behind it and nothing else: `VI4111…`, `VI 4111 …`, `CCVI4111…`. The number must be one of the code's network, and
	 * its check digit must be right.
	 */
	read(bytes: Uint8Array, start: number, end: number): boolean {
		if (start >= end || !isUpperLetter(bytes[start])) return false;
		const isBehindCc = bytes[start] === C && bytes[start + 1] === C;
		const isApart = isBehindCc && (bytes[start + 2] === HYPHEN || bytes[start + 2] === SLASH);
		this.codeStart = start + (isApart ? 3 : isBehindCc ? 2 : 0);
		this.codeEnd = this.codeStart + CODE_LENGTH;
		const isRead = numbers.read(bytes, this.codeStart, this.codeStart, end, true) && numbers.end === end;
		this.numberStart = numbers.start;
		numbers.clear();
		return isRead;
	}
}
