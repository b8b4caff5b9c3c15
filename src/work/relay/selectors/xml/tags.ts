import type { XmlReader } from '../../../../base/text/xml.ts';
import type { KnownNames } from '../known-names.ts';
import { malformedBody } from '../problems.ts';
import { MAX_BINDINGS, type NamespaceScope } from './namespaces.ts';
import * as tapes from './tape.ts';
import { A_STRIDE, XML_KIND, type XmlTape } from './tape.ts';

const COLON = 0x3a;
const XMLNS = Buffer.from('xmlns');

/**
 * A tag with at least this many attributes is checked for duplicates with a set; for fewer, comparing each pair is
 * faster.
 */
const MANY_ATTRIBUTES = 16;

/** Puts start tags onto the tape: the element, its attributes, and its namespace bindings. */
export class XmlTags {
	readonly #tape: XmlTape;
	readonly #names: KnownNames;
	readonly #namespaces: NamespaceScope;
	/** The row of the element of the current tag, and the number of bindings that were in scope before the tag. */
	#row = 0;
	#outerBindings = 0;

	constructor(tape: XmlTape, names: KnownNames, namespaces: NamespaceScope) {
		this.#tape = tape;
		this.#names = names;
		this.#namespaces = namespaces;
	}

	/** Begins the tag whose name the reader has read. */
	begin({ nameStart, localStart, nameEnd }: XmlReader, parent: number): void {
		const row = this.#tape.add(XML_KIND.ELEMENT, 0, 0, parent);
		const { cells, attributeCount } = this.#tape;
		cells[row + tapes.ATTRIBUTES] = attributeCount;
		cells[row + tapes.NAME_START] = nameStart;
		cells[row + tapes.LOCAL_START] = localStart;
		cells[row + tapes.NAME_END] = nameEnd;
		this.#row = row;
		this.#outerBindings = this.#namespaces.count;
	}

	/** Puts the attribute that was read onto the tape, or binds a namespace if it is a namespace declaration. */
	add(reader: XmlReader): void {
		const { nameStart, nameEnd, start, stop } = reader;
		if (isXmlns(this.#tape.bytes, nameStart, nameEnd)) this.#bind(nameStart, nameEnd, start, stop);
		else this.#keep(reader);
	}

	/** Ends the tag; returns the number of bindings that were in scope before it. */
	end({ at, isEmpty }: XmlReader): number {
		const { cells, bytes, attributeCount } = this.#tape;
		const row = this.#row;
		const [nameStart, localStart] = [cells[row + tapes.NAME_START], cells[row + tapes.LOCAL_START]];
		cells[row + tapes.KIND] = isEmpty ? XML_KIND.EMPTY_ELEMENT : XML_KIND.ELEMENT;
		cells[row + tapes.START] = isEmpty ? at - 2 : at;
		cells[row + tapes.END] = isEmpty ? at - 2 : at - 1;
		cells[row + tapes.LOCAL] = this.#names.find(bytes, localStart, cells[row + tapes.NAME_END]);
		cells[row + tapes.NAMESPACE] = this.#namespaceOf(nameStart, localStart);
		cells[row + tapes.ATTRIBUTES_END] = attributeCount;
		const first = cells[row + tapes.ATTRIBUTES];
		if (attributeCount > first) this.#settleAttributes(first, nameStart - 1);
		return this.#outerBindings;
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

	#keep({ nameStart, localStart, nameEnd, start, stop }: XmlReader): void {
		const row = this.#tape.addAttribute();
		const { attributes, bytes } = this.#tape;
		attributes[row + tapes.A_START] = start;
		attributes[row + tapes.A_END] = stop;
		attributes[row + tapes.A_LOCAL] = this.#names.find(bytes, localStart, nameEnd);
		attributes[row + tapes.A_NAMESPACE] = 0;
		attributes[row + tapes.A_NAME_START] = nameStart;
		attributes[row + tapes.A_LOCAL_START] = localStart;
		attributes[row + tapes.A_NAME_END] = nameEnd;
		attributes[row + tapes.A_OWNER] = this.#row / tapes.STRIDE;
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
