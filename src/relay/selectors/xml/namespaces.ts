import { resolveReferences } from './escape.ts';

const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';

/**
 * If more declarations than this are in scope at once, the body is refused, because every name would be compared with
 * each.
 */
export const MAX_BINDINGS = 256;

/**
 * Knows which namespace each prefix stands for at the current position. Namespaces are numbers: 0 is none, and those of
 * the profile have the same number in every body.
 */
export class NamespaceScope {
	/** The number of bindings in scope; the innermost is the last. */
	count = 0;
	readonly #prefixStarts = new Int32Array(MAX_BINDINGS);
	readonly #prefixEnds = new Int32Array(MAX_BINDINGS);
	readonly #bound = new Int32Array(MAX_BINDINGS);
	readonly #ids = new Map<string, number>([
		['', 0],
		[XML_NAMESPACE, 1],
	]);
	/** Holds the namespaces by id. */
	readonly uris: string[] = ['', XML_NAMESPACE];
	#lasting = 2;

	/** Returns the id of a namespace of the profile. Call this before any body is read. */
	add(uri: string): number {
		const id = this.#idOf(Buffer.from(uri, 'utf8').toString('latin1'));
		this.#lasting = this.uris.length;
		return id;
	}

	/** Starts a body, and forgets the declarations of the last one. */
	begin(): void {
		this.count = 0;
		while (this.uris.length > this.#lasting) this.#ids.delete(this.uris.pop() as string);
	}

	/** Binds a prefix, which may be empty, to a namespace. Both are ranges of `bytes`. */
	bind(bytes: Buffer, prefixStart: number, prefixEnd: number, uriStart: number, uriEnd: number): void {
		this.#prefixStarts[this.count] = prefixStart;
		this.#prefixEnds[this.count] = prefixEnd;
		this.#bound[this.count++] = this.#idOf(resolveReferences(bytes.toString('latin1', uriStart, uriEnd)));
	}

	/** Tells whether the prefix has a binding that was added after the first `since` bindings. */
	isBoundSince(since: number, bytes: Uint8Array, start: number, end: number): boolean {
		for (let i = since; i < this.count; i++) {
			const from = this.#prefixStarts[i];
			if (this.#prefixEnds[i] - from === end - start && isSame(bytes, from, start, end - start)) return true;
		}
		return false;
	}

	/** Returns the namespace of a prefix, or -1 if nothing binds it. */
	find(bytes: Uint8Array, start: number, end: number): number {
		const length = end - start;
		for (let i = this.count - 1; i >= 0; i--) {
			const from = this.#prefixStarts[i];
			if (this.#prefixEnds[i] - from === length && isSame(bytes, from, start, length)) return this.#bound[i];
		}
		if (length === 0) return 0;
		return length === 3 && bytes[start] === 0x78 && bytes[start + 1] === 0x6d && bytes[start + 2] === 0x6c ? 1 : -1;
	}

	#idOf(uri: string): number {
		const existing = this.#ids.get(uri);
		if (existing !== undefined) return existing;
		this.#ids.set(uri, this.uris.length);
		return this.uris.push(uri) - 1;
	}
}

function isSame(bytes: Uint8Array, a: number, b: number, length: number): boolean {
	for (let i = 0; i < length; i++) if (bytes[a + i] !== bytes[b + i]) return false;
	return true;
}
