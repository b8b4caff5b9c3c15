// Reads XML by bytes, without a tree. Checks that it is well-formed and passes tags and texts to `MarkupCards`.

import { FileError, type Findings, type Scanner } from '../../../src/engine/format.ts';
import { findTextStart, SNIFF_BYTES } from '../encoding.ts';
import { MarkupCards } from './cards.ts';
import { refuseForeignDeclaration } from './declaration.ts';
import { MAX_MARKUP_DEPTH, MAX_NAME_BYTES } from './elements.ts';
import { MarkupPlace } from './place.ts';
import {
	CLOSE_BYTES,
	OPEN_BYTES,
	SECTION,
	SECTION_CLOSES,
	SECTION_NAMES,
	type Section,
	SectionEnd,
	sectionAt,
} from './section.ts';
import type { MarkupSelectors } from './selectors.ts';
import { MarkupTag } from './tag.ts';
import { countLineEnds, INCOMPLETE, isBlank, NAME_BYTES, referenceEnd } from './text.ts';

const LT = 0x3c;
const GT = 0x3e;
const LF = 0x0a;
const CR = 0x0d;
const AMP = 0x26;

/** Holds 1 for bytes that continue text, and 0 for `<`, `&` and the control characters. */
const PLAIN = new Uint8Array(256).fill(1);
PLAIN.fill(0, 0, 0x20);
PLAIN[0x09] = 1;
PLAIN[LT] = 0;
PLAIN[AMP] = 0;

/** Splits windows into tags, texts and sections, and counts lines. `MarkupCards` decides what tags and texts mean. */
export class MarkupScanner implements Scanner {
	readonly #cards: MarkupCards;
	readonly #tag = new MarkupTag();
	readonly #sectionEnd = new SectionEnd();
	readonly #place = new MarkupPlace();
	/**
	 * The comment, CDATA section or instruction that began in an earlier window, if any. It is skipped, however long it
	 * is.
	 */
	#section: Section = SECTION.NONE;
	#line = 1;
	#hasBegun = false;
	#hasRoot = false;
	#hasReference = false;
	/** True if the byte before this window was a CR, so that an LF at its start is not counted as another line end. */
	#isAfterCr = false;
	#from = 0;
	#to = 0;
	/**
	 * The position up to which this window is read: its end, or the place where the outermost card exceeds its limit.
	 */
	#end = 0;

	constructor(selectors: MarkupSelectors) {
		this.#cards = new MarkupCards(selectors);
	}

	get line(): number {
		return this.#line;
	}

	get hasCardPlace(): boolean {
		return this.#cards.held.hasCardPlace;
	}

	fieldAt(bytes: Buffer, from: number, at: number): string | undefined {
		return this.#place.find(bytes, from, at);
	}

