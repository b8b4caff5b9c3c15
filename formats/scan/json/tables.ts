// Tells of security codes among the names of a table's columns: `"columns": ["PNR", "CVC"]`, or the first row of an array
// of arrays, `[["card", "cvv"], ["4111…", "123"]]`. The rows of such tables are not read as card fields.

import type { Findings } from '../../../src/engine/format.ts';
import { BARE, FIELD_BITS } from '../card-names.ts';
import { FIELD } from '../held-card.ts';
import type { NameMemo } from '../name-memo.ts';
import type { NameNotices } from '../name-notices.ts';

/** Knows which array is the first row of a table. */
export class JsonTables {
	readonly #names: NameMemo;
	readonly #notices: NameNotices;
	/** The depth of the array that has just opened, as long as it has no element; otherwise 0. */
	#empty = 0;

	constructor(names: NameMemo, notices: NameNotices) {
		this.#names = names;
		this.#notices = notices;
	}

	/** Notes that an array or object opens at `depth`. Returns whether it is an array and the first element of another. */
	open(depth: number, isObject: boolean): boolean {
		const isFirst = this.#empty === depth - 1 && depth > 1;
		this.#empty = isObject ? 0 : depth;
		return isFirst && !isObject;
	}

	/** Notes that the first element of the array that opened last has ended, or that the array has none. */
	next(): void {
		this.#empty = 0;
	}

	/** Tells of a column whose name, in `bytes[start, end)`, says security code. */
	column(bytes: Buffer, start: number, end: number, found: Findings): void {
		const code = this.#names.find(bytes, start, end);
		if ((code & FIELD_BITS) === FIELD.CVV && (code & BARE) === 0) {
			this.#notices.tell('listed-cvv', bytes, start, end, found);
		}
	}
}
