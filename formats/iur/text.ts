// Finds cards in text that is not laid out in columns (rules IUR-4 and NET): the text of M3, M7, M8, M9, ME and MF,
// forms of payment of MB, MC and MD, and lines of any other kind.

import { isAlphanumeric } from '../../src/base/card/ascii.ts';
import { FreeText } from '../scan/free-text.ts';
import { isKnownCode } from '../scan/lines/card-codes.ts';
import type { CodedNumbers } from '../scan/lines/coded.ts';
import type { LineFindings } from '../scan/lines/findings.ts';
import { addCoded, scanCodes, scanNetworks } from '../scan/lines/network.ts';
import { findLeadingCode } from './payment.ts';

const LABEL = Buffer.from('FOP*');

/** Finds the cards in lines that are not laid out in columns. */
export class IurText {
	readonly #freeText: FreeText | undefined;
	readonly #numbers: CodedNumbers;

	/**
	 * Prepares the search in lines of text. Numbers after a card code, as in `VI4111111111111111`, are always searched
	 * for. Numbers after a word such as `CARD` are searched for only if these words are given as `keywords`.
	 */
	constructor(keywords: readonly string[] | undefined, numbers: CodedNumbers) {
		this.#freeText = keywords === undefined ? undefined : new FreeText(keywords);
		this.#numbers = numbers;
	}

	/** Scans a line of text that people typed. */
	scanText(bytes: Buffer, start: number, end: number, line: LineFindings): void {
		this.#scanLabelled(bytes, start, end, line);
		this.scanCharges(bytes, start, end, line);
		this.#freeText?.scan(bytes, start, end, line);
	}

	/** Scans a line in which a valid or invalid card number may follow `CC`. */
	scanCharges(bytes: Buffer, start: number, end: number, line: LineFindings): void {
		scanCodes(bytes, start, end, line, this.#numbers);
		scanNetworks(bytes, start, end, line, this.#numbers);
	}

	/** Adds the card after `FOP*`: `FOP*VI4111111111111111#1229` (formats §4.2). */
	#scanLabelled(bytes: Buffer, start: number, end: number, line: LineFindings): void {
		const numbers = this.#numbers;
		for (let i = start; i + LABEL.length < end; i++) {
			if (bytes[i] !== LABEL[0] || bytes.compare(LABEL, 0, LABEL.length, i, i + LABEL.length) !== 0) continue;
			if (i > start && isAlphanumeric(bytes[i - 1])) continue;
			const codeAt = findLeadingCode(bytes, start, i + LABEL.length, end, numbers);
			if (codeAt === -1 || !isKnownCode(bytes, codeAt, end)) continue;
			addCoded(bytes, codeAt, end, line, numbers, true);
		}
	}
}
