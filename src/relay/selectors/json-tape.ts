// A JSON body as a flat list of its values with their byte ranges: what both ways of selecting look at.

import type { Charset } from './charset.ts';
import { UTF_8 } from './charset.ts';

export const JSON_KIND = { OBJECT: 1, ARRAY: 2, STRING: 3, ESCAPED_STRING: 4, NUMBER: 5, LITERAL: 6, NULL: 7 } as const;

// One value in cells. Values stand in document order; 0 is the outermost.
export const KIND = 0;
/** Of a string the first byte inside its quotes, of anything else its first byte. */
export const START = 1;
export const END = 2;
/** The value after this one and all that is in it. */
export const NEXT = 3;
/** Id of the member name among the known ones; 0 for others, and for elements of arrays. */
export const NAME = 4;
/** Inside of the quotes of the member name; -1 for elements of arrays. */
export const KEY_START = 5;
export const KEY_END = 6;
export const STRIDE = 7;

const FIRST_CELLS = 512 * STRIDE;
/** A tape that grew further is not kept for the next body. */
const MAX_KEPT_CELLS = 65_536 * STRIDE;

const NOTHING = Buffer.alloc(0);

/** Belongs to one scanner, which fills it anew for every body; copy what must last. */
export class JsonTape {
	cells = new Int32Array(FIRST_CELLS);
	/** Number of values. */
	count = 0;
	bytes: Buffer = NOTHING;
	charset: Charset = UTF_8;
	/** What the library's way made of this body. */
	values: unknown;

	begin(bytes: Buffer, charset: Charset): void {
		this.count = 0;
		this.values = undefined;
		this.bytes = bytes;
		this.charset = charset;
		if (this.cells.length > MAX_KEPT_CELLS) this.cells = new Int32Array(FIRST_CELLS);
	}

	/** Lets go of the body. */
	end(): void {
		this.bytes = NOTHING;
		this.values = undefined;
	}

	grow(): void {
		const larger = new Int32Array(this.cells.length * 2);
		larger.set(this.cells);
		this.cells = larger;
	}
}
