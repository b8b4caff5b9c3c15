import { fieldName } from '../shown-name.ts';
import { keyText } from './key-text.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Describes the place in the text where a window begins. */
export interface JsonPlace {
	/** `isInKey` is true if the window begins inside a key, and `isInString` if it begins inside another string. */
	readonly isInKey: boolean;
	readonly isInString: boolean;
	/** True if an object's key or its end comes next. */
	readonly expectsKey: boolean;
	/** Says for each open array or object, outermost first, whether it is an object, and the key whose value it is. */
	readonly isObject: readonly boolean[];
	readonly names: readonly (string | undefined)[];
	/** The key whose value comes next or continues, if any. */
	readonly pending: string | undefined;
}

/**
 * Names the key whose value contains an offset. To find it, the window is read a second time. Each search continues
 * where the one before it ended, so many offsets in ascending order need only one such reading.
 */
export class JsonField {
	#place: JsonPlace | undefined;
	#at = 0;
	/** The end of the string in which the window begins; -1 if it was not searched. */
	#firstEnd = -1;
	#expectsKey = false;
	/** True if the offset of the last search is inside a string. */
	isInString = false;
	/** The current key: its position in the window, or its name if it was in an earlier window. */
	#name: string | readonly [start: number, end: number] | undefined;
	readonly #names: (string | readonly [start: number, end: number] | undefined)[] = [];
	readonly #isObject: boolean[] = [];

	/** Begins a new window at `place`. */
	begin(place: JsonPlace): void {
		this.#place = place;
		this.#at = this.#firstEnd = -1;
	}

	/**
	 * Returns the key whose value contains an offset.
	 * @param at is an offset of the window that begins at `from`
	 */
	find(bytes: Buffer, from: number, at: number): string | undefined {
		const place = this.#place;
		if (place === undefined) return undefined;
		this.isInString = at < from && (place.isInKey || place.isInString);
		if (this.#at < 0 || at < this.#at) {
			this.#restart(place, from);
			if (place.isInKey || place.isInString) {
				if (this.#firstEnd === -1) this.#firstEnd = stringEnd(bytes, from);
				if (place.isInKey) this.#name = undefined;
				this.#at = this.#firstEnd + 1;
				this.isInString = at < this.#at;
				if (this.isInString) return this.#shown(bytes);
			}
		}
		return this.#walk(bytes, at) ? this.#shown(bytes) : undefined;
	}

	#restart(place: JsonPlace, from: number): void {
		this.#at = from;
		this.#expectsKey = place.expectsKey;
		this.#name = place.pending;
		this.#names.splice(0, this.#names.length, ...place.names);
		this.#isObject.splice(0, this.#isObject.length, ...place.isObject);
	}

	/** Moves on to the key or value that contains `at`; returns false if it is a key. */
	#walk(bytes: Buffer, at: number): boolean {
		for (; this.#at < at || bytes[this.#at] === QUOTE; this.#at++) {
			switch (bytes[this.#at]) {
				case QUOTE: {
					const end = stringEnd(bytes, this.#at + 1);
					this.isInString = at <= end;
					if (at <= end) return !this.#expectsKey;
					if (this.#expectsKey) this.#name = [this.#at + 1, end];
					this.#expectsKey = false;
					this.#at = end;
					break;
				}
				case 0x7b:
				case 0x5b:
					this.#names.push(this.#name);
					this.#isObject.push(bytes[this.#at] === 0x7b);
					this.#expectsKey = bytes[this.#at] === 0x7b;
					break;
				case 0x7d:
				case 0x5d:
					this.#names.pop();
					this.#isObject.pop();
					this.#expectsKey = false;
					if (this.#isObject.length === 0) this.#name = undefined;
					break;
				case 0x2c:
					this.#expectsKey = this.#isObject.at(-1) === true;
					this.#name = this.#names.at(-1);
			}
		}
		return true;
	}

	#shown(bytes: Buffer): string | undefined {
		const name = this.#name;
		if (name === undefined || typeof name === 'string') return name;
		return shownKey(bytes, name[0], name[1]);
	}
}

/** Returns the key in `bytes[start, end)` as a report shows it. */
export function shownKey(bytes: Buffer, start: number, end: number): string | undefined {
	return fieldName(keyText(bytes.subarray(start, end)));
}

/** Returns the position of the closing quote of the string that contains `at`, or the end of the bytes. */
function stringEnd(bytes: Buffer, at: number): number {
	for (; at < bytes.length; at++) {
		if (bytes[at] === QUOTE) return at;
		if (bytes[at] === BACKSLASH) at++;
	}
	return bytes.length;
}

/** Tells whether a byte may be next to a bare number: blanks, line ends and the marks between values. */
export function isGap(byte: number): boolean {
	return byte <= 0x20 || byte === 0x2c || byte === 0x3a || byte === 0x5b || byte === 0x5d || byte === 0x7d;
}
