import { XmlReader } from '../../../../base/text/xml.ts';
import { findXmlDeclaration } from '../../../../base/text/xml-declaration.ts';
import { XML_EVENT, type XmlEvent, type XmlProblem } from '../../../../base/text/xml-events.ts';
import { bomLengthOf, type Charset, findCharset, getCharset, UTF_8 } from '../charset.ts';
import type { KnownNames } from '../known-names.ts';
import { malformedBody } from '../problems.ts';
import type { NamespaceScope } from './namespaces.ts';
import { XmlTags } from './tags.ts';
import { END, NAME_END, NAME_START, NEXT, STRIDE, XML_KIND, type XmlTape } from './tape.ts';

/** A body with deeper nesting than this is refused. */
const MAX_XML_DEPTH = 200;
/** An XML declaration has at most this many bytes. */
const MAX_DECLARATION_BYTES = 256;

const OTHER_END_TAG = 'an end tag that is not of the innermost element';

const PROBLEMS: Readonly<Record<XmlProblem, string>> = {
	outside: 'text outside the outermost element',
	roots: 'more than one outermost element',
	depth: `elements nested deeper than ${MAX_XML_DEPTH}`,
	stray: 'an end tag without a start tag',
	endTag: OTHER_END_TAG,
	elementName: 'a tag or an attribute without a name',
	attributeName: 'a tag or an attribute without a name',
	colons: 'a name with more than one ":"',
	prefix: 'a name that begins or ends with ":"',
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
	markup: 'unknown markup after "<!"',
	target: 'a malformed instruction',
	dashes: '"--" inside a comment',
	comment: 'a comment that does not end',
	cdata: 'a CDATA section that does not end',
	instruction: 'a malformed instruction',
};

/** Puts what a body holds onto a tape. */
export class XmlScan {
	readonly tape: XmlTape;
	readonly #namespaces: NamespaceScope;
	readonly #tags: XmlTags;
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
	/**
	 * Holds, for each element that has begun and not ended, the number of namespace bindings in scope before it began.
	 */
	readonly #bindings = new Int32Array(MAX_XML_DEPTH + 1);

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
		tape.cells[NEXT] = tape.count;
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
				this.#tags.begin(reader, this.#open[reader.isInTag ? depth : depth - 1]);
				if (!reader.isInTag) this.#endStartTag();
				break;
			case XML_EVENT.ATTRIBUTE:
				this.#tags.add(reader);
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

	#endStartTag(): void {
		const { isEmpty, depth } = this.#reader;
		const bindings = this.#tags.end(this.#reader);
		if (isEmpty) this.#namespaces.count = bindings;
		else {
			this.#open[depth] = this.tape.count - 1;
			this.#bindings[depth] = bindings;
		}
	}

	#endTag(): void {
		const { depth, nameStart, nameEnd } = this.#reader;
		const { cells, bytes, count } = this.tape;
		const row = this.#open[depth + 1] * STRIDE;
		const from = cells[row + NAME_START];
		let isSame = nameEnd - nameStart === cells[row + NAME_END] - from;
		for (let i = nameStart; i < nameEnd && isSame; i++) isSame = bytes[i] === bytes[from + i - nameStart];
		if (!isSame) throw this.#error(OTHER_END_TAG, nameStart - 2);
		cells[row + END] = nameStart - 2;
		cells[row + NEXT] = count;
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
