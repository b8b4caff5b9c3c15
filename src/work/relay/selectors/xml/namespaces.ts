import { resolveReferences } from './escape.ts';

const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';

/**
 * If more namespace declarations than this are in scope at once, the body is refused, because the prefix of every name
 * would be compared with each of them.
 */
export const MAX_BINDINGS = 256;

/**
 * Knows which namespace each prefix stands for at the current position in a body. Namespaces have ids: 0 means no
 * namespace, and a namespace that the profile names has the same id in every body.
 */
export class NamespaceScope {
	/** The number of bindings of prefixes that are in scope; the innermost binding is the last. */
	count = 0;
	readonly #prefixStarts = new Int32Array(MAX_BINDINGS);
	readonly #prefixEnds = new Int32Array(MAX_BINDINGS);
	readonly #bound = new Int32Array(MAX_BINDINGS);
	readonly #ids = new Map<string, number>([
		['', 0],
		[XML_NAMESPACE, 1],
	]);
	/** Holds the URI of each namespace at the index that is the namespace's id. */
	readonly uris: string[] = ['', XML_NAMESPACE];
	#lasting = 2;

	/** Returns the id of a namespace that the profile names. Call this before any body is read. */
	add(uri: string): number {
		const id = this.#idOf(Buffer.from(uri, 'utf8').toString('latin1'));
		this.#lasting = this.uris.length;
		return id;
	}

	/** Begins a new body, and forgets the namespaces that only the body before it declared. */
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

	/** Tells whether the prefix is bound by one of the bindings in scope, not counting the first `since` of them. */
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
