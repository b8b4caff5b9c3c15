import { fieldName } from './shown-name.ts';

/** This position means that the name was in an earlier window. */
const GONE = -1;

/**
 * Holds the names whose values are still open, by depth from 1: as positions while their window is in memory, as texts
 * afterwards. They are the keys of open arrays and objects of JSON, or open elements of markup.
 */
export class OpenNames {
	/** The position of the name that was read last. */
	start = GONE;
	end = 0;
	readonly #starts: Int32Array;
	readonly #ends: Int32Array;
	#texts: (string | undefined)[] = [undefined];
	/** The text of the name that was read last, if it was in an earlier window. */
	#pending: string | undefined;
	readonly #read: (name: Buffer) => string;

	constructor(depths: number, read: (name: Buffer) => string) {
		this.#starts = new Int32Array(depths + 1).fill(GONE);
		this.#ends = new Int32Array(depths + 1);
		this.#read = read;
	}

	get isGone(): boolean {
		return this.start === GONE;
	}

	/** Forgets the name that was read last, because it is too long to be shown. */
	drop(): void {
		this.start = GONE;
		this.#pending = undefined;
	}

	/** Notes that a value opens at `depth`, under the name read last or as an element of the array around it. */
	open(depth: number, isMember: boolean): void {
		const outer = depth - 1;
		this.#starts[depth] = isMember ? this.start : this.#starts[outer];
		this.#ends[depth] = isMember ? this.end : this.#ends[outer];
		if (this.#starts[depth] === GONE) this.#texts[depth] = isMember ? this.#pending : this.#texts[outer];
	}

	/** Ends the current window: keeps the names whose values are still open, because the next window lacks their bytes. */
	endWindow(bytes: Buffer, depth: number): void {
		for (let i = 1; i <= depth; i++) this.#texts[i] = this.at(bytes, i);
		this.#pending = this.pending(bytes);
		this.#starts.fill(GONE, 0, depth + 1);
		this.start = GONE;
	}

	/** Becomes a copy of the names that are open at the beginning of a window. */
	follow({ texts, last }: FirstNames): void {
		this.#texts = [...texts];
		this.#pending = last;
		this.#starts.fill(GONE, 0, texts.length);
		this.start = GONE;
	}

	/** Returns the names that are open at the beginning of a window, down to `depth`. */
	first(depth: number): FirstNames {
		return { texts: this.#texts.slice(0, depth + 1), last: this.#pending };
	}

	/** Returns the name of the value that is open at `depth`, as a report shows it. */
	at(bytes: Buffer, depth: number): string | undefined {
		const start = this.#starts[depth];
		return start === GONE ? this.#texts[depth] : this.shown(bytes, start, this.#ends[depth]);
	}

	/** Returns the name that was read last, whose value comes next or continues there. */
	pending(bytes: Buffer): string | undefined {
		return this.isGone ? this.#pending : this.shown(bytes, this.start, this.end);
	}

	/** Returns the name in `bytes[start, end)` as a report shows it. */
	shown(bytes: Buffer, start: number, end: number): string | undefined {
		return fieldName(this.#read(bytes.subarray(start, end)));
	}
}

/** The names that are open at the beginning of a window: by depth, and the one whose value comes next. */
export interface FirstNames {
	readonly texts: readonly (string | undefined)[];
	readonly last?: string;
}
