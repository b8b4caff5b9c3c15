// Does the engine's work on a file of lines, with tokens that a test chooses. The tokens of the vault are random, so that a
// rule that confuses some of them once in a million files would never be caught.

import { PART } from '../../src/base/card/card-parts.ts';
import { CardReading, DOORS } from '../../src/base/card/read-card.ts';
import type { Format } from '../../src/engine/format.ts';
import { type ScannedFinding, scanAll } from './scan.ts';

const NOW = new Date('2026-11-15');
const TAIL_PREFIX = ' TKN-';

/** The card data for which the tokens of one file stand. */
export type Vault = Map<string, { readonly number: string; readonly cvv?: string }>;

interface Edit {
	readonly start: number;
	readonly end: number;
	readonly text: string;
}

/**
 * Returns the file with one of `tokens` in place of each good number and stars in place of its CVV. Adds to `vault` what
 * they stand for.
 */
export function tokenizeLines<Options>(
	format: Format<Options>,
	options: Options,
	text: string,
	tokens: readonly string[],
	vault: Vault,
): string {
	const edits: Edit[] = [];
	for (const finding of scanAll(format, options, Buffer.from(text, 'latin1'))) {
		const { number, shape, sideStart = 0 } = finding;
		const cvv = finding.isCvvDoubtful ? undefined : finding.cvv;
		if (!isGood(finding)) continue;
		const token = tokens[vault.size];
		if (token === undefined) throw new Error('more cards than tokens');
		vault.set(token, { number: number.raw, cvv: cvv?.raw });
		const end = number.offset + number.length;
		if (shape === 'columns') {
			edits.push({ start: number.offset, end, text: 'X'.repeat(number.length - 4) + number.raw.slice(-4) });
			edits.push({ start: sideStart, end: sideStart, text: TAIL_PREFIX + token });
		} else edits.push({ start: number.offset, end, text: token });
		if (cvv && !cvv.raw.startsWith('*')) {
			edits.push({ start: cvv.offset, end: cvv.offset + cvv.length, text: '*'.repeat(cvv.length) });
		}
	}
	return apply(text, edits);
}

/** Returns the file with the card data of `vault` in place of its tokens and of the stars beside them. */
export function detokenizeLines<Options>(
	format: Format<Options>,
	options: Options,
	text: string,
	vault: Vault,
): string {
	const edits: Edit[] = [];
	const findings = scanAll(format, options, Buffer.from(text, 'latin1'), { direction: 'detokenize' });
	for (const { number, cvv, shape, sideStart = 0, sideEnd = 0 } of findings) {
		const card = vault.get(number.raw);
		if (card === undefined) continue;
		const end = number.offset + number.length;
		if (shape === 'columns') {
			edits.push({ start: sideStart, end: sideEnd, text: card.number });
			edits.push({ start: number.offset - TAIL_PREFIX.length, end, text: '' });
		} else edits.push({ start: number.offset, end, text: card.number });
		const isKept = cvv && card.cvv && cvv.raw.startsWith('*') && card.cvv.length === cvv.length;
		if (isKept) edits.push({ start: cvv.offset, end: cvv.offset + cvv.length, text: card.cvv ?? '' });
	}
	return apply(text, edits);
}

const reading = new CardReading(DOORS.found, NOW);

function isGood({ number, expiry, cvv, type }: ScannedFinding): boolean {
	reading.parts.begin();
	reading.parts.put(PART.number, Buffer.from(number.raw, 'latin1'));
	reading.parts.put(PART.cvv, cvv?.raw);
	reading.parts.put(PART.type, type?.raw);
	return reading.read(expiry) === 'accepted';
}

/** Makes replacements as the engine does: those at one place in the order in which they came. */
function apply(text: string, edits: readonly Edit[]): string {
	let result = '';
	let at = 0;
	for (const { start, end, text: put } of edits.toSorted((one, other) => one.start - other.start)) {
		if (start < at) throw new Error('replacements overlap');
		result += text.slice(at, start) + put;
		at = end;
	}
	return result + text.slice(at);
}
