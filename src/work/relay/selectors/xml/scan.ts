import { isBlank, NAME_BYTES } from '../../../../../formats/scan/markup/text.ts';
import { bomLengthOf, type Charset, findCharset, getCharset, UTF_8 } from '../charset.ts';
import type { KnownNames } from '../known-names.ts';
import { malformedBody } from '../problems.ts';
import { findXmlDeclaration } from './declaration.ts';
import type { NamespaceScope } from './namespaces.ts';
import { XmlTags } from './tags.ts';
import { END, KIND, NAME_END, NAME_START, NEXT, STRIDE, XML_KIND, type XmlTape } from './tape.ts';

/** A body with deeper nesting than this is refused. */
const MAX_XML_DEPTH = 200;

const LT = 0x3c;
const GT = 0x3e;
const AMP = 0x26;

/** Holds 1 for bytes that continue text, and 0 for `<`, `&` and the control characters. */
const PLAIN = new Uint8Array(256).fill(1);
PLAIN.fill(0, 0, 0x20);
for (const blank of [0x09, 0x0a, 0x0d]) PLAIN[blank] = 1;
PLAIN[LT] = 0;
PLAIN[AMP] = 0;

const CDATA_OPEN = Buffer.from('<![CDATA[');
const CDATA_CLOSE = Buffer.from(']]>');
const DASHES = Buffer.from('--');
const INSTRUCTION_CLOSE = Buffer.from('?>');

/**
 * Reads an XML body onto a tape and checks that it is well-formed. A DTD is refused, because it may change the meaning
 * of a body.
 */
export class XmlScan {
	readonly tape: XmlTape;
	readonly #namespaces: NamespaceScope;
	readonly #tags: XmlTags;
	/** True if blank text between elements is kept on the tape, because the library counts the positions of nodes. */
	readonly #keepsBlanks: boolean;
	#bytes: Buffer = Buffer.alloc(0);
	#depth = 0;
	/** Holds the rows, on the tape, of the elements that have begun and not ended; the first is the document. */
	readonly #open = new Int32Array(MAX_XML_DEPTH + 2);
	/**
	 * Holds, for each element that has begun and not ended, the number of namespace bindings in scope before it began.
	 */
	readonly #bindings = new Int32Array(MAX_XML_DEPTH + 2);
	#hasRoot = false;

	constructor(tape: XmlTape, names: KnownNames, namespaces: NamespaceScope, keepsBlanks: boolean) {
		this.tape = tape;
		this.#namespaces = namespaces;
		this.#tags = new XmlTags(tape, names, namespaces);
		this.#keepsBlanks = keepsBlanks;
	}

