// Collects the findings of one line. Several rules search a line one after the other, but the engine needs the findings
// in order.

import type { Expiry } from '../../../src/base/card/expiry.ts';
import type { Finding, Findings } from '../../../src/engine/format.ts';

/** Holds the line that a rule examines, and the findings on it so far. */
export class LineFindings {
	#found: Findings | undefined;
	#first = 0;
	#record = 0;
	#lineNumber = 0;
	#sorted = 0;
	/** True if numbers outside the card fields are among the findings, and the cards of the layout have their CVVs. */
	hasOthers = false;

	/** Starts a line, so that findings are added to it. */
	begin(found: Findings, record: number, lineNumber: number): this {
		this.#found = found;
		this.#first = found.length;
		this.#record = record;
		this.#lineNumber = lineNumber;
		this.#sorted = 0;
		this.hasOthers = false;
		return this;
	}

	/** Adds a notice about the file as a whole, as `Findings.notice` does. */
	notice(text: string): void {
		this.#all.notice(text);
	}

	get count(): number {
		return this.#all.length - this.#first;
	}

	at(index: number): Finding {
		return this.#all.items[this.#first + index];
	}

	/** Adds a finding. Each rule adds its own in order; `sort` merges those of several rules. */
	add(numberStart: number, numberEnd: number, expiry: Expiry, typeStart: number, typeEnd: number): Finding {
		const finding = this.#all.next();
		finding.record = this.#record;
		finding.line = this.#lineNumber;
		finding.numberStart = numberStart;
		finding.numberEnd = numberEnd;
		finding.expiry = expiry;
		finding.typeStart = typeStart;
		finding.typeEnd = typeEnd;
		return finding;
	}

	/**
	 * Sorts the findings by the positions of their numbers. This is done once for each rule and not for each finding: a
	 * hostile line of 1 MiB has tens of thousands of findings, and inserting each at its place took a second.
	 */
	sort(): void {
		const { items, length } = this.#all;
		let i = this.#first + 1;
		while (i < length && items[i - 1].numberStart < items[i].numberStart) i++;
		if (i < length) this.#all.sortByNumber(this.#first);
		this.#sorted = this.count;
	}

	/**
	 * Removes the findings for which `isKept` returns false. They must be sorted before the call, and the others stay
	 * sorted.
	 */
	filter(isKept: (finding: Finding) => boolean): void {
		const { items, length } = this.#all;
		let kept = this.#first;
		for (let i = this.#first; i < length; i++) {
			const finding = items[i];
			if (!isKept(finding)) continue;
			// The kept finding and a removed one change places in the list, so that both objects stay available for reuse.
			items[i] = items[kept];
			items[kept++] = finding;
		}
		this.#all.truncate(kept);
		this.#sorted = this.count;
	}

	/**
	 * Returns the finding whose number shares a byte with `[start, end)`, among those present at the last `sort` and the
	 * last one added since. That is enough because numbers never overlap and a rule reads from left to right.
	 */
	findOverlap(start: number, end: number): Finding | undefined {
		const index = this.countBefore(end) - 1;
		if (index >= 0 && this.at(index).numberEnd > start) return this.at(index);
		if (this.count === this.#sorted) return undefined;
		const last = this.at(this.count - 1);
		return last.numberStart < end && last.numberEnd > start ? last : undefined;
	}

	/** Counts the numbers that begin before `offset`, among those present at the last `sort`. */
	countBefore(offset: number): number {
		let low = 0;
		let high = this.#sorted;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (this.at(middle).numberStart < offset) low = middle + 1;
			else high = middle;
		}
		return low;
	}

	get #all(): Findings {
		if (this.#found === undefined) throw new Error('internal error: no line was begun');
		return this.#found;
	}
}
