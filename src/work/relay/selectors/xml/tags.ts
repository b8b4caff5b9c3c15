import { INCOMPLETE, isBlank, NAME_BYTES, referenceEnd } from '../../../../../formats/scan/markup/text.ts';
import type { KnownNames } from '../known-names.ts';
import { malformedBody } from '../problems.ts';
import { MAX_BINDINGS, type NamespaceScope } from './namespaces.ts';
import * as tapes from './tape.ts';
import { A_STRIDE, XML_KIND, type XmlTape } from './tape.ts';

const LT = 0x3c;
const GT = 0x3e;
const AMP = 0x26;
const SLASH = 0x2f;
const COLON = 0x3a;
const EQUALS = 0x3d;
const XMLNS = Buffer.from('xmlns');

/** Holds 1 for bytes that continue the value of an attribute in either kind of quotes. */
const PLAIN = new Uint8Array(256).fill(1);
PLAIN.fill(0, 0, 0x20);
for (const byte of [0x09, 0x0a, 0x0d]) PLAIN[byte] = 1;
for (const byte of [0x22, 0x27, LT, AMP]) PLAIN[byte] = 0;

/**
 * A tag with at least this many attributes is checked for duplicates with a set; for fewer, comparing each pair is
 * faster.
 */
const MANY_ATTRIBUTES = 16;

/** Reads start tags onto the tape: the element, its attributes, and its namespace bindings. */
export class XmlTags {
	readonly #tape: XmlTape;
	readonly #names: KnownNames;
	readonly #namespaces: NamespaceScope;
	/** The offset at which the local part begins in the name that was read last. */
	#localStart = 0;
	/** The number of namespace bindings that were in scope before the current tag. */
	#outerBindings = 0;

	constructor(tape: XmlTape, names: KnownNames, namespaces: NamespaceScope) {
		this.#tape = tape;
		this.#names = names;
		this.#namespaces = namespaces;
	}

	/** Reads the start tag whose `<` is at the offset `at`; returns the offset after the tag. */
	read(at: number, parent: number): number {
		const tape = this.#tape;
		const { bytes } = tape;
		const nameEnd = this.#nameEnd(at + 1);
		const localStart = this.#localStart;
		const index = tape.count;
		const row = tape.add(XML_KIND.ELEMENT, 0, 0, parent);
		const first = tape.attributeCount;
		this.#outerBindings = this.#namespaces.count;
		let end = nameEnd;
		for (;;) {
			const gap = end;
			while (isBlank(bytes[end])) end++;
			const byte = bytes[end];
			if (byte === GT || byte === SLASH) break;
			if (end === gap) throw this.#error('no blank before an attribute', end);
			end = this.#attribute(end, index);
		}
		const isEmpty = bytes[end] === SLASH;
		if (isEmpty && bytes[end + 1] !== GT) throw this.#error('no ">" after "/" in a tag', end);
		const { cells } = tape;
		cells[row + tapes.KIND] = isEmpty ? XML_KIND.EMPTY_ELEMENT : XML_KIND.ELEMENT;
		cells[row + tapes.START] = isEmpty ? end : end + 1;
		cells[row + tapes.END] = end;
		cells[row + tapes.LOCAL] = this.#names.find(bytes, localStart, nameEnd);
		cells[row + tapes.NAMESPACE] = this.#namespaceOf(at + 1, localStart);
		cells[row + tapes.ATTRIBUTES] = first;
		cells[row + tapes.ATTRIBUTES_END] = tape.attributeCount;
		cells[row + tapes.NAME_START] = at + 1;
		cells[row + tapes.LOCAL_START] = localStart;
		cells[row + tapes.NAME_END] = nameEnd;
		if (tape.attributeCount > first) this.#settleAttributes(first, at);
		return isEmpty ? end + 2 : end + 1;
	}

	#nameEnd(start: number): number {
		const { bytes } = this.#tape;
		if (NAME_BYTES[bytes[start]] !== 1) throw this.#error('a tag or an attribute without a name', start);
		let at = start;
		let colon = -1;
		for (; at < bytes.length && NAME_BYTES[bytes[at]] !== 0; at++) {
			if (bytes[at] !== COLON) continue;
			if (colon >= 0) throw this.#error('a name with more than one ":"', at);
			colon = at;
		}
		this.#localStart = colon < 0 ? start : colon + 1;
		const isGood = colon !== start && NAME_BYTES[bytes[this.#localStart]] === 1;
		if (!isGood) throw this.#error('a name that begins or ends with ":"', start);
		return at;
	}

	/** Reads an attribute. It is put onto the tape, or binds a namespace if it is a namespace declaration. */
	#attribute(at: number, owner: number): number {
		const { bytes } = this.#tape;
		const nameEnd = this.#nameEnd(at);
		const localStart = this.#localStart;
		let start = nameEnd;
		while (isBlank(bytes[start])) start++;
		if (bytes[start] !== EQUALS) throw this.#error('no "=" after the name of an attribute', start);
		start++;
		while (isBlank(bytes[start])) start++;
		const quote = bytes[start];
		if (quote !== 0x22 && quote !== 0x27) throw this.#error('an attribute without quotes', start);
		const end = this.#valueEnd(++start, quote);
		if (isXmlns(bytes, at, nameEnd)) this.#bind(at, nameEnd, start, end);
		else this.#keep(at, localStart, nameEnd, start, end, owner);
		return end + 1;
	}

