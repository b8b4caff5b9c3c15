import { shownKey } from './field.ts';

/** This position means that the key was in an earlier window. */
const GONE = -1;

/** Holds the keys whose values are still open: as positions while their window is in memory, as names afterwards. */
export class JsonOpenKeys {
	/** The position of the text of the key that was read last. */
	start = GONE;
	end = 0;
	/** For each depth, from 1: the start, end and name of the key of the array or object that is open there. */
	readonly #starts: Int32Array;
	readonly #ends: Int32Array;
	readonly #names: (string | undefined)[] = [undefined];
	#pending: string | undefined;

	constructor(depths: number) {
		this.#starts = new Int32Array(depths).fill(GONE);
		this.#ends = new Int32Array(depths);
	}

	get isGone(): boolean {
		return this.start === GONE;
	}

	/** Forgets the key that was read last, because it is too long for a name. */
	drop(): void {
		this.start = GONE;
		this.#pending = undefined;
	}

	/** Notes that an array or object opens at `depth`, as the value of the key read last or as an element. */
	open(depth: number, isMember: boolean): void {
		const outer = depth - 1;
		this.#starts[depth] = isMember ? this.start : this.#starts[outer];
		this.#ends[depth] = isMember ? this.end : this.#ends[outer];
		if (this.#starts[depth] === GONE) this.#names[depth] = isMember ? this.#pending : this.#names[outer];
	}

	/**
	 * Ends the current window: keeps the names of the keys whose values are still open, because the next window lacks the
	 * bytes of these keys.
	 */
	endWindow(bytes: Buffer, depth: number): void {
		for (let i = 1; i <= depth; i++) {
			if (this.#starts[i] === GONE) continue;
			this.#names[i] = shownKey(bytes, this.#starts[i], this.#ends[i]);
			this.#starts[i] = GONE;
		}
		if (this.start !== GONE) this.#pending = shownKey(bytes, this.start, this.end);
		this.start = GONE;
	}

	/** Returns the names of the keys whose values are open at the beginning of a window, by depth. */
	names(depth: number): (string | undefined)[] {
		return this.#names.slice(0, depth + 1);
	}

	/** Returns the name of the key whose value comes next or continues there, if it is not too long for a name. */
	get pending(): string | undefined {
		return this.#pending;
	}
}
