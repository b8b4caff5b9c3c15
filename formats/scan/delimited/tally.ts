// What is worth saying of a delimited file as a whole (docs/formats/csv.md, notices). It never shows content.

import type { Findings } from '../../../src/transfer/format.ts';
import type { UnusedColumn } from './columns.ts';
import { columnLabel, type HeaderName } from './name.ts';

/** Columns named in one notice. */
const MAX_LISTED = 10;

const KINDS: Readonly<Record<UnusedColumn['field'], string>> = {
	number: 'a card number',
	cvv: 'a security code',
	expiry: 'an expiry date',
};

/** Counts while the rows go by, and says so at the end. */
export class Tally {
	/** Cells of card number columns that hold words. */
	words = 0;
	readonly #names: readonly HeaderName[];

	constructor(names: readonly HeaderName[]) {
		this.#names = names;
	}

	/** Columns that a name or their content makes look like a field of a card, and that are not one here. */
	tellUnused(unused: readonly UnusedColumn[], by: 'name' | 'content', found: Findings): void {
		for (const field of ['number', 'cvv', 'expiry'] as const) {
			const columns = unused.filter((column) => column.field === field);
			if (columns.length === 0) continue;
			const labels = columns.slice(0, MAX_LISTED).map(({ index }) => `"${columnLabel(this.#names, index)}"`);
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

	tellCounts(found: Findings): void {
		if (this.words > 0) {
			const cells = this.words === 1 ? '1 cell holds a word' : `${this.words} cells hold words`;
			found.notice(`In a card number column ${cells} and no number: no card was looked for there`);
		}
	}
}
