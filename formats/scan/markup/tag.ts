import type { XmlReader } from '../../../src/base/text/xml.ts';
import { HeldValues } from '../held-value.ts';

/** Holds one start tag with its attributes. The object is reused; offsets point into the bytes it was read from. */
export class MarkupTag {
	/** The position of the `<`, and its line. */
	start = 0;
	startLine = 0;
	nameStart = 0;
	nameEnd = 0;
	/** The position at which the name without its prefix begins. */
	localStart = 0;
	/** The line of the byte after the tag. */
	line = 0;
	/** The values inside the quotes, under their local names. */
	readonly attributes = new HeldValues();

	/** Begins the tag whose name the reader has read. */
	begin({ nameStart, nameEnd, localStart, eventLine }: XmlReader): void {
		this.start = nameStart - 1;
		this.startLine = eventLine;
		this.nameStart = nameStart;
		this.nameEnd = nameEnd;
		this.localStart = localStart;
		this.attributes.length = 0;
	}

	/** Adds the attribute that the reader has read. */
	add({ localStart, nameEnd, start, stop, hasReference }: XmlReader): void {
		const value = this.attributes.next();
		value.nameStart = localStart;
		value.nameEnd = nameEnd;
		value.start = start;
		value.end = stop;
		value.isEscaped = hasReference;
	}
}
