import { XmlReader } from '../../../src/base/text/xml.ts';
import { XML_EVENT } from '../../../src/base/text/xml-events.ts';
import type { OpenNames } from '../open-names.ts';
import { SecondReading } from '../second-reading.ts';
import { nameText } from '../shown-name.ts';
import { MAX_MARKUP_DEPTH, type OpenElements } from './elements.ts';

/** Names the element or attribute whose value contains an offset. */
export class MarkupPlace {
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
