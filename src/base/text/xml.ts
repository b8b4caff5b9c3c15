// Reads XML by its bytes, a piece at a time and without a tree, and checks that it is well-formed. A document type is
// refused, because it may redefine what a text says.

import { countLineEnds } from './line-ends.ts';
import { SECTIONS, XML_EVENT, type XmlEvent, type XmlProblem, type XmlReading } from './xml-events.ts';
import { INCOMPLETE, isBlank, NAME_BYTES, NO_REFERENCE, referenceEnd } from './xml-text.ts';

const LF = 0x0a;
const CR = 0x0d;
const DOUBLE_QUOTE = 0x22;
const QUOTE = 0x27;
const AMP = 0x26;
const SLASH = 0x2f;
const COLON = 0x3a;
const LT = 0x3c;
const GT = 0x3e;
const QUESTION = 0x3f;
const { NONE, TAG, ATTRIBUTE, TAG_END, END_TAG, TEXT, CDATA, COMMENT, INSTRUCTION } = XML_EVENT;

// The states say what comes next. In the others the reader is inside a section that `leave` has given up, and whose event
// is the state; it passes the rest of the section, however long that is.
const CONTENT = 0;
const IN_TAG = 1;

const NOTHING = Buffer.alloc(0);

/** Holds 1 for bytes that continue text, and 0 for `<`, `&` and the control characters that are no tabs. */
const PLAIN = new Uint8Array(256).fill(1);
PLAIN.fill(0, 0, 0x20);
PLAIN[0x09] = 1;
PLAIN[LT] = PLAIN[AMP] = 0;
/** The same for the value of an attribute, which quotes may end. */
const PLAIN_VALUE = PLAIN.slice();
PLAIN_VALUE[DOUBLE_QUOTE] = PLAIN_VALUE[QUOTE] = 0;

/**
 * Reads a document, and counts lines. `begin` gives it a piece, `next` reads it event by event, and `pause` ends it. The
 * next piece begins with the byte at `at`.
 */
export class XmlReader {
	/** Where the next event begins. */
	at = 0;
	/** The end of what may be read. Lowering it makes the reader stop earlier; then more bytes follow. */
	end = 0;
	/** The line at `at`, and the line where the event began; for the parts of a start tag, where the tag began. */
	line = 1;
	eventLine = 1;
	depth = 0;
	hasRoot = false;
	/** The range of the name of a tag or an attribute, and where the name begins without its prefix. */
	nameStart = 0;
	localStart = 0;
	nameEnd = 0;
	/** The range of a text, of what is in a section, or of the value of an attribute inside its quotes. */
	start = 0;
	stop = 0;
	/** True if that text or value has references. */
	hasReference = false;
	/** True if that text has nothing but blanks. */
	isBlank = false;
	/** True after `TAG` if there is more in the tag than its name. Otherwise the tag has ended, and no `TAG_END` follows. */
	isInTag = false;
	/** True if the start tag is that of an empty element, `<a/>`. */
	isEmpty = false;
	/** After `NONE`: where reading could go on inside an incomplete text or section; -1 if it could not. */
	cut = -1;
	#cutLine = 0;
	#cutState = CONTENT;
	readonly #reading: XmlReading;
	readonly #isWhole: boolean;
	#bytes: Buffer = NOTHING;
	#from = 0;
	#tagStart = 0;
	#state: number = CONTENT;
	/** True if the byte before this piece was a CR, so that an LF at its start is not counted as another line end. */
	#isAfterCr = false;

	constructor(reading: XmlReading) {
		this.#reading = reading;
		this.#isWhole = reading.isWhole === true;
	}

	/** The event of the section that was left, if the reader is inside one. */
	get section(): XmlEvent {
		return this.#state > IN_TAG ? (this.#state as XmlEvent) : NONE;
	}

	/** Begins a piece, `bytes[from, to)`. */
	begin(bytes: Buffer, from: number, to: number): void {
		this.#bytes = bytes;
		this.at = this.#from = from;
		this.end = to;
	}

