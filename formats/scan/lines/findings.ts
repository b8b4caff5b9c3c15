// The findings of one line: several rules look at a line one after the other, the engine wants them in order.

import type { Expiry } from '../../../src/card/expiry.ts';
import type { Finding, Findings } from '../../../src/transfer/format.ts';

/** Where the line stands that a rule looks at, and what was found on it so far. */
export class LineFindings {
	#found: Findings | undefined;
	#first = 0;
	#record = 0;
	#lineNumber = 0;
	#sorted = 0;

	/** Starts a line. */
	begin(found: Findings, record: number, lineNumber: number): this {
		this.#found = found;
		this.#first = found.length;
		this.#record = record;
		this.#lineNumber = lineNumber;
		this.#sorted = 0;
		return this;
	}

	/** Says something of the file as a whole, as `Findings.notice` does. */
	notice(text: string): void {
		this.#all.notice(text);
	}

	get count(): number {
		return this.#all.length - this.#first;
	}

	at(index: number): Finding {
		return this.#all.items[this.#first + index];
	}

	/** Adds a finding. Each rule adds its own in order; `sort` puts those of several rules together. */
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
	 * Puts the findings in the order of their numbers. Once a rule, not once a finding: a hostile line of 1 MiB holds
	 * tens of thousands, and inserting each at its place took a second.
	 */
	sort(): void {
		const { items, length } = this.#all;
		let i = this.#first + 1;
		while (i < length && items[i - 1].numberStart < items[i].numberStart) i++;
		if (i < length) {
			const sorted = items.slice(this.#first, length).sort((a, b) => a.numberStart - b.numberStart);
			for (const [index, finding] of sorted.entries()) items[this.#first + index] = finding;
		}
		this.#sorted = this.count;
	}

	/** Takes back the findings for which `isKept` says no. They must be sorted, and stay so. */
	filter(isKept: (finding: Finding) => boolean): void {
		const { items, length } = this.#all;
		let kept = this.#first;
		for (let i = this.#first; i < length; i++) {
			const finding = items[i];
			if (!isKept(finding)) continue;
			// Both stay in the pool.
			items[i] = items[kept];
			items[kept++] = finding;
		}
		this.#all.truncate(kept);
		this.#sorted = this.count;
	}

	/**
	 * The finding whose number shares a byte with `[start, end)`, among those there were at the last `sort` and the last
	 * one added since. Numbers never overlap each other, and a rule goes from left to right.
	 */
	findOverlap(start: number, end: number): Finding | undefined {
		const index = this.countBefore(end) - 1;
		if (index >= 0 && this.at(index).numberEnd > start) return this.at(index);
		if (this.count === this.#sorted) return undefined;
		const last = this.at(this.count - 1);
		return last.numberStart < end && last.numberEnd > start ? last : undefined;
	}

	/** How many numbers begin before `offset`, among those there were at the last `sort`. */
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
