// Finds cards in XML by its bytes, without a tree.

import { XmlReader } from '../../../src/base/text/xml.ts';
import { XML_EVENT, XML_PROBLEMS, type XmlProblem } from '../../../src/base/text/xml-events.ts';
import { findXmlDeclaration } from '../../../src/base/text/xml-text.ts';
import { FileError, type Findings, type Scanner } from '../../../src/engine/format.ts';
import { findTextStart, SNIFF_BYTES } from '../encoding.ts';
import type { OpenNames } from '../open-names.ts';
import { SecondReading } from '../second-reading.ts';
import { nameText } from '../shown-name.ts';
import { MarkupCards } from './cards.ts';
import { MAX_MARKUP_DEPTH, MAX_NAME_BYTES, MarkupTag, type OpenElements } from './elements.ts';
import type { MarkupSelectors } from './selectors.ts';

const SECTION_NAMES: Readonly<Record<number, string>> = {
	[XML_EVENT.COMMENT]: 'a comment',
	[XML_EVENT.CDATA]: 'a CDATA section',
	[XML_EVENT.INSTRUCTION]: 'a processing instruction',
};

/** Passes what a window holds to `MarkupCards`, which decides what tags and texts mean. */
export class MarkupScanner implements Scanner {
	readonly #reader = new XmlReader({ depth: MAX_MARKUP_DEPTH, fail: (problem, at) => this.#failure(problem, at) });
	readonly #cards: MarkupCards;
	readonly #tag = new MarkupTag();
	readonly #place = new MarkupPlace();
	#hasBegun = false;

	constructor(selectors: MarkupSelectors) {
		this.#cards = new MarkupCards(selectors);
	}

	get line(): number {
		return this.#reader.line;
	}

	get hasCardPlace(): boolean {
		return this.#cards.held.hasCardPlace;
	}

	fieldAt(bytes: Buffer, _from: number, at: number): string | undefined {
		return this.#place.find(bytes, at);
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
		const [reader, cards] = [this.#reader, this.#cards];
		reader.begin(bytes, at, to);
		this.#place.begin(reader, cards.elements);
		for (;;) {
			this.#run(bytes, to, found);
			// The window is read up to its end, or to the place where the outermost card exceeds its limit.
			if (reader.end === to) break;
			cards.dropOutgrown(bytes, found);
			reader.end = cards.held.limit(to);
		}
		if (isLast) {
			this.#expectEnd(to);
			cards.held.finish(found);
		}
		if (cards.held.count > 0) {
			const card = cards.rollBack(found);
			reader.rewind(card.start, card.line, card.depthAtStart);
		}
		reader.pause();
		return reader.at;
	}

	/** Reads tags, texts and sections until the first incomplete one. */
	#run(bytes: Buffer, to: number, found: Findings): void {
		const [reader, cards, tag] = [this.#reader, this.#cards, this.#tag];
		for (;;) {
			switch (reader.next()) {
				case XML_EVENT.TEXT:
					cards.textField()?.addText(bytes, reader.start, reader.stop, reader.eventLine, reader.hasReference);
					break;
				case XML_EVENT.TAG:
					tag.begin(reader);
					if (!reader.isInTag) this.#open(bytes, to, found);
					break;
				case XML_EVENT.ATTRIBUTE:
					tag.add(reader);
					break;
				case XML_EVENT.TAG_END:
					this.#open(bytes, to, found);
					break;
				case XML_EVENT.END_TAG:
					if (!cards.elements.isInnermost(bytes, reader.nameStart, reader.nameEnd)) {
						throw this.#unclosed('another end tag stands', reader.nameStart - 2, reader.eventLine);
					}
					cards.close(bytes, found);
					reader.end = cards.held.limit(to);
					break;
				case XML_EVENT.CDATA:
					cards.textField()?.addCdata(bytes, reader.start, reader.stop, reader.eventLine);
					break;
				case XML_EVENT.NONE:
					// A window may end inside the text of a card's field, which must be read in one piece. So while a card is open,
					// the text is read again from its start with the next window.
					if (reader.cut < 0 || cards.held.count > 0) return;
					reader.leave();
					return;
			}
		}
	}

	#open(bytes: Buffer, to: number, found: Findings): void {
		const [reader, cards, tag] = [this.#reader, this.#cards, this.#tag];
		if (tag.nameEnd - tag.nameStart > MAX_NAME_BYTES) {
			const message = `an element name is longer than ${MAX_NAME_BYTES} bytes`;
			throw new FileError(message, { offset: tag.start, line: tag.startLine }, { code: 'xml-malformed' });
		}
		tag.line = reader.line;
		cards.open(bytes, tag, found);
		if (reader.isEmpty) cards.close(bytes, found);
		reader.end = cards.held.limit(to);
	}

	#expectEnd(to: number): void {
		const { section, depth, at, line, hasRoot } = this.#reader;
		if (section !== XML_EVENT.NONE) throw this.#error(`the file ends inside ${SECTION_NAMES[section]}`, at);
		if (depth > 0) throw this.#unclosed('the file ends', to, line);
		if (at < to) throw this.#error('the file ends inside a tag', at);
		if (!hasRoot) throw this.#error('the file has no root element', to);
	}

