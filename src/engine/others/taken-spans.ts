import { countBelow } from '../../base/card/finder/number-places.ts';
import type { Findings } from '../format.ts';

/**
 * Holds the positions of the numbers and security codes in a window's findings, to check whether other text overlaps
 * one of them.
 */
export class TakenSpans {
	/** Holds the start and end of each span, in the order of the starts. No two of them overlap. */
	readonly #spans: readonly (readonly [start: number, end: number])[];
	readonly #starts: readonly number[];

	/** With `of: 'numbers'`, only the positions of the numbers are held. */
	constructor({ items, length }: Findings, of: 'numbers' | 'all' = 'all') {
		const spans: [number, number][] = [];
		for (let i = 0; i < length; i++) {
			const { numberStart, numberEnd, cvvStart, cvvEnd } = items[i];
			spans.push([numberStart, numberEnd]);
			if (of === 'all' && cvvEnd > cvvStart) spans.push([cvvStart, cvvEnd]);
		}
		this.#spans = spans.sort(([one], [other]) => one - other);
		this.#starts = spans.map(([start]) => start);
	}

	/** Tells whether `[start, end)` shares a byte with a span. */
	overlap(start: number, end: number): boolean {
		const before = countBelow(this.#starts, end);
		return before > 0 && this.#spans[before - 1][1] > start;
	}
}

/** Returns the end of the last byte that a scanner's findings replace, or `from` if they replace none. */
export function lastReplaced({ items, length }: Findings, from: number): number {
	let last = from;
	for (let i = 0; i < length; i++) {
		const { numberEnd, cvvEnd, sideEnd } = items[i];
		if (numberEnd > last) last = numberEnd;
		if (cvvEnd > last) last = cvvEnd;
		if (sideEnd > last) last = sideEnd;
	}
	return last;
}

/** Takes the CVV from each card whose scanner took the first group of another number for it: `CVV 4111 1111 1111 1111`. */
export function dropCodesInNumbers(findings: Findings): void {
	const numbers = new TakenSpans(findings, 'numbers');
	for (let i = 0; i < findings.length; i++) {
		const finding = findings.items[i];
		if (numbers.overlap(finding.cvvStart, finding.cvvEnd)) finding.cvvEnd = finding.cvvStart;
	}
}
