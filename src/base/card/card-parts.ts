/** The parts of a card, by their positions in `CardParts`. */
export const PART = {
	number: 0,
	month: 1,
	year: 2,
	expiry: 3,
	cvv: 4,
	type: 5,
	name: 6,
	issueNumber: 7,
	owner: 8,
	reference: 9,
} as const;
export type PartName = keyof typeof PART;
export const PART_COUNT = Object.keys(PART).length;

const NOTHING = Buffer.alloc(0);
/** A longer buffer, which a hostile text has caused, is given up rather than wiped after every later card. */
const MOST_KEPT = 4096;

/**
 * Says where the parts of one card are: byte ranges of one buffer, without escapes and quotes. The buffer is that of a
 * file or body, or this object's own. An empty range means that the card lacks the part. The object is reused for the
 * next card.
 */
export class CardParts {
	bytes: Buffer = NOTHING;
	/** The start and the end of each part. */
	readonly spans = new Int32Array(PART_COUNT * 2);
	#own = NOTHING;
	#used = 0;

	/** Begins a card whose parts are ranges of `bytes`. */
	within(bytes: Buffer): void {
		this.bytes = bytes;
		for (let i = 0; i < this.spans.length; i++) this.spans[i] = 0;
	}

	set(part: number, start: number, end: number): void {
		this.spans[part * 2] = start;
		this.spans[part * 2 + 1] = end;
	}

	/** Begins a card whose parts are copied by `put`. */
	begin(): void {
		this.#used = 0;
		this.within(this.#own);
	}

	/** Copies a part; a text is copied as UTF-8. */
	put(part: number, content: string | Uint8Array = ''): void {
		const start = this.#used;
		const length = typeof content === 'string' ? Buffer.byteLength(content) : content.length;
		if (start + length > this.#own.length) this.#grow(start + length);
		if (typeof content === 'string') this.#own.write(content, start);
		else this.#own.set(content, start);
		this.#used += length;
		this.set(part, start, this.#used);
	}

	/** Returns the bytes of a part. They are not a copy. */
	of(part: number): Buffer {
		return this.bytes.subarray(this.spans[part * 2], this.spans[part * 2 + 1]);
	}

	wipe(): void {
		this.#own.fill(0);
		if (this.#own.length > MOST_KEPT) this.#own = NOTHING;
		this.within(NOTHING);
	}

	#grow(size: number): void {
		const larger = Buffer.alloc(Math.max(256, size * 2));
		larger.set(this.#own.subarray(0, this.#used));
		this.#own.fill(0);
		this.#own = this.bytes = larger;
	}
}
