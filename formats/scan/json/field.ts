import { JSON_EVENT, JsonReader } from '../../../src/base/text/json.ts';
import type { FirstNames, OpenNames } from '../open-names.ts';
import { SecondReading } from '../second-reading.ts';
import { keyText } from './key-text.ts';

/** Names the key whose value contains an offset. */
export class JsonField {
	/** True if the offset of the last search is inside a string. */
	isInString = false;
	readonly #reading: SecondReading<JsonReader>;

	constructor(depth: number) {
		this.#reading = new SecondReading((fail) => new JsonReader({ depth, fail }), depth, keyText, take);
	}

	/** Begins a new window, where this reader is before it reads the window. */
	begin(reader: JsonReader, keys: FirstNames): void {
		this.#reading.begin(reader, keys);
	}

	/** Returns the key whose value contains the offset `at` of the window. */
	find(bytes: Buffer, at: number): string | undefined {
		const { reader, names } = this.#reading.moveTo(bytes, at);
		if (this.#place(at)) return undefined;
		return reader.isObject(reader.depth) ? names.pending(bytes) : names.at(bytes, reader.depth);
	}

	/** Finds out whether an offset of the last event is in a string, and returns whether that string is a key. */
	#place(at: number): boolean {
		const { event, reader } = this.#reading;
		const isWhole = event === JSON_EVENT.KEY || event === JSON_EVENT.STRING;
		const isRest = event === JSON_EVENT.REST_OF_KEY || event === JSON_EVENT.REST_OF_STRING;
		const isOpen = reader.isInString || (event === JSON_EVENT.NONE && reader.cut >= 0);
		this.isInString = isWhole ? at >= reader.start - 1 && at <= reader.stop : isRest || isOpen;
		const isKey = event === JSON_EVENT.KEY || event === JSON_EVENT.REST_OF_KEY;
		return this.isInString && (isKey || (!isWhole && !isRest && reader.expectsKey));
	}
}

function take(event: number, reader: JsonReader, keys: OpenNames): void {
	if (event === JSON_EVENT.KEY) {
		keys.start = reader.start;
		keys.end = reader.stop;
	} else if (event === JSON_EVENT.REST_OF_KEY) keys.drop();
	else if (event === JSON_EVENT.OPEN) keys.open(reader.depth, reader.isObject(reader.depth - 1));
}