	scan(bytes: Buffer, from: number, to: number, isLast: boolean, found: Findings): number {
		let at = from;
		if (!this.#hasBegun) {
			// An empty file is not XML, but it contains no card either; the engine reports it.
			if (isLast && from === to) return from;
			const start = findTextStart(bytes, from, to, isLast, 'xml');
			if (start === undefined) return from;
			at = start;
			refuseForeignDeclaration(bytes, at, Math.min(to, from + SNIFF_BYTES));
			this.#hasBegun = true;
		}
		this.#from = from;
		this.#to = to;
		this.#end = to;
		this.#place.begin(this.#cards.elements.names(), SECTION_CLOSES[this.#section]);
		for (;;) {
			at = this.#run(bytes, at, found);
			if (this.#end === to) break;
			this.#cards.dropOutgrown(bytes, found);
			this.#end = this.#cards.held.limit(to);
		}
		if (isLast) {
			this.#expectEnd(at);
			this.#cards.held.finish(found);
		}
		if (this.#cards.held.count > 0) {
			const card = this.#cards.rollBack(found);
			at = card.start;
			this.#line = card.line;
		}
		if (at > from) this.#isAfterCr = bytes[at - 1] === CR;
		return at;
	}

	/** Reads up to `#end`; returns where the first incomplete tag, text or section begins. */
	#run(bytes: Buffer, at: number, found: Findings): number {
		for (;;) {
			if (this.#isInSection()) {
				at = this.#passSection(bytes, at);
				if (this.#isInSection()) return at;
			}
			const line = this.#line;
			const next = this.#cards.elements.depth === 0 ? this.#outside(bytes, at) : this.#text(bytes, at);
			if (next >= this.#end || bytes[next] !== LT) {
				// A window may end inside the text of a card's field, which must be read in one piece. So while a card is open,
				// the text is read again from its start with the next window.
				if (this.#cards.held.count === 0) return next;
				this.#line = line;
				return at;
			}
			if (next > at) this.#cards.textField()?.addText(bytes, at, next, line, this.#hasReference);
			const after = this.#markup(bytes, next, found);
			if (after === INCOMPLETE) return this.#isInSection() ? this.#sectionEnd.cut : next;
			at = after;
		}
	}

	/** Skips text; returns the position of the next `<`, or the position up to which the text could be read. */
	#text(bytes: Buffer, at: number): number {
		const end = this.#end;
		this.#hasReference = false;
		for (;;) {
			while (at < end && PLAIN[bytes[at]] === 1) at++;
			if (at >= end) return at;
			const byte = bytes[at];
			if (byte === LT) return at;
			if (byte === AMP) {
				const next = referenceEnd(bytes, at, end, this.#line);
				if (next === INCOMPLETE) return at;
				this.#hasReference = true;
				at = next;
				continue;
			}
			this.#control(bytes, at++);
		}
	}

	/**
	 * Skips text before and after the root element, where only blanks are allowed; returns the position of the next `<`,
	 * or the end of what may be read.
	 */
	#outside(bytes: Buffer, at: number): number {
		for (; at < this.#end && bytes[at] !== LT; at++) {
			if (!isBlank(bytes[at])) throw this.#error('text outside the root element', at);
			if (bytes[at] === LF || bytes[at] === CR) this.#control(bytes, at);
		}
		return at;
	}

	#control(bytes: Buffer, at: number): void {
		if (bytes[at] === LF) {
			if (!(at > this.#from ? bytes[at - 1] === CR : this.#isAfterCr)) this.#line++;
		} else if (bytes[at] === CR) this.#line++;
		else throw this.#error('control character in the text', at);
	}

	/** Reads the markup that begins with the `<` at `at`; returns its end or `INCOMPLETE`. */
	#markup(bytes: Buffer, at: number, found: Findings): number {
		if (at + 1 >= this.#end) return INCOMPLETE;
		const second = bytes[at + 1];
		if (second === 0x21 || second === 0x3f) return this.#openSection(bytes, at);
		const end = second === 0x2f ? this.#endTag(bytes, at, found) : this.#startTag(bytes, at, found);
		this.#end = this.#cards.held.limit(this.#to);
		return end;
	}

	#startTag(bytes: Buffer, at: number, found: Findings): number {
		const { elements } = this.#cards;
		if (elements.depth === 0 && this.#hasRoot) throw this.#error('more than one root element', at);
		if (elements.depth === MAX_MARKUP_DEPTH) throw this.#error(`elements nested deeper than ${MAX_MARKUP_DEPTH}`, at);
		const tag = this.#tag;
		const line = this.#line;
		const end = tag.read(bytes, at, this.#end, line);
		if (end === INCOMPLETE) return INCOMPLETE;
		if (tag.nameEnd - tag.nameStart > MAX_NAME_BYTES) {
			throw this.#error(`an element name is longer than ${MAX_NAME_BYTES} bytes`, at);
		}
		this.#hasRoot = true;
		this.#line = tag.line;
		this.#cards.open(bytes, tag, at, line, found);
		if (tag.isEmpty) this.#cards.close(bytes, found);
		return end;
	}

	#endTag(bytes: Buffer, at: number, found: Findings): number {
		const end = this.#end;
		let nameEnd = at + 2;
		while (nameEnd < end && NAME_BYTES[bytes[nameEnd]] !== 0) nameEnd++;
		let close = nameEnd;
		while (close < end && isBlank(bytes[close])) close++;
		if (close >= end) return INCOMPLETE;
		const { elements } = this.#cards;
		if (bytes[close] !== GT) throw this.#error('expected ">" after the name of an end tag', close);
		if (elements.depth === 0) throw this.#error('an end tag without a start tag', at);
		if (!elements.isInnermost(bytes, at + 2, nameEnd)) throw this.#elementError('another end tag stands', at);
		if (close > nameEnd) this.#line += countLineEnds(bytes, nameEnd, close);
		this.#cards.close(bytes, found);
		return close + 1;
	}

	#openSection(bytes: Buffer, at: number): number {
		const section = sectionAt(bytes, at, this.#end, this.#line);
		if (section === INCOMPLETE) return INCOMPLETE;
		if (section === SECTION.CDATA && this.#cards.elements.depth === 0) {
			throw this.#error('text outside the root element', at);
		}
		const start = at + OPEN_BYTES[section];
		const close = this.#sectionEnd.find(section, bytes, start, this.#end, this.#line);
		if (close === INCOMPLETE) {
			if (this.#cards.held.count > 0) return INCOMPLETE;
			this.#section = section;
			this.#line += countLineEnds(bytes, start, this.#sectionEnd.cut);
			return INCOMPLETE;
		}
		if (section === SECTION.CDATA) this.#cards.textField()?.addCdata(bytes, start, close, this.#line);
		this.#line += countLineEnds(bytes, start, close);
		return close + CLOSE_BYTES[section];
	}

	#isInSection(): boolean {
		return this.#section !== SECTION.NONE;
	}

	/** Continues in a comment, CDATA section or instruction; returns where it ends, or where the next window continues. */
	#passSection(bytes: Buffer, at: number): number {
		const close = this.#sectionEnd.find(this.#section, bytes, at, this.#end, this.#line);
		const end = close === INCOMPLETE ? this.#sectionEnd.cut : close;
		const isAfterCr = at > this.#from ? bytes[at - 1] === CR : this.#isAfterCr;
		this.#line += countLineEnds(bytes, at, end, isAfterCr);
		if (close === INCOMPLETE) return end;
		const section = this.#section;
		this.#section = SECTION.NONE;
		return close + CLOSE_BYTES[section];
	}

	#expectEnd(at: number): void {
		if (this.#section !== SECTION.NONE) throw this.#error(`the file ends inside ${SECTION_NAMES[this.#section]}`, at);
		if (this.#cards.elements.depth > 0) throw this.#elementError('the file ends', this.#to);
		if (at < this.#to) throw this.#error('the file ends inside a tag', at);
		if (!this.#hasRoot) throw this.#error('the file has no root element', this.#to);
	}

	#elementError(instead: string, offset: number): FileError {
		const name = this.#cards.elements.nameAt(this.#cards.elements.depth);
		const message = `the element ${name} is not closed where ${instead}`;
		return new FileError(message, { offset, line: this.#line, field: name }, { code: 'xml-malformed' });
	}

	#error(message: string, offset: number): FileError {
		return new FileError(message, { offset, line: this.#line }, { code: 'xml-malformed' });
	}
}
