const BUCKETS = 1024;

/**
 * Finds names (keys, element names) by their bytes, without making a string. Length, first byte and last byte of a name
 * choose its bucket. Most names of a file are not in the table, and mostly an empty bucket shows this at once. The case
 * of ASCII letters is ignored.
 */
export class NameTable {
	readonly #names: Buffer[] = [];
	readonly #codes: number[] = [];
	readonly #next: number[] = [];
	/** Holds the index of the first name of each bucket, plus one. */
	readonly #heads = new Int32Array(BUCKETS);

	/**
	 * Adds a name with its code (above 0), spelled in UTF-8 and in Latin-1, because files may use either. A name given
	 * twice keeps its first code.
	 */
	add(name: string, code: number): void {
		const folded = foldCase(name);
		this.#addBytes(Buffer.from(folded), code);
		if (/^[\0-\xff]*$/.test(folded)) this.#addBytes(Buffer.from(folded, 'latin1'), code);
	}

	#addBytes(bytes: Buffer, code: number): void {
		if (this.find(bytes, 0, bytes.length) !== 0) return;
		const bucket = bucketOf(bytes, 0, bytes.length);
		this.#next.push(this.#heads[bucket]);
		this.#names.push(bytes);
		this.#codes.push(code);
		this.#heads[bucket] = this.#names.length;
	}

	/** Returns the code of the name in `bytes[start, end)`, or 0. */
	find(bytes: Uint8Array, start: number, end: number): number {
		if (start >= end) return 0;
		let index = this.#heads[bucketOf(bytes, start, end)];
		while (index !== 0) {
			if (isSameName(this.#names[index - 1], bytes, start, end)) return this.#codes[index - 1];
			index = this.#next[index - 1];
		}
		return 0;
	}
}

/** Lowers the case of ASCII letters only, because names are compared as bytes. */
export function foldCase(name: string): string {
	return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function bucketOf(bytes: Uint8Array, start: number, end: number): number {
	return ((end - start) * 67 + (bytes[start] | 0x20) * 7 + (bytes[end - 1] | 0x20) * 13) & (BUCKETS - 1);
}

function isSameName(name: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
	if (name.length !== end - start) return false;
	for (let i = 0; i < name.length; i++) {
		const byte = bytes[start + i];
		if (name[i] !== (byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte)) return false;
	}
	return true;
}