	/**
	 * Scans a body.
	 * @throws ServiceError if the body is not well-formed XML; the message names the byte and the line. It is
	 * 'message-malformed' if the body begins like XML, otherwise 'bad-input-data'
	 */
	scan(bytes: Buffer, contentType: string | undefined): XmlTape {
		const { tape } = this;
		this.#bytes = bytes;
		const bom = bomLengthOf(bytes);
		const declaration = findXmlDeclaration(bytes, bom);
		if (declaration === undefined) throw this.#error('a malformed XML declaration', bom);
		tape.begin(bytes, bom > 0 ? UTF_8 : charsetOf(contentType, declaration.encoding));
		this.#namespaces.begin();
		tape.namespaces = this.#namespaces.uris;
		tape.add(XML_KIND.DOCUMENT, declaration.end, bytes.length, -1);
		this.#depth = 0;
		this.#open[0] = 0;
		this.#hasRoot = false;
		for (let at = declaration.end; at < bytes.length; ) at = this.#token(at);
		if (this.#depth > 0) throw this.#error('the body ends inside an element', bytes.length);
		if (!this.#hasRoot) throw this.#error('the body has no element', bytes.length);
		tape.cells[NEXT] = tape.count;
		return tape;
	}

	#token(at: number): number {
		if (this.#bytes[at] !== LT) return this.#text(at);
		const second = this.#bytes[at + 1];
		if (second === 0x2f) return this.#endTag(at);
		if (second === 0x21) return this.#bytes[at + 2] === 0x2d ? this.#comment(at) : this.#cdata(at);
		if (second === 0x3f) return this.#instruction(at);
		return this.#startTag(at);
	}

	/** Reads text up to the next `<` or the end of the body. */
	#text(start: number): number {
		const bytes = this.#bytes;
		let at = start;
		while (isBlank(bytes[at])) at++;
		const isBlankText = at >= bytes.length || bytes[at] === LT;
		if (this.#depth === 0) {
			if (!isBlankText) throw this.#error('text outside the outermost element', at);
			return at;
		}
		for (;;) {
			// Letters are recognised first: they make up most of a text, and one comparison is enough for them.
			while (bytes[at] > LT || PLAIN[bytes[at]] === 1) at++;
			if (at >= bytes.length || bytes[at] === LT) break;
			if (bytes[at] !== AMP) throw this.#error('a control character in the text', at);
			at = this.#tags.referenceEnd(at);
		}
		if (!isBlankText || this.#keepsBlanks) this.tape.add(XML_KIND.TEXT, start, at, this.#open[this.#depth]);
		return at;
	}

	#startTag(at: number): number {
		if (this.#depth === 0 && this.#hasRoot) throw this.#error('more than one outermost element', at);
		if (this.#depth === MAX_XML_DEPTH) throw this.#error(`elements nested deeper than ${MAX_XML_DEPTH}`, at);
		const bindings = this.#namespaces.count;
		const index = this.tape.count;
		const end = this.#tags.read(at, this.#open[this.#depth]);
		this.#hasRoot = true;
		if (this.tape.cells[index * STRIDE + KIND] === XML_KIND.EMPTY_ELEMENT) this.#namespaces.count = bindings;
		else {
			this.#open[++this.#depth] = index;
			this.#bindings[this.#depth] = bindings;
		}
		return end;
	}

	#endTag(at: number): number {
		const bytes = this.#bytes;
		if (this.#depth === 0) throw this.#error('an end tag without a start tag', at);
		const { cells } = this.tape;
		const row = this.#open[this.#depth] * STRIDE;
		let read = at + 2;
		for (let i = cells[row + NAME_START]; i < cells[row + NAME_END]; i++) {
			if (bytes[read++] !== bytes[i]) throw this.#error('an end tag that is not of the innermost element', at);
		}
		while (isBlank(bytes[read])) read++;
		if (bytes[read] !== GT) throw this.#error('an end tag that is not of the innermost element', at);
		cells[row + END] = at;
		cells[row + NEXT] = this.tape.count;
		this.#namespaces.count = this.#bindings[this.#depth];
		this.#depth--;
		return read + 1;
	}

	#comment(at: number): number {
		if (this.#bytes[at + 3] !== 0x2d) throw this.#error('unknown markup after "<!"', at);
		const end = this.#bytes.indexOf(DASHES, at + 4);
		if (end < 0) throw this.#error('a comment that does not end', at);
		if (this.#bytes[end + 2] !== GT) throw this.#error('"--" inside a comment', end);
		this.tape.add(XML_KIND.COMMENT, at + 4, end, this.#open[this.#depth]);
		return end + 3;
	}

	#cdata(at: number): number {
		const bytes = this.#bytes;
		for (let i = 2; i < CDATA_OPEN.length; i++) {
			if (bytes[at + i] !== CDATA_OPEN[i]) {
				const isDoctype = (bytes[at + 2] | 0x20) === 0x64;
				throw this.#error(isDoctype ? 'a DOCTYPE, which is refused,' : 'unknown markup after "<!"', at);
			}
		}
		if (this.#depth === 0) throw this.#error('text outside the outermost element', at);
		const end = bytes.indexOf(CDATA_CLOSE, at);
		if (end < 0) throw this.#error('a CDATA section that does not end', at);
		this.tape.add(XML_KIND.CDATA, at + CDATA_OPEN.length, end, this.#open[this.#depth]);
		return end + 3;
	}

	#instruction(at: number): number {
		const bytes = this.#bytes;
		const end = bytes.indexOf(INSTRUCTION_CLOSE, at + 2);
		const isXml = /^xml[\s?]/i.test(bytes.toString('latin1', at + 2, at + 6));
		if (end < 0 || NAME_BYTES[bytes[at + 2]] !== 1 || isXml) throw this.#error('a malformed instruction', at);
		this.tape.add(XML_KIND.INSTRUCTION, at + 2, end, this.#open[this.#depth]);
		return end + 2;
	}

	#error(reason: string, at: number): Error {
		return malformedBody('XML', reason, this.#bytes, at);
	}
}

/**
 * Returns the charset of a body. That of the Content-Type is preferred to the declared encoding (RFC 7303 §3): programs
 * often declare the encoding of their own memory, such as `utf-16`, which is not what they send.
 */
function charsetOf(contentType: string | undefined, declared: string | undefined): Charset {
	return findCharset(contentType) ?? (declared === undefined ? UTF_8 : getCharset(declared));
}
