// Collects notices about a delimited file as a whole (docs/formats/csv.md, notices). They never show content.

import type { Findings } from '../../../src/engine/format.ts';
import type { UnusedColumn } from './header/columns.ts';
import { columnLabel, type HeaderName } from './header/name.ts';

/** One notice names at most this many columns. */
const MAX_LISTED = 10;

const KINDS: Readonly<Record<UnusedColumn['field'], string>> = {
	number: 'a card number',
	cvv: 'a security code',
	expiry: 'an expiry date',
};

/** Counts the cells of card number columns that hold words, and adds the notices about the file as a whole. */
export class Tally {
	/** Counts cells of card number columns that hold words. */
	words = 0;
	readonly #names: readonly HeaderName[];

	constructor(names: readonly HeaderName[]) {
		this.#names = names;
	}

	/** Reports columns that look like a card field by their name or content but are not used as one. */
	tellUnused(unused: readonly UnusedColumn[], by: 'name' | 'content', found: Findings): void {
		for (const field of ['number', 'cvv', 'expiry'] as const) {
			const columns = unused.filter((column) => column.field === field);
			if (columns.length === 0) continue;
			const labels = columns.slice(0, MAX_LISTED).map(({ index }) => this.#labelOf(index));
			const list = labels.join(', ') + (columns.length > labels.length ? ' and more' : '');
			const looks = `${columns.length > 1 ? 'look' : 'looks'} like ${KINDS[field]}`;
			const was = columns.length > 1 ? 'were' : 'was';
			found.notice(
				by === 'name'
					? `By name ${list} ${looks} and ${was} not used: what stands there passes as it is`
					: `By content ${list} ${looks} and ${was} not used: what stands there passes as it is`,
			);
		}
	}

	/** Returns the quoted label of a column, with its place if another column has the same name. */
	#labelOf(index: number): string {
		const label = `"${columnLabel(this.#names, index)}"`;
		const name = this.#names[index]?.folded;
		const isShared = name && this.#names.some((other, i) => i !== index && other.folded === name);
		return isShared ? `${label} (column ${index + 1})` : label;
	}

	tellCounts(found: Findings): void {
		if (this.words > 0) {
			const cells = this.words === 1 ? '1 cell holds a word' : `${this.words} cells hold words`;
			found.notice(`In a card number column ${cells} and no number: no card was looked for there`);
		}
	}
}
