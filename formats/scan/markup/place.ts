import { XmlReader } from '../../../src/base/text/xml.ts';
import { XML_EVENT } from '../../../src/base/text/xml-events.ts';
import { SecondReading } from '../second-reading.ts';
import { fieldName, nameText } from '../shown-name.ts';
import { MAX_MARKUP_DEPTH } from './elements.ts';

/** Names the element or attribute whose value contains an offset. */
export class MarkupPlace {
	readonly #reading = new SecondReading((fail) => new XmlReader({ depth: MAX_MARKUP_DEPTH, fail }));
	#open: readonly string[] = [];
	/** Holds the open elements, outermost first: by name if they opened in an earlier window, otherwise by position. */
	#stack: (string | readonly [start: number, end: number])[] = [];
	#tagName: readonly [start: number, end: number] = [0, 0];

	/** Begins a window where the reader is before it reads the window, inside these open elements. */
	begin(reader: XmlReader, open: readonly string[]): void {
		this.#reading.begin(reader);
		this.#open = open;
	}

	/** Returns the element or attribute whose value contains the offset `at` of the window. */
	find(bytes: Buffer, at: number): string | undefined {
		this.#reading.moveTo(bytes, at, this.#restart, this.#take);
		const { event, reader } = this.#reading;
		if (event === XML_EVENT.ATTRIBUTE) {
			return at < reader.start ? undefined : shown(bytes, reader.nameStart, reader.nameEnd);
		}
		if (event === XML_EVENT.TAG || event === XML_EVENT.TAG_END || event === XML_EVENT.END_TAG) return undefined;
		const name = this.#stack.at(-1);
		if (name === undefined || typeof name === 'string') return name || undefined;
		return shown(bytes, name[0], name[1]);
	}

	readonly #restart = () => {
		this.#stack = [...this.#open];
	};

	readonly #take = (event: number) => {
		const { nameStart, nameEnd, isEmpty, isInTag } = this.#reading.reader;
		if (event === XML_EVENT.TAG) this.#tagName = [nameStart, nameEnd];
		const isOpened = event === XML_EVENT.TAG ? !isInTag : event === XML_EVENT.TAG_END && !isEmpty;
		if (isOpened) this.#stack.push(this.#tagName);
		else if (event === XML_EVENT.END_TAG) this.#stack.pop();
	};
}

const shown = (bytes: Buffer, start: number, end: number) => fieldName(nameText(bytes.subarray(start, end)));
