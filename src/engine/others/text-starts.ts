import { countBelow } from '../../base/card/finder/number-places.ts';
import type { Direction } from '../format.ts';

type Part = readonly [start: number, end: number];

const NOTHING: readonly Part[] = [];

/**
 * Knows where a scanner has said that the text of a line begins (`Findings.textStarts`), and divides the stretches of a
 * window there. Otherwise the digits of a line's name and those of a number right behind it would be read as one long
 * number. One instance serves one pass over one file. Detokenizing divides nothing, because tokens are found in a row
 * of any hexadecimal digits.
 */
export class TextStarts {
	readonly #divides: boolean;
	#starts: readonly number[] = [];
	/** The starts about which the next call decides, counted from the offset at which it begins. */
	#held: readonly number[] = [];
	/** The result of `parts` for a stretch in which no text begins. It is reused, because nearly all are like that. */
	readonly #whole: [[number, number]] = [[0, 0]];

	constructor(direction: Direction) {
		this.#divides = direction === 'tokenize';
	}

	/** Begins a window whose undecided bytes begin at `from`, and takes the new starts out of the scanner's list. */
	take(starts: number[], from: number): void {
		if (starts.length === 0 && this.#held.length === 0) {
			this.#starts = [];
			return;
		}
		const added = starts.splice(0);
		this.#starts = this.#divides ? [...this.#held.map((start) => start + from), ...added] : [];
	}

	/** Keeps the starts from `end` on, because the next call begins there. */
	hold(end: number): void {
		this.#held = this.#starts.filter((start) => start >= end).map((start) => start - end);
	}

	/**
	 * Returns the parts of `[start, end)`, in order. An empty stretch has none. The result is valid until the next call.
	 */
	parts(start: number, end: number): readonly Part[] {
		if (start >= end) return NOTHING;
		let index = countBelow(this.#starts, start + 1);
		if (index === this.#starts.length || this.#starts[index] >= end) {
			this.#whole[0][0] = start;
			this.#whole[0][1] = end;
			return this.#whole;
		}
		const parts: Part[] = [];
		let from = start;
		for (; index < this.#starts.length && this.#starts[index] < end; index++) {
			parts.push([from, this.#starts[index]]);
			from = this.#starts[index];
		}
		parts.push([from, end]);
		return parts;
	}

	/** Returns where the text that contains `at` begins, or `from` if that is later. */
	startOf(at: number, from: number): number {
		const index = countBelow(this.#starts, at + 1);
		return index === 0 ? from : Math.max(from, this.#starts[index - 1]);
	}
}
