import { XmlReader } from '../../../src/base/text/xml.ts';
import { XML_EVENT, type XmlEvent } from '../../../src/base/text/xml-events.ts';
import { fieldName, nameText } from '../shown-name.ts';
import { MAX_MARKUP_DEPTH } from './elements.ts';

const fail = () => new Error('internal error: what was read before is no XML');

/**
 * Names the element or attribute whose value contains an offset. To find it, the window is read a second time. Each
 * search continues where the one before it ended, so many offsets in ascending order need only one such reading.
 */
export class MarkupPlace {
	/** Where the window begins, and how far it was read a second time. */
	readonly #first = new XmlReader({ depth: MAX_MARKUP_DEPTH, fail });
	readonly #reader = new XmlReader({ depth: MAX_MARKUP_DEPTH, fail });
	#open: readonly string[] = [];
	#start = 0;
	#to = 0;
	/** The event that was read last, and where it began; -1 if the window was not read yet. */
	#event: XmlEvent = XML_EVENT.NONE;
	#from = -1;
	#isAtEnd = false;
	/** Holds the open elements, outermost first: by name if they opened in an earlier window, otherwise by position. */
	readonly #stack: (string | readonly [start: number, end: number])[] = [];
	#tagName: readonly [start: number, end: number] = [0, 0];

	/** Begins a window where the reader is, inside these open elements. */
	begin(reader: XmlReader, open: readonly string[]): void {
		this.#first.follow(reader);
		this.#start = reader.at;
		this.#to = reader.end;
		this.#open = open;
		this.#from = -1;
	}

	/** Returns the element or attribute whose value contains the offset `at` of the window. */
	find(bytes: Buffer, at: number): string | undefined {
		const reader = this.#reader;
		if (this.#from < 0 || at < this.#from) {
			this.#stack.splice(0, this.#stack.length, ...this.#open);
			reader.follow(this.#first);
			reader.begin(bytes, this.#start, this.#to);
			this.#event = XML_EVENT.NONE;
			this.#from = this.#start;
			this.#isAtEnd = false;
		}
		while (at >= reader.at && !this.#isAtEnd) {
			this.#from = reader.at;
			this.#event = reader.next();
			this.#isAtEnd = this.#event === XML_EVENT.NONE;
			this.#take(this.#event);
		}
		switch (this.#event) {
			case XML_EVENT.ATTRIBUTE:
				return at < reader.start ? undefined : shown(bytes, reader.nameStart, reader.nameEnd);
			case XML_EVENT.TAG:
			case XML_EVENT.TAG_END:
			case XML_EVENT.END_TAG:
				return undefined;
			default:
				return this.#innermost(bytes);
		}
	}

	#take(event: XmlEvent): void {
		const { nameStart, nameEnd, isEmpty, isInTag } = this.#reader;
		if (event === XML_EVENT.TAG) this.#tagName = [nameStart, nameEnd];
		const isOpened = event === XML_EVENT.TAG ? !isInTag : event === XML_EVENT.TAG_END && !isEmpty;
		if (isOpened) this.#stack.push(this.#tagName);
		else if (event === XML_EVENT.END_TAG) this.#stack.pop();
	}

	#innermost(bytes: Buffer): string | undefined {
		const name = this.#stack.at(-1);
		if (name === undefined || typeof name === 'string') return name || undefined;
		return shown(bytes, name[0], name[1]);
	}
}

const shown = (bytes: Buffer, start: number, end: number) => fieldName(nameText(bytes.subarray(start, end)));
