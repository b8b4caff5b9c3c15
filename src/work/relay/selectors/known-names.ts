const BUCKETS = 256;

/**
 * Recognises, in the bytes of a body, the names that selectors use, without making a string of each name. These names
 * have ids from 1 on; every other name has the id 0. Case matters.
 */
export class KnownNames {
	readonly #names: Buffer[] = [];
	readonly #next: number[] = [];
	readonly #heads = new Uint16Array(BUCKETS);

	get count(): number {
		return this.#names.length;
	}

	/** @param name must be ASCII, because the bytes of other characters depend on the charset of a body. */
	add(name: string): number {
		const bytes = Buffer.from(name, 'latin1');
		const existing = this.find(bytes, 0, bytes.length);
		if (existing !== 0) return existing;
		const bucket = bucketOf(bytes, 0, bytes.length);
		this.#next.push(this.#heads[bucket]);
		this.#names.push(bytes);
		this.#heads[bucket] = this.#names.length;
		return this.#names.length;
	}

	find(bytes: Uint8Array, start: number, end: number): number {
		if (start >= end) return 0;
		let id = this.#heads[bucketOf(bytes, start, end)];
		while (id !== 0) {
			if (isSame(this.#names[id - 1], bytes, start, end)) return id;
			id = this.#next[id - 1];
		}
		return 0;
	}
}

function bucketOf(bytes: Uint8Array, start: number, end: number): number {
	return ((end - start) * 67 + bytes[start] * 7 + bytes[end - 1] * 13) & (BUCKETS - 1);
}

function isSame(name: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
	if (name.length !== end - start) return false;
	for (let i = 0; i < name.length; i++) if (name[i] !== bytes[start + i]) return false;
	return true;
}

/** Tells whether a name has the same bytes in every charset that a body may have. */
export function isPlainName(name: string): boolean {
	return /^[\x20-\x7e]+$/.test(name);
}
