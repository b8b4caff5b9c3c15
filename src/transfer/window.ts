// Holds the part of a file in memory: the bytes that the scanner has not finished yet, and those read after them.

import { FileError } from './format.ts';

export interface WindowLimits {
	/** This many bytes are read before the scanner examines the window again. */
	readonly windowBytes: number;
	/** A logical record may have at most this many bytes; a file with a longer one is refused. */
	readonly maxRecordBytes: number;
}

export const DEFAULT_LIMITS: WindowLimits = { windowBytes: 262_144, maxRecordBytes: 1_048_576 };

/**
 * The limits for a file that is streamed in the thread of a listener. A window of this size takes some milliseconds to scan.
 */
export const STREAMED_LIMITS: WindowLimits = { windowBytes: 32_768, maxRecordBytes: DEFAULT_LIMITS.maxRecordBytes };

/** Slides a window over a source. The scanner sees `bytes[start, end)`. */
export class Window {
	bytes: Buffer;
	start = 0;
	end = 0;
	/** True if no byte follows `end`. */
	isLast = false;
	/** The offset in the file of `bytes[0]`. */
	base = 0;
	readonly #source: AsyncIterator<Uint8Array>;
	readonly #limits: WindowLimits;
	#pending: Uint8Array = new Uint8Array(0);

	constructor(source: AsyncIterable<Uint8Array>, limits: WindowLimits) {
		this.#source = source[Symbol.asyncIterator]();
		this.#limits = limits;
		this.bytes = Buffer.allocUnsafeSlow(limits.windowBytes * 2);
	}

	/** Returns the offset in the file of the first byte that the scanner has not finished yet. */
	get position(): number {
		return this.base + this.start;
	}

	/**
	 * Reads more bytes after those that the window holds.
	 * @throws FileError if the held bytes are more than a record may have; its offset points into `bytes`
	 */
	async fill(): Promise<void> {
		const held = this.end - this.start;
		if (held >= this.#limits.maxRecordBytes) {
			throw new FileError(`a single record is longer than ${this.#limits.maxRecordBytes} bytes`, {
				offset: this.start,
			});
		}
		// A long record is scanned again from its beginning, so the window grows at least twofold, not by a few bytes at
		// a time.
		const target = held + Math.max(this.#limits.windowBytes, held);
		this.#makeRoom(target);
		while (this.end < target && !this.isLast) {
			if (this.#pending.length === 0 && !(await this.#readOn())) break;
			const taken = Math.min(this.#pending.length, target - this.end);
			this.bytes.set(this.#pending.subarray(0, taken), this.end);
			this.#pending = this.#pending.subarray(taken);
			this.end += taken;
		}
	}

	/** Drops everything before `settled`. */
	consume(settled: number): void {
		this.start = settled;
	}

	/** Wipes the window and ends the source early. */
	async close(): Promise<void> {
		this.bytes.fill(0);
		await this.#source.return?.();
	}

	async #readOn(): Promise<boolean> {
		const { done, value } = await this.#source.next();
		if (done) this.isLast = true;
		else this.#pending = value;
		return !done;
	}

	/** Moves the bytes of the window to the front of the buffer, or of a larger one if necessary. */
	#makeRoom(length: number): void {
		const held = this.bytes.subarray(this.start, this.end);
		this.base += this.start;
		if (length > this.bytes.length) {
			const larger = Buffer.allocUnsafeSlow(Math.max(length, this.bytes.length * 2));
			larger.set(held);
			this.bytes = larger;
		} else {
			this.bytes.copyWithin(0, this.start, this.end);
		}
		this.end -= this.start;
		this.start = 0;
	}
}
