import { JSON_EVENT, type JsonEvent, JsonReader } from '../../../src/base/text/json.ts';
import { fieldName } from '../shown-name.ts';
import { keyText } from './key-text.ts';
import type { JsonOpenKeys } from './open-keys.ts';

/** A key: its position in the window, or its name if it was in an earlier window. */
type Key = string | readonly [start: number, end: number] | undefined;

/**
 * Names the key whose value contains an offset. To find it, the window is read a second time. Each search continues
 * where the one before it ended, so many offsets in ascending order need only one such reading.
 */
export class JsonField {
	/** True if the offset of the last search is inside a string. */
	isInString = false;
	/** Where the window begins, and how far it was read a second time. */
	readonly #first: JsonReader;
	readonly #reader: JsonReader;
	/** The open arrays and objects there: the keys whose values they are, by depth; and the key whose value comes next. */
	#firstKeys: readonly Key[] = [];
	#firstKey: Key;
	#keys: Key[] = [];
	#key: Key;
	/** The event that was read last, and where the search for it began; -1 if the window was not read yet. */
	#event: JsonEvent = JSON_EVENT.NONE;
	#from = -1;
	#isAtEnd = false;
	#start = 0;
	#to = 0;

	constructor(depth: number) {
		const fail = () => new Error('internal error: what was read before is no JSON');
		this.#first = new JsonReader({ depth, fail });
		this.#reader = new JsonReader({ depth, fail });
	}

	/** Begins a new window, where this reader is before it reads the window. */
	begin(reader: JsonReader, keys: JsonOpenKeys): void {
		this.#first.follow(reader);
		this.#start = reader.at;
		this.#to = reader.end;
		this.#firstKeys = keys.names(reader.depth);
		this.#firstKey = keys.pending;
		this.#from = -1;
	}

	/** Returns the key whose value contains the offset `at` of the window. */
	find(bytes: Buffer, at: number): string | undefined {
		const reader = this.#reader;
		if (this.#from < 0 || at < this.#from) {
			reader.follow(this.#first);
			reader.begin(bytes, this.#start, this.#to, false);
			this.#keys = [...this.#firstKeys];
			this.#key = this.#firstKey;
			this.#event = JSON_EVENT.NONE;
			this.#from = this.#start;
			this.#isAtEnd = false;
		}
		while (at >= reader.at && !this.#isAtEnd) {
			this.#from = reader.at;
			this.#event = reader.next();
			this.#isAtEnd = this.#event === JSON_EVENT.NONE;
			this.#take(this.#event);
		}
		const isKey = this.#place(at);
		const key = reader.isObject(reader.depth) ? this.#key : this.#keys[reader.depth];
		if (isKey || key === undefined || typeof key === 'string') return isKey ? undefined : (key as string | undefined);
		return shownKey(bytes, key[0], key[1]);
	}

	#take(event: JsonEvent): void {
		const { depth, start, stop } = this.#reader;
		if (event === JSON_EVENT.KEY) this.#key = [start, stop];
		else if (event === JSON_EVENT.REST_OF_KEY) this.#key = undefined;
		else if (event === JSON_EVENT.OPEN) {
			this.#keys[depth] = this.#reader.isObject(depth - 1) ? this.#key : this.#keys[depth - 1];
		}
	}

	/** Finds out whether an offset of the last event is in a string, and returns whether that string is a key. */
	#place(at: number): boolean {
		const { start, stop, cut, isInString, expectsKey } = this.#reader;
		switch (this.#event) {
			case JSON_EVENT.KEY:
			case JSON_EVENT.STRING:
				this.isInString = at >= start - 1 && at <= stop;
				return this.isInString && this.#event === JSON_EVENT.KEY;
			case JSON_EVENT.REST_OF_KEY:
			case JSON_EVENT.REST_OF_STRING:
				this.isInString = true;
				return this.#event === JSON_EVENT.REST_OF_KEY;
			default:
				this.isInString = isInString || (this.#event === JSON_EVENT.NONE && cut >= 0);
				return this.isInString && expectsKey;
		}
	}
}

/** Returns the key in `bytes[start, end)` as a report shows it. */
export function shownKey(bytes: Buffer, start: number, end: number): string | undefined {
	return fieldName(keyText(bytes.subarray(start, end)));
}
