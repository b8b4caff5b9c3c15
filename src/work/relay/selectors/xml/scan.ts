import { XmlReader } from '../../../../base/text/xml.ts';
import { XML_EVENT, XML_PROBLEMS, type XmlEvent, type XmlProblem } from '../../../../base/text/xml-events.ts';
import { findXmlDeclaration } from '../../../../base/text/xml-text.ts';
import { bomLengthOf, type Charset, findCharset, getCharset, UTF_8 } from '../charset.ts';
import type { KnownNames } from '../known-names.ts';
import { malformedBody } from '../problems.ts';
import { MAX_BINDINGS, type NamespaceScope } from './namespaces.ts';
import * as tapes from './tape.ts';
import { A_STRIDE, STRIDE, XML_KIND, type XmlTape } from './tape.ts';

/** A body with deeper nesting than this is refused. */
const MAX_XML_DEPTH = 200;
/** An XML declaration has at most this many bytes. */
const MAX_DECLARATION_BYTES = 256;

const COLON = 0x3a;
const XMLNS = Buffer.from('xmlns');

/** A tag with so many attributes is checked for duplicates with a set; of fewer, comparing each pair is faster. */
const MANY_ATTRIBUTES = 16;

const OTHER_END_TAG = 'an end tag that is not of the innermost element';

const PROBLEMS: Readonly<Record<XmlProblem, string>> = {
	...XML_PROBLEMS,
	outside: 'text outside the outermost element',
	roots: 'more than one outermost element',
	depth: `elements nested deeper than ${MAX_XML_DEPTH}`,
	endTag: OTHER_END_TAG,
	elementName: 'a tag or an attribute without a name',
	attributeName: 'a tag or an attribute without a name',
	gap: 'no blank before an attribute',
	slash: 'no ">" after "/" in a tag',
	equals: 'no "=" after the name of an attribute',
	quotes: 'an attribute without quotes',
	less: '"<" or a control character in an attribute',
	tagControl: '"<" or a control character in an attribute',
	tagEnd: 'a tag that does not end',
	control: 'a control character in the text',
	reference: '"&" without a known reference',
	doctype: 'a DOCTYPE, which is refused,',
	target: 'a malformed instruction',
	comment: 'a comment that does not end',
	cdata: 'a CDATA section that does not end',
	instruction: 'a malformed instruction',
};

