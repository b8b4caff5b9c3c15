import type { XmlReader } from '../../../src/base/text/xml.ts';

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
	attributeCount = 0;
	/** Holds four entries for each attribute: the start and end of its local name, and of its value inside the quotes. */
	attributes = new Int32Array(4 * 32);
	/**
	 * Marks the values that contain references. Each has its own byte, because a hostile tag has more attributes than a
	 * number has bits.
	 */
	isEscaped = new Uint8Array(32);

	/** Begins the tag whose name the reader has read. */
	begin({ nameStart, nameEnd, localStart, eventLine }: XmlReader): void {
		this.start = nameStart - 1;
		this.startLine = eventLine;
		this.nameStart = nameStart;
		this.nameEnd = nameEnd;
		this.localStart = localStart;
		this.attributeCount = 0;
	}

	/** Adds the attribute that the reader has read. */
	add({ localStart, nameEnd, start, stop, hasReference }: XmlReader): void {
		const slot = this.attributeCount * 4;
		if (slot === this.attributes.length) {
			const [places, marks] = [this.attributes, this.isEscaped];
			this.attributes = new Int32Array(places.length * 2);
			this.attributes.set(places);
			this.isEscaped = new Uint8Array(marks.length * 2);
			this.isEscaped.set(marks);
		}
		this.attributes[slot] = localStart;
		this.attributes[slot + 1] = nameEnd;
		this.attributes[slot + 2] = start;
		this.attributes[slot + 3] = stop;
		this.isEscaped[this.attributeCount++] = hasReference ? 1 : 0;
	}
}
