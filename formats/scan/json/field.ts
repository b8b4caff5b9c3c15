import { JSON_EVENT, JsonReader } from '../../../src/base/text/json.ts';
import { SecondReading } from '../second-reading.ts';
import { fieldName } from '../shown-name.ts';
import { keyText } from './key-text.ts';
import type { JsonOpenKeys } from './open-keys.ts';

/** A key: its position in the window, or its name if it was in an earlier window. */
type Key = string | readonly [start: number, end: number] | undefined;

/** Names the key whose value contains an offset. */
export class JsonField {
	/** True if the offset of the last search is inside a string. */
	isInString = false;
	readonly #reading: SecondReading<JsonReader>;
	/** The keys whose values are the open arrays and objects, by depth, and the key whose value comes next. */
	#keys: Key[] = [];
	#key: Key;
	/** The same where the window begins. */
	#firstKeys: readonly Key[] = [];
	#firstKey: Key;

	constructor(depth: number) {
		this.#reading = new SecondReading((fail) => new JsonReader({ depth, fail }));
	}

	/** Begins a new window, where this reader is before it reads the window. */
	begin(reader: JsonReader, keys: JsonOpenKeys): void {
		this.#reading.begin(reader);
		this.#firstKeys = keys.names(reader.depth);
		this.#firstKey = keys.pending;
	}

	/** Returns the key whose value contains the offset `at` of the window. */
	find(bytes: Buffer, at: number): string | undefined {
		this.#reading.moveTo(bytes, at, this.#restart, this.#take);
		const { reader } = this.#reading;
		const isKey = this.#place(at);
		const key = reader.isObject(reader.depth) ? this.#key : this.#keys[reader.depth];
		if (isKey || key === undefined) return undefined;
		return typeof key === 'string' ? key : shownKey(bytes, key[0], key[1]);
	}

	readonly #restart = () => {
		this.#keys = [...this.#firstKeys];
		this.#key = this.#firstKey;
	};

	readonly #take = (event: number) => {
		const { reader } = this.#reading;
		const { depth } = reader;
		if (event === JSON_EVENT.KEY) this.#key = [reader.start, reader.stop];
		else if (event === JSON_EVENT.REST_OF_KEY) this.#key = undefined;
		else if (event === JSON_EVENT.OPEN) {
			this.#keys[depth] = reader.isObject(depth - 1) ? this.#key : this.#keys[depth - 1];
		}
	};

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

/** Returns the key in `bytes[start, end)` as a report shows it. */
export function shownKey(bytes: Buffer, start: number, end: number): string | undefined {
	return fieldName(keyText(bytes.subarray(start, end)));
}