export class XmlScan {
	readonly tape: XmlTape;
	readonly #namespaces: NamespaceScope;
	readonly #names: KnownNames;
	/** The row of the element of the current tag, and the number of bindings that were in scope before the tag. */
	#row = 0;
	#outerBindings = 0;
	/** True if blank text between elements is kept on the tape, because the library counts the positions of nodes. */
	readonly #keepsBlanks: boolean;
	readonly #reader = new XmlReader({
		depth: MAX_XML_DEPTH,
		isWhole: true,
		isNamespaced: true,
		fail: (problem, at) => this.#failure(problem, at),
	});
	/** Holds the numbers, on the tape, of the elements that have begun and not ended, by depth; the first is the document. */
	readonly #open = new Int32Array(MAX_XML_DEPTH + 1);
	/** For each element that has begun and not ended: the number of namespace bindings in scope before it. */
	readonly #bindings = new Int32Array(MAX_XML_DEPTH + 1);

	constructor(tape: XmlTape, names: KnownNames, namespaces: NamespaceScope, keepsBlanks: boolean) {
		this.tape = tape;
		this.#namespaces = namespaces;
		this.#names = names;
		this.#keepsBlanks = keepsBlanks;
	}

	/**
	 * @throws ServiceError if the body is not well-formed XML; the message names the byte and the line. It is
	 * 'message-malformed' if the body begins like XML, otherwise 'bad-input-data'
	 */
	scan(bytes: Buffer, contentType: string | undefined): XmlTape {
		const [tape, reader] = [this.tape, this.#reader];
		const bom = bomLengthOf(bytes);
		const declaration = findXmlDeclaration(bytes, bom, bom + MAX_DECLARATION_BYTES);
		if (declaration === undefined) throw malformedBody('XML', 'a malformed XML declaration', bytes, bom);
		tape.begin(bytes, bom > 0 ? UTF_8 : charsetOf(contentType, declaration.encoding));
		this.#namespaces.begin();
		tape.namespaces = this.#namespaces.uris;
		tape.add(XML_KIND.DOCUMENT, declaration.end, bytes.length, -1);
		reader.open(bytes, declaration.end);
		try {
			for (let event = reader.next(); event !== XML_EVENT.NONE; event = reader.next()) this.#take(event);
			if (reader.depth > 0) throw this.#error('the body ends inside an element', bytes.length);
			if (!reader.hasRoot) throw this.#error('the body has no element', bytes.length);
		} finally {
			reader.pause();
		}
		tape.cells[tapes.NEXT] = tape.count;
		return tape;
	}

	#take(event: XmlEvent): void {
		const [tape, reader] = [this.tape, this.#reader];
		const { depth, start, stop } = reader;
		switch (event) {
			case XML_EVENT.TEXT:
				if (depth > 0 && (this.#keepsBlanks || !reader.isBlank))
					tape.add(XML_KIND.TEXT, start, stop, this.#open[depth]);
				break;
			case XML_EVENT.TAG:
				this.#beginTag(this.#open[reader.isInTag ? depth : depth - 1]);
				if (!reader.isInTag) this.#endStartTag();
				break;
			case XML_EVENT.ATTRIBUTE:
				this.#attribute();
				break;
			case XML_EVENT.TAG_END:
				this.#endStartTag();
				break;
			case XML_EVENT.END_TAG:
				this.#endTag();
				break;
			case XML_EVENT.CDATA:
				tape.add(XML_KIND.CDATA, start, stop, this.#open[depth]);
				break;
			case XML_EVENT.COMMENT:
				tape.add(XML_KIND.COMMENT, start, stop, this.#open[depth]);
				break;
			case XML_EVENT.INSTRUCTION:
				if (/^xml[\s?]/i.test(tape.bytes.toString('latin1', start, start + 4))) {
					throw this.#error(PROBLEMS.instruction, start - 2);
				}
				tape.add(XML_KIND.INSTRUCTION, start, stop, this.#open[depth]);
		}
	}

	#beginTag(parent: number): void {
		const { nameStart, localStart, nameEnd } = this.#reader;
		const row = this.tape.add(XML_KIND.ELEMENT, 0, 0, parent);
		const { cells, attributeCount } = this.tape;
		cells[row + tapes.ATTRIBUTES] = attributeCount;
		cells[row + tapes.NAME_START] = nameStart;
		cells[row + tapes.LOCAL_START] = localStart;
		cells[row + tapes.NAME_END] = nameEnd;
		this.#row = row;
		this.#outerBindings = this.#namespaces.count;
	}

	/** Puts the attribute that was read onto the tape, or binds a namespace if it is a namespace declaration. */
	#attribute(): void {
		const { nameStart, nameEnd, start, stop } = this.#reader;
		if (isXmlns(this.tape.bytes, nameStart, nameEnd)) this.#bind(nameStart, nameEnd, start, stop);
		else this.#keep();
	}

	#endStartTag(): void {
		const { at, isEmpty, depth } = this.#reader;
		const { cells, bytes, attributeCount } = this.tape;
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
		if (isEmpty) this.#namespaces.count = this.#outerBindings;
		else {
			this.#open[depth] = this.tape.count - 1;
			this.#bindings[depth] = this.#outerBindings;
		}
	}

	#bind(nameStart: number, nameEnd: number, start: number, end: number): void {
		const { bytes } = this.tape;
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

	#keep(): void {
		const { nameStart, localStart, nameEnd, start, stop } = this.#reader;
		const row = this.tape.addAttribute();
		const { attributes, bytes } = this.tape;
		attributes[row + tapes.A_START] = start;
		attributes[row + tapes.A_END] = stop;
		attributes[row + tapes.A_LOCAL] = this.#names.find(bytes, localStart, nameEnd);
		attributes[row + tapes.A_NAMESPACE] = 0;
		attributes[row + tapes.A_NAME_START] = nameStart;
		attributes[row + tapes.A_LOCAL_START] = localStart;
		attributes[row + tapes.A_NAME_END] = nameEnd;
		attributes[row + tapes.A_OWNER] = this.#row / STRIDE;
	}

	/**
	 * Resolves the prefixes of a tag's attributes and checks that no attribute occurs twice. This is done when the whole
	 * tag is read, because a prefix may be declared after the attribute that uses it.
	 */
	#settleAttributes(first: number, at: number): void {
		const { attributes, attributeCount } = this.tape;
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
		const { attributes, bytes } = this.tape;
		const local = bytes.toString('latin1', attributes[row + tapes.A_LOCAL_START], attributes[row + tapes.A_NAME_END]);
		return `${attributes[row + tapes.A_NAMESPACE]} ${local}`;
	}

	#isTwin(a: number, b: number): boolean {
		const { attributes, bytes } = this.tape;
		const [from, other] = [attributes[a + tapes.A_LOCAL_START], attributes[b + tapes.A_LOCAL_START]];
		const length = attributes[a + tapes.A_NAME_END] - from;
		if (attributes[b + tapes.A_NAME_END] - other !== length) return false;
		if (attributes[a + tapes.A_NAMESPACE] !== attributes[b + tapes.A_NAMESPACE]) return false;
		for (let i = 0; i < length; i++) if (bytes[from + i] !== bytes[other + i]) return false;
		return true;
	}

	#namespaceOf(nameStart: number, localStart: number): number {
		const prefixEnd = localStart > nameStart ? localStart - 1 : nameStart;
		const id = this.#namespaces.find(this.tape.bytes, nameStart, prefixEnd);
		if (id < 0) throw this.#error('a prefix that is not declared', nameStart);
		return id;
	}

	#endTag(): void {
		const { depth, nameStart, nameEnd } = this.#reader;
		const { cells, bytes, count } = this.tape;
		const row = this.#open[depth + 1] * STRIDE;
		const from = cells[row + tapes.NAME_START];
		let isSame = nameEnd - nameStart === cells[row + tapes.NAME_END] - from;
		for (let i = nameStart; i < nameEnd && isSame; i++) isSame = bytes[i] === bytes[from + i - nameStart];
		if (!isSame) throw this.#error(OTHER_END_TAG, nameStart - 2);
		cells[row + tapes.END] = nameStart - 2;
		cells[row + tapes.NEXT] = count;
		this.#namespaces.count = this.#bindings[depth + 1];
	}

	#failure(problem: XmlProblem, at: number): Error {
		const { at: tagStart, depth } = this.#reader;
		return problem === 'endTag'
			? this.#error(depth === 0 ? PROBLEMS.stray : OTHER_END_TAG, tagStart)
			: this.#error(PROBLEMS[problem], at);
	}

	#error(reason: string, at: number): Error {
		return malformedBody('XML', reason, this.tape.bytes, at);
	}
}

/**
 * Returns the charset of a body. That of the Content-Type is preferred to the declared encoding (RFC 7303 §3): programs
 * often declare the encoding of their own memory, such as `utf-16`, which is not what they send.
 */
function charsetOf(contentType: string | undefined, declared: string | undefined): Charset {
	return findCharset(contentType) ?? (declared === undefined ? UTF_8 : getCharset(declared));
}

/** Tells whether a name is `xmlns` or `xmlns:…`. */
function isXmlns(bytes: Uint8Array, start: number, end: number): boolean {
	if (bytes[start] !== 0x78 || end - start < XMLNS.length) return false;
	for (let i = 1; i < XMLNS.length; i++) if (bytes[start + i] !== XMLNS[i]) return false;
	return end - start === XMLNS.length || bytes[start + XMLNS.length] === COLON;
}
