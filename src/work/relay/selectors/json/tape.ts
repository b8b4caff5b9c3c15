// Holds a JSON body as a flat list of its values with their byte ranges. Simple expressions and the JSONPath library
// both work on it.

import { grown, released } from '../cells.ts';
import type { Charset } from '../charset.ts';
import { UTF_8 } from '../charset.ts';
import { refusal } from '../problems.ts';

export const JSON_KIND = { OBJECT: 1, ARRAY: 2, STRING: 3, ESCAPED_STRING: 4, NUMBER: 5, LITERAL: 6, NULL: 7 } as const;

// Names the cells that each value has on the tape. Values are in document order; value 0 is the outermost.
export const KIND = 0;
/** The offset of the value's first byte; for a string, of the first byte inside its quotes. */
export const START = 1;
export const END = 2;
/** The number of the first value after this value and everything in it. */
export const NEXT = 3;
/** The id of the value's member name if selectors use that name; 0 for other names and for elements of arrays. */
export const NAME = 4;
/** The offset of the text inside the quotes of the member name; -1 for elements of arrays. */
export const KEY_START = 5;
export const KEY_END = 6;
export const STRIDE = 7;

const FIRST_CELLS = 512 * STRIDE;
/** A body with more values than this is refused, because its whole tape is in memory (at most 42 MB). */
const MAX_VALUES = 1_500_000;
export const MAX_JSON_TAPE_BYTES = MAX_VALUES * STRIDE * Int32Array.BYTES_PER_ELEMENT;
/** A tape that has grown larger than this is not kept for the next body. */
const MAX_KEPT_CELLS = 65_536 * STRIDE;

const NOTHING = Buffer.alloc(0);

/** A tape belongs to one scanner, which fills it again for every body, so callers must copy what they keep. */
export class JsonTape {
	cells = new Int32Array(FIRST_CELLS);
	count = 0;
	bytes: Buffer = NOTHING;
	charset: Charset = UTF_8;
	/** The values of this body as the JSONPath library needs them; absent as long as no expression needed it. */
	values: unknown;

	begin(bytes: Buffer, charset: Charset): void {
		this.count = 0;
		this.values = undefined;
		this.bytes = bytes;
		this.charset = charset;
	}

	/** Releases the body. If the body was large, the memory for its values is released immediately, too. */
	end(): void {
		this.bytes = NOTHING;
		this.values = undefined;
		if (this.cells.length > MAX_KEPT_CELLS) this.cells = released(this.cells, FIRST_CELLS);
	}

	grow(): void {
		const most = MAX_VALUES * STRIDE;
		if (this.cells.length >= most) throw refusal(`the body has more than ${MAX_VALUES} JSON values`);
		this.cells = grown(this.cells, Math.min(most, this.cells.length * 2));
	}
}
