import { isBlank } from '../../../../base/text/xml-text.ts';
import type { Edits } from '../../../../engine/splice.ts';
import { type Charset, isAscii } from '../charset.ts';
import { type Place, writeAscii } from '../place.ts';
import { characterReference, escapeAttribute, escapeCdata, escapeText, resolveReferences } from './escape.ts';
import { isSaid } from './follow.ts';
import * as tapes from './tape.ts';
import { attributeOf, isElement, STRIDE, XML_KIND, type XmlTape } from './tape.ts';

export function findXmlPlace(tape: XmlTape, node: number): Place | undefined {
	if (node < 0) return new AttributePlace(tape, attributeOf(node));
	const row = node * STRIDE;
	const { cells } = tape;
	switch (cells[row + tapes.KIND]) {
		case XML_KIND.ELEMENT:
			return findElementPlace(tape, node);
		case XML_KIND.EMPTY_ELEMENT:
			return new EmptyElementPlace(tape, row);
		case XML_KIND.TEXT:
		case XML_KIND.CDATA:
			return new TextPlace(tape, [segmentAt(tape, node)]);
		default:
			return undefined;
	}
}

/** Describes a run of text, or the content of a CDATA section. */
interface Segment {
	readonly start: number;
	readonly end: number;
	readonly isCdata: boolean;
}

function segmentAt({ cells }: XmlTape, node: number): Segment {
	const row = node * STRIDE;
	const isCdata = cells[row + tapes.KIND] === XML_KIND.CDATA;
	return { start: cells[row + tapes.START], end: cells[row + tapes.END], isCdata };
}

function findElementPlace(tape: XmlTape, node: number): Place | undefined {
	const { cells } = tape;
	const row = node * STRIDE;
	const next = cells[row + tapes.NEXT];
	const start = cells[row + tapes.START];
	const isPlain = next === node + 1 || (next === node + 2 && cells[(node + 1) * STRIDE + tapes.KIND] === XML_KIND.TEXT);
	if (isPlain) return new TextPlace(tape, [{ start, end: cells[row + tapes.END], isCdata: false }]);
	// Blank text next to comments and CDATA sections is only layout. It is always left out, because it may be missing on
	// the tape.
	const segments: Segment[] = [];
	for (let child = node + 1; child < next; child++) {
		if (isElement(cells[child * STRIDE + tapes.KIND])) return undefined;
		if (isSaid(tape, child)) segments.push(segmentAt(tape, child));
	}
	if (segments.length === 0) segments.push({ start, end: start, isCdata: false });
	return new TextPlace(tape, segments);
}

/** The place of a text, which comments and CDATA sections may divide. Blanks around the text are layout and stay. */
class TextPlace implements Place {
	readonly start: number;
	readonly #bytes: Buffer;
	readonly #charset: Charset;
	readonly #segments: readonly Segment[];

	constructor({ bytes, charset }: XmlTape, segments: readonly Segment[]) {
		this.start = segments[0].start;
		this.#bytes = bytes;
		this.#charset = charset;
		this.#segments = segments;
	}

	read(): string {
		let text = '';
		for (const { start, end, isCdata } of this.#segments) {
			const piece = this.#charset.decode(this.#bytes, start, end);
			text += isCdata ? piece : resolveReferences(piece);
		}
		return trimmed(text);
	}

	write(edits: Edits, text: string): void {
		const segments = this.#segments;
		const said = segments.filter(({ start, end }) => blankEnd(this.#bytes, start, end) < end);
		const [chosen = segments[0], ...others] = said;
		this.#writeSegment(edits, chosen, text);
		for (const { start, end } of others) edits.replace(start, end, NOTHING);
	}

	#writeSegment(edits: Edits, { start, end, isCdata }: Segment, text: string): void {
		const first = blankEnd(this.#bytes, start, end);
		if (text !== '' && first < end) {
			start = first;
			while (isBlank(this.#bytes[end - 1])) end--;
		}
		const written = isCdata ? escapeCdata(text) : escapeText(text);
		if (isAscii(written)) writeAscii(edits, start, end, written);
		else edits.replace(start, end, this.#charset.encode(written, isCdata ? outsideCdata : characterReference));
	}
}

const NOTHING = Buffer.alloc(0);

const outsideCdata = (character: string) => `]]>${characterReference(character)}<![CDATA[`;

function blankEnd(bytes: Uint8Array, start: number, end: number): number {
	while (start < end && isBlank(bytes[start])) start++;
	return start;
}

/** Removes what XML counts as blanks at both ends of a text. A no-break space stays, because it is content. */
function trimmed(text: string): string {
	return text.replace(/^[ \t\r\n]+|(?<![ \t\r\n])[ \t\r\n]+$/g, '');
}

/** The place of an empty element `<a/>`, which becomes `<a>…</a>` when a value is written. */
class EmptyElementPlace implements Place {
	readonly start: number;
	readonly #charset: Charset;
	readonly #bytes: Buffer;
	readonly #nameStart: number;
	readonly #nameEnd: number;

	constructor({ bytes, charset, cells }: XmlTape, row: number) {
		this.start = cells[row + tapes.START];
		this.#charset = charset;
		this.#bytes = bytes;
		this.#nameStart = cells[row + tapes.NAME_START];
		this.#nameEnd = cells[row + tapes.NAME_END];
	}

	read(): string {
		return '';
	}

	write(edits: Edits, text: string): void {
		if (text === '') return;
		const name = this.#bytes.subarray(this.#nameStart, this.#nameEnd);
		const content = this.#charset.encode(escapeText(text), characterReference);
		const pieces = [Buffer.from('>'), content, Buffer.from('</'), name, Buffer.from('>')];
		edits.replace(this.start, this.start + 2, Buffer.concat(pieces));
	}
}

class AttributePlace implements Place {
	readonly start: number;
	readonly #end: number;
	readonly #bytes: Buffer;
	readonly #charset: Charset;

	constructor({ bytes, charset, attributes }: XmlTape, attribute: number) {
		const row = attribute * tapes.A_STRIDE;
		this.start = attributes[row + tapes.A_START];
		this.#end = attributes[row + tapes.A_END];
		this.#bytes = bytes;
		this.#charset = charset;
	}

	read(): string {
		return resolveReferences(this.#charset.decode(this.#bytes, this.start, this.#end));
	}

	write(edits: Edits, text: string): void {
		const escaped = escapeAttribute(text, this.#bytes[this.start - 1] === 0x27 ? "'" : '"');
		if (isAscii(escaped)) writeAscii(edits, this.start, this.#end, escaped);
		else edits.replace(this.start, this.#end, this.#charset.encode(escaped, characterReference));
	}
}