	#valueEnd(at: number, quote: number): number {
		const { bytes } = this.#tape;
		for (;;) {
			while (bytes[at] > LT || PLAIN[bytes[at]] === 1) at++;
			const byte = bytes[at];
			if (byte === quote) return at;
			if (byte === AMP) at = this.referenceEnd(at);
			else if (byte === 0x22 || byte === 0x27) at++;
			else if (at >= bytes.length) throw this.#error('a tag that does not end', at);
			else throw this.#error('"<" or a control character in an attribute', at);
		}
	}

	/** Returns the offset after the reference whose `&` is at the offset `at`. */
	referenceEnd(at: number): number {
		const { bytes } = this.#tape;
		let end: number;
		try {
			end = referenceEnd(bytes, at, bytes.length, 0);
		} catch {
			end = INCOMPLETE;
		}
		if (end === INCOMPLETE) throw this.#error('"&" without a known reference', at);
		return end;
	}

	#bind(nameStart: number, nameEnd: number, start: number, end: number): void {
		const { bytes } = this.#tape;
		const hasPrefix = nameEnd > nameStart + XMLNS.length;
		const prefix = hasPrefix ? nameStart + XMLNS.length + 1 : nameEnd;
		if (hasPrefix && start === end) throw this.#error('a prefix for no namespace', nameStart);
		if (hasPrefix && isXmlns(bytes, prefix, nameEnd)) throw this.#error('the prefix xmlns declared', nameStart);
		if (this.#namespaces.isBoundSince(this.#outerBindings, bytes, prefix, nameEnd)) {
			throw this.#error('a namespace declared twice', nameStart);
		}
		if (this.#namespaces.count === MAX_BINDINGS) throw this.#error('too many namespaces', nameStart);
		this.#namespaces.bind(bytes, prefix, nameEnd, start, end);
	}

	#keep(at: number, localStart: number, nameEnd: number, start: number, end: number, owner: number): void {
		const row = this.#tape.addAttribute();
		const { attributes, bytes } = this.#tape;
		attributes[row + tapes.A_START] = start;
		attributes[row + tapes.A_END] = end;
		attributes[row + tapes.A_LOCAL] = this.#names.find(bytes, localStart, nameEnd);
		attributes[row + tapes.A_NAMESPACE] = 0;
		attributes[row + tapes.A_NAME_START] = at;
		attributes[row + tapes.A_LOCAL_START] = localStart;
		attributes[row + tapes.A_NAME_END] = nameEnd;
		attributes[row + tapes.A_OWNER] = owner;
	}

	/**
	 * Resolves the prefixes of a tag's attributes and checks that no attribute occurs twice. This is done when the whole
	 * tag is read, because a prefix may be declared after the attribute that uses it.
	 */
	#settleAttributes(first: number, at: number): void {
		const { attributes, attributeCount } = this.#tape;
		for (let i = first; i < attributeCount; i++) {
			const row = i * A_STRIDE;
			const nameStart = attributes[row + tapes.A_NAME_START];
			const localStart = attributes[row + tapes.A_LOCAL_START];
			// A default namespace does not apply to attributes.
			if (localStart > nameStart) attributes[row + tapes.A_NAMESPACE] = this.#namespaceOf(nameStart, localStart);
		}
		if (attributeCount - first >= MANY_ATTRIBUTES) {
			const names = new Set<string>();
			for (let i = first; i < attributeCount; i++) names.add(this.#expandedName(i * A_STRIDE));
			if (names.size < attributeCount - first) throw this.#error('an attribute that stands twice', at);
			return;
		}
		for (let i = first + 1; i < attributeCount; i++) {
			for (let j = first; j < i; j++) {
				if (this.#isTwin(i * A_STRIDE, j * A_STRIDE)) throw this.#error('an attribute that stands twice', at);
			}
		}
	}

	#expandedName(row: number): string {
		const { attributes, bytes } = this.#tape;
		const local = bytes.toString('latin1', attributes[row + tapes.A_LOCAL_START], attributes[row + tapes.A_NAME_END]);
		return `${attributes[row + tapes.A_NAMESPACE]} ${local}`;
	}

	#isTwin(a: number, b: number): boolean {
		const { attributes, bytes } = this.#tape;
		const [from, other] = [attributes[a + tapes.A_LOCAL_START], attributes[b + tapes.A_LOCAL_START]];
		const length = attributes[a + tapes.A_NAME_END] - from;
		if (attributes[b + tapes.A_NAME_END] - other !== length) return false;
		if (attributes[a + tapes.A_NAMESPACE] !== attributes[b + tapes.A_NAMESPACE]) return false;
		for (let i = 0; i < length; i++) if (bytes[from + i] !== bytes[other + i]) return false;
		return true;
	}

	#namespaceOf(nameStart: number, localStart: number): number {
		const prefixEnd = localStart > nameStart ? localStart - 1 : nameStart;
		const id = this.#namespaces.find(this.#tape.bytes, nameStart, prefixEnd);
		if (id < 0) throw this.#error('a prefix that is not declared', nameStart);
		return id;
	}

	#error(reason: string, at: number): Error {
		return malformedBody('XML', reason, this.#tape.bytes, at);
	}
}

/** Tells whether a name is `xmlns` or `xmlns:…`. */
function isXmlns(bytes: Uint8Array, start: number, end: number): boolean {
	if (bytes[start] !== 0x78 || end - start < XMLNS.length) return false;
	for (let i = 1; i < XMLNS.length; i++) if (bytes[start + i] !== XMLNS[i]) return false;
	return end - start === XMLNS.length || bytes[start + XMLNS.length] === COLON;
}
