// Holds the part of a file that is in memory: bytes that were read, but whose replacement is not decided yet.

import { giveBack } from '../base/threads/buffer-memory.ts';
import { FileError } from './format.ts';

export interface WindowLimits {
	/** This many bytes are read before the scanner examines the window again. */
	readonly windowBytes: number;
	/** A logical record may have at most this many bytes; a file with a longer one is refused. */
	readonly maxRecordBytes: number;
}

export const DEFAULT_LIMITS: WindowLimits = { windowBytes: 262_144, maxRecordBytes: 1_048_576 };

/**
 * The limits for a file that is streamed in the thread of a listener. To scan a window of this size takes only some
 * milliseconds, so that other requests need not wait long.
 */
export const STREAMED_LIMITS: WindowLimits = { windowBytes: 32_768, maxRecordBytes: DEFAULT_LIMITS.maxRecordBytes };

/** Moves a window along the bytes of a source. `bytes[start, end)` is the part that the scanner may examine. */
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
	/** No byte of the buffer from here on was ever written. */
	#untouchedFrom = 0;

	constructor(source: AsyncIterable<Uint8Array>, limits: WindowLimits) {
		this.#source = source[Symbol.asyncIterator]();
		this.#limits = limits;
		this.bytes = Buffer.allocUnsafeSlow(limits.windowBytes * 2);
	}

	/** Returns the offset in the file of the first byte that `consume` has not dropped yet. */
	get position(): number {
		return this.base + this.start;
	}

	/**
	 * Reads more bytes after those that the window holds.
	 * @throws FileError if the window already holds as many bytes as a record may have; its offset points into `bytes`
	 */
	async fill(): Promise<void> {
		const held = this.end - this.start;
		const { windowBytes, maxRecordBytes } = this.#limits;
		if (held >= maxRecordBytes) {
			throw new FileError(
				`a single record is longer than ${maxRecordBytes} bytes`,
				{ offset: this.start },
				{ code: 'record-too-long', parameters: { bytes: maxRecordBytes } },
			);
		}
		// A record that does not fit into the window is scanned again from its beginning. So the window doubles each time,
		// because many small steps would mean many scans. It never grows beyond a record, so that a longer one is refused
		// wherever it begins.
		const target = Math.min(held + Math.max(windowBytes, held), maxRecordBytes);
		this.#makeSpace(target);
		while (this.end < target && !this.isLast) {
			if (this.#pending.length === 0 && !(await this.#readOn())) break;
			const taken = Math.min(this.#pending.length, target - this.end);
			this.bytes.set(this.#pending.subarray(0, taken), this.end);
			this.#pending = this.#pending.subarray(taken);
			this.end += taken;
			this.#untouchedFrom = Math.max(this.#untouchedFrom, this.end);
		}
	}

	/** Drops everything before `settled`. */
	consume(settled: number): void {
		this.start = settled;
	}

	/**
	 * Wipes the bytes of the window, frees its memory and closes the source, even if it was not read to its end. The
	 * caller must not use `bytes` any more.
	 */
	async close(): Promise<void> {
		this.#wipe();
		await this.#source.return?.();
	}

	async #readOn(): Promise<boolean> {
		const { done, value } = await this.#source.next();
		if (done) this.isLast = true;
		else this.#pending = value;
		return !done;
	}

	/**
	 * Makes space for `length` bytes: moves the bytes of the window to the front of the buffer, or into a larger buffer if
	 * they do not fit.
	 */
	#makeSpace(length: number): void {
		const held = this.end - this.start;
		this.base += this.start;
		if (length > this.bytes.length) {
			const larger = Buffer.allocUnsafeSlow(Math.max(length, this.bytes.length * 2));
			this.bytes.copy(larger, 0, this.start, this.end);
			this.#wipe();
			this.bytes = larger;
			this.#untouchedFrom = held;
		} else {
			this.bytes.copyWithin(0, this.start, this.end);
		}
		this.end = held;
		this.start = 0;
	}

	/**
	 * Wipes the buffer and frees it. A small file fills a small part of it, and the system provides memory only for that
	 * part as long as the rest is not written.
	 */
	#wipe(): void {
		giveBack(this.bytes.fill(0, 0, this.#untouchedFrom));
	}
}