	#unclosed(instead: string, offset: number, line: number): FileError {
		const name = this.#cards.elements.nameAt(this.#cards.elements.depth);
		const message = `the element ${name} is not closed where ${instead}`;
		return new FileError(message, { offset, line, field: name }, { code: 'xml-malformed' });
	}

	#failure(problem: XmlProblem, at: number): FileError {
		const isDepth = problem === 'depth';
		return this.#error(isDepth ? `elements nested deeper than ${MAX_MARKUP_DEPTH}` : XML_PROBLEMS[problem], at);
	}

	#error(message: string, offset: number): FileError {
		return new FileError(message, { offset, line: this.#reader.line }, { code: 'xml-malformed' });
	}
}

/** Matches encodings in which the bytes below 0x80 are ASCII (formats §5). */
const KNOWN = /^(?:utf-?8|(?:us-)?ascii|iso[-_]?8859[-_]?\d{1,2}|latin-?\d{1,2}|(?:windows|cp)-?125\d)$/i;

/** Reads the XML declaration at `start`, if there is one, and refuses an encoding that does not contain ASCII. */
function refuseForeignDeclaration(bytes: Buffer, start: number, end: number): void {
	const declaration = findXmlDeclaration(bytes, start, end);
	if (declaration === undefined) {
		throw new FileError('malformed XML declaration', { offset: start, line: 1 }, { code: 'xml-malformed' });
	}
	const name = declaration.encoding;
	if (name === undefined || KNOWN.test(name)) return;
	const shown = name
		.replace(/[^\w.:-]/g, '?')
		.replace(/\d{6,}/g, '?')
		.slice(0, 40);
	throw new FileError(
		`the XML declaration names the encoding ${shown}; expected UTF-8, ISO-8859, Windows-125x or US-ASCII`,
		{ offset: start, line: 1 },
		{ code: 'file-not-text', parameters: { found: shown } },
	);
}

/** Names the element or attribute whose value contains an offset. */
class MarkupPlace {
	readonly #reading = new SecondReading(
		(fail) => new XmlReader({ depth: MAX_MARKUP_DEPTH, fail }),
		MAX_MARKUP_DEPTH,
		nameText,
		take,
	);

	/** Begins a window where the reader is before it reads the window, inside these open elements. */
	begin(reader: XmlReader, elements: OpenElements): void {
		this.#reading.begin(reader, { texts: elements.names() });
	}

	/** Returns the element or attribute whose value contains the offset `at` of the window. */
	find(bytes: Buffer, at: number): string | undefined {
		const { event, reader, names } = this.#reading.moveTo(bytes, at);
		if (event === XML_EVENT.ATTRIBUTE)
			return at < reader.start ? undefined : names.shown(bytes, reader.nameStart, reader.nameEnd);
		if (event === XML_EVENT.TAG || event === XML_EVENT.TAG_END || event === XML_EVENT.END_TAG) return undefined;
		return names.at(bytes, reader.depth);
	}
}

function take(event: number, { nameStart, nameEnd, isEmpty, isInTag, depth }: XmlReader, names: OpenNames): void {
	if (event === XML_EVENT.TAG) {
		names.start = nameStart;
		names.end = nameEnd;
	}
	if (event === XML_EVENT.TAG ? !isInTag : event === XML_EVENT.TAG_END && !isEmpty) names.open(depth, true);
}