	/** Begins another text, which is `bytes` from the offset `from` on. */
	open(bytes: Buffer, from: number): void {
		this.begin(bytes, from, bytes.length);
		this.rewind(from, 1, 0);
		this.hasRoot = false;
	}

	/** Ends the piece, whose bytes before `at` are read for good. */
	pause(): void {
		if (this.at > this.#from) this.#isAfterCr = this.#bytes[this.at - 1] === CR;
		this.#bytes = NOTHING;
	}

	/** Goes back to a start tag in an element at `depth`. */
	rewind(at: number, line: number, depth: number): void {
		this.at = at;
		this.line = line;
		this.depth = depth;
		this.#state = CONTENT;
	}

	/** Goes on inside the incomplete text or section after which `next` has returned `NONE`. */
	leave(): void {
		this.at = this.cut;
		this.line = this.#cutLine;
		this.#state = this.#cutState;
	}

	/** Takes the place of another reader, without its piece. */
	follow(other: XmlReader): void {
		this.rewind(other.at, other.line, other.depth);
		this.hasRoot = other.hasRoot;
		this.#state = other.#state;
	}

	/**
	 * Reads the next event.
	 * @throws what `fail` of the reading makes of a problem
	 */
	next(): XmlEvent {
		this.cut = -1;
		if (this.#state === IN_TAG) return this.#inTag();
		if (this.#state !== CONTENT && !this.#passSection()) return NONE;
		const { at, end } = this;
		this.eventLine = this.line;
		if (at < end && this.#bytes[at] !== LT) return this.#text(at);
		if (at >= end || (at + 1 === end && !this.#isWhole)) return NONE;
		const second = this.#bytes[at + 1];
		if (second === SLASH) return this.#endTag(at);
		return second === 0x21 || second === QUESTION ? this.#section(at) : this.#startTag(at);
	}

	#text(from: number): XmlEvent {
		const bytes = this.#bytes;
		const end = this.end;
		this.hasReference = false;
		let at = this.#blanksEnd(from);
		this.isBlank = at >= end || bytes[at] === LT;
		if (this.depth === 0 && !this.isBlank) throw this.#error('outside', at);
		for (;;) {
			// Letters are recognised first: they make up most of a text, and one comparison is enough for them.
			while (at < end && (bytes[at] > LT || PLAIN[bytes[at]] === 1)) at++;
			if (at >= end) break;
			if (bytes[at] === LT) {
				this.start = from;
				this.stop = this.at = at;
				return TEXT;
			}
			if (bytes[at] !== AMP) this.#control(at, 'control');
			const next = bytes[at] === AMP ? this.#referenceEnd(at) : at + 1;
			if (next === INCOMPLETE) break;
			at = next;
		}
		this.cut = at;
		this.#cutLine = this.line;
		this.#cutState = CONTENT;
		this.line = this.eventLine;
		return NONE;
	}

	#startTag(at: number): XmlEvent {
		if (this.depth === 0 && this.hasRoot) throw this.#error('roots', at);
		if (this.depth === this.#reading.depth) throw this.#error('depth', at);
		if (!this.#name(at + 1, 'elementName')) return NONE;
		this.#tagStart = at;
		this.at = this.nameEnd;
		this.isInTag = this.at >= this.end || this.#bytes[this.at] !== GT;
		if (this.isInTag) this.#state = IN_TAG;
		else this.#tagEnd(false, this.at + 1);
		return TAG;
	}

	/** Reads an attribute or the end of the start tag. */
	#inTag(): XmlEvent {
		const bytes = this.#bytes;
		const at = this.#blanksEnd(this.at);
		const hasGap = at > this.at;
		if (at >= this.end) return this.#cutTag(hasGap ? 'attributeName' : 'gap', at);
		const byte = bytes[at];
		if (byte === GT) return this.#tagEnd(false, at + 1);
		if (byte === SLASH) {
			if (at + 1 >= this.end) return this.#cutTag('slash', at);
			if (bytes[at + 1] !== GT) throw this.#error('slash', at);
			return this.#tagEnd(true, at + 2);
		}
		if (!hasGap) throw this.#error('gap', at);
		return this.#attribute(at);
	}

	#tagEnd(isEmpty: boolean, at: number): XmlEvent {
		this.isEmpty = isEmpty;
		if (!isEmpty) this.depth++;
		this.hasRoot = true;
		this.#state = CONTENT;
		this.at = at;
		return TAG_END;
	}

	/** Ends the piece inside a start tag, which is read again from its start. */
	#cutTag(problem: XmlProblem, at: number): XmlEvent {
		if (this.#isWhole) throw this.#error(problem, at);
		this.rewind(this.#tagStart, this.eventLine, this.depth);
		return NONE;
	}

	/** Reads a name; returns false if the piece ends in it. */
	#name(start: number, problem: XmlProblem): boolean {
		const bytes = this.#bytes;
		const { end } = this;
		if (start >= end && !this.#isWhole) return false;
		if (start >= end || NAME_BYTES[bytes[start]] !== 1) throw this.#error(problem, start);
		let at = start;
		let local = start;
		for (; at < end && NAME_BYTES[bytes[at]] !== 0; at++) {
			if (bytes[at] !== COLON) continue;
			if (local > start && this.#reading.isNamespaced) throw this.#error('colons', at);
			local = at + 1;
		}
		if (at >= end && !this.#isWhole) return false;
		if (local > start && this.#reading.isNamespaced && (local === start + 1 || NAME_BYTES[bytes[local]] !== 1)) {
			throw this.#error('prefix', start);
		}
		this.nameStart = start;
		this.localStart = local;
		this.nameEnd = at;
		return true;
	}

	#attribute(start: number): XmlEvent {
		const bytes = this.#bytes;
		if (!this.#name(start, 'attributeName')) return this.#cutTag('attributeName', start);
		let at = this.#blanksEnd(this.nameEnd);
		if (at >= this.end) return this.#cutTag('equals', at);
		if (bytes[at] !== 0x3d) throw this.#error('equals', at);
		at = this.#blanksEnd(at + 1);
		if (at >= this.end) return this.#cutTag('quotes', at);
		const quote = bytes[at];
		if (quote !== DOUBLE_QUOTE && quote !== QUOTE) throw this.#error('quotes', at);
		const stop = this.#valueEnd(at + 1, quote);
		if (stop === INCOMPLETE) return this.#cutTag('tagEnd', this.end);
		this.start = at + 1;
		this.stop = stop;
		this.at = stop + 1;
		return ATTRIBUTE;
	}

	/** Returns the position of the quote that closes the value at `at`, or `INCOMPLETE`. */
	#valueEnd(at: number, quote: number): number {
		const bytes = this.#bytes;
		const end = this.end;
		this.hasReference = false;
		for (;;) {
			while (at < end && (bytes[at] > LT || PLAIN_VALUE[bytes[at]] === 1)) at++;
			if (at >= end) return INCOMPLETE;
			const byte = bytes[at];
			if (byte === quote) return at;
			if (byte === LT) throw this.#error('less', at);
			if (byte < 0x20) this.#control(at, 'tagControl');
			at = byte === AMP ? this.#referenceEnd(at) : at + 1;
			if (at === INCOMPLETE) return at;
		}
	}

	#endTag(at: number): XmlEvent {
		const bytes = this.#bytes;
		const end = this.end;
		let nameEnd = at + 2;
		while (nameEnd < end && NAME_BYTES[bytes[nameEnd]] !== 0) nameEnd++;
		let close = nameEnd;
		while (close < end && isBlank(bytes[close])) close++;
		if (close >= end && !this.#isWhole) return NONE;
		if (bytes[close] !== GT) throw this.#error('endTag', close);
		if (this.depth === 0) throw this.#error('stray', at);
		if (close > nameEnd) this.#blanksEnd(nameEnd);
		this.depth--;
		this.nameStart = this.localStart = at + 2;
		this.nameEnd = nameEnd;
		this.at = close + 1;
		return END_TAG;
	}

	#section(at: number): XmlEvent {
		const section = this.#sectionAt(at);
		if (section === NONE) return NONE;
		if (section === CDATA && this.depth === 0) throw this.#error('outside', at);
		const start = at + SECTIONS[section].open.length;
		const stop = this.#sectionEnd(section, start);
		if (stop === INCOMPLETE) {
			if (this.#isWhole) throw this.#error(SECTIONS[section].problem, at);
			this.#cutLine = this.line + countLineEnds(this.#bytes, start, this.cut);
			this.#cutState = section;
			return NONE;
		}
		this.line += countLineEnds(this.#bytes, start, stop);
		this.start = start;
		this.stop = stop;
		this.at = stop + SECTIONS[section].close.length;
		return section;
	}

	/** Recognises the section behind `<!` or `<?`; returns `NONE` if too few bytes show it. */
	#sectionAt(at: number): XmlEvent {
		const bytes = this.#bytes;
		const third = bytes[at + 2];
		if (at + 2 >= this.end && !this.#isWhole) return NONE;
		if (bytes[at + 1] === QUESTION) {
			if (NAME_BYTES[third] !== 1) throw this.#error('target', at);
			return INSTRUCTION;
		}
		const section = third === SECTIONS[CDATA].open[2] ? CDATA : COMMENT;
		const { open } = SECTIONS[section];
		for (let i = 2; i < open.length; i++) {
			if (at + i >= this.end && !this.#isWhole) return NONE;
			if (bytes[at + i] !== open[i]) throw this.#error((third | 0x20) === 0x64 ? 'doctype' : 'markup', at);
		}
		return section;
	}

	/** Returns the position of the mark that ends the section inside which `at` lies, or `INCOMPLETE`. */
	#sectionEnd(section: XmlEvent, at: number): number {
		const bytes = this.#bytes;
		const { end } = this;
		const mark = SECTIONS[section].close[0];
		const isDouble = section !== INSTRUCTION;
		for (; at < end; at++) {
			if (bytes[at] !== mark) continue;
			if (isDouble && at + 1 < end && bytes[at + 1] !== mark) continue;
			const close = isDouble ? at + 2 : at + 1;
			if (close >= end && !(this.#isWhole && section === COMMENT && at + 1 < end)) break;
			if (bytes[close] === GT) return at;
			if (section === COMMENT) throw this.#error('dashes', at);
		}
		this.cut = at;
		return INCOMPLETE;
	}

	/** Goes on in a section that was left; returns whether it has ended. */
	#passSection(): boolean {
		const { at } = this;
		const section = this.section;
		const stop = this.#sectionEnd(section, at);
		this.at = stop === INCOMPLETE ? this.cut : stop;
		const isAfterCr = at > this.#from ? this.#bytes[at - 1] === CR : this.#isAfterCr;
		this.line += countLineEnds(this.#bytes, at, this.at, isAfterCr);
		this.cut = -1;
		if (stop === INCOMPLETE) return false;
		this.at += SECTIONS[section].close.length;
		this.#state = CONTENT;
		return true;
	}

	/** Returns the end of the reference at `at`, or `INCOMPLETE`. */
	#referenceEnd(at: number): number {
		const end = referenceEnd(this.#bytes, at, this.end);
		if (end === NO_REFERENCE || (end === INCOMPLETE && this.#isWhole)) throw this.#error('reference', at);
		this.hasReference = true;
		return end;
	}

	/** Returns where the blanks at `at` end, and counts the lines that end in them. */
	#blanksEnd(at: number): number {
		const bytes = this.#bytes;
		const end = this.end;
		for (; at < end; at++) {
			const byte = bytes[at];
			if (byte === 0x20) continue;
			if (byte > 0x20 || !isBlank(byte)) break;
			this.#control(at, 'control');
		}
		return at;
	}

	/** Handles a control character: counts a line end, accepts a tab and refuses any other. */
	#control(at: number, problem: XmlProblem): void {
		const byte = this.#bytes[at];
		if (byte === LF) {
			if (!(at > this.#from ? this.#bytes[at - 1] === CR : this.#isAfterCr)) this.line++;
		} else if (byte === CR) this.line++;
		else if (byte !== 0x09) throw this.#error(problem, at);
	}

	#error(problem: XmlProblem, at: number): Error {
		return this.#reading.fail(problem, at);
	}
}
