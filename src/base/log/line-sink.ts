// Writes the lines of the log to a file descriptor. A log that cannot be written (a full disk, a reader that has gone or
// hangs) stops nothing: the lines are dropped and counted.

import { writeSync } from 'node:fs';
import process from 'node:process';

/** A reader that is only slow gets this much time. After that, lines are dropped until it reads again. */
const PATIENCE_MS = 100;
const PAUSE_MS = 2;

/** A line that may wait is written after so many milliseconds, or when so much waits. */
const GATHER_MS = 1;
const MOST_GATHERED_CHARACTERS = 32_768;
const NEWLINE = 0x0a;

/** The indexes of the values in the shared memory: how many lines were dropped, and 1 if the last line was dropped. */
const DROPPED = 0;
const IS_FAILING = 1;

/** A destination for pino. The threads of a process have a sink each, and count together. */
export class LineSink {
	/** The memory in which the sinks of all threads count. */
	readonly shared: SharedArrayBuffer;
	readonly #counts: Int32Array<SharedArrayBuffer>;
	readonly #pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
	readonly #fd: number;
	/** The number of lines that this sink has dropped since it last wrote one. */
	#droppedHere = 0;
	/** True if a part of the last line was written, but not its end. */
	#isCut = false;
	#gathered: string[] = [];
	#gatheredCharacters = 0;
	#timer: NodeJS.Timeout | undefined;
	#isFlushedAtEnd = false;

	constructor(fd: number, shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
		this.#fd = fd;
		this.shared = shared;
		this.#counts = new Int32Array(shared);
	}

	/** The number of lines that the process has dropped since its start. */
	get dropped(): number {
		return Atomics.load(this.#counts, DROPPED);
	}

	/** True if the last line was dropped. */
	get isFailing(): boolean {
		return Atomics.load(this.#counts, IS_FAILING) === 1;
	}

	/** Writes a line at once, so that the last line before a crash is not lost. It never throws. */
	write(line: string): void {
		this.#gathered.push(line);
		this.flush();
	}

	/**
	 * Takes a line that is written a little later, together with those that follow it: a write for each line of a busy daemon
	 * would cost it more than the line is worth. Whoever writes a line at once also writes those that wait before it.
	 */
	gather(line: string): void {
		this.#gathered.push(line);
		this.#gatheredCharacters += line.length;
		if (this.#gatheredCharacters >= MOST_GATHERED_CHARACTERS) this.flush();
		else this.#timer ??= setTimeout(() => this.flush(), GATHER_MS).unref();
		if (this.#isFlushedAtEnd) return;
		this.#isFlushedAtEnd = true;
		process.once('exit', () => this.flush());
	}

	/** Writes the lines that wait. */
	flush(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		const lines = this.#gathered;
		if (lines.length === 0) return;
		this.#gathered = [];
		this.#gatheredCharacters = 0;
		const before = Buffer.byteLength(this.#before());
		const bytes = Buffer.from(this.#before() + lines.join(''));
		const written = this.#writeSome(bytes);
		const isWhole = written === bytes.length;
		Atomics.store(this.#counts, IS_FAILING, isWhole ? 0 : 1);
		if (isWhole) {
			this.#isCut = false;
			this.#droppedHere = 0;
			return;
		}
		if (written > 0) this.#isCut = bytes[written - 1] !== NEWLINE;
		const dropped = lines.length - bytes.subarray(before, written).filter((byte) => byte === NEWLINE).length;
		this.#droppedHere += dropped;
		Atomics.add(this.#counts, DROPPED, dropped);
	}

	/** Returns what has to stand before the next line: the end of a line that was cut, and how many are missing. */
	#before(): string {
		return `${this.#isCut ? '\n' : ''}${noticeOf(this.#droppedHere)}`;
	}

	/** Writes as much as it can, and returns how many bytes were written. */
	#writeSome(bytes: Buffer): number {
		let written = 0;
		for (let waitedMs = this.isFailing ? PATIENCE_MS : 0; written < bytes.length; ) {
			try {
				written += writeSync(this.#fd, bytes, written);
			} catch (error) {
				if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || waitedMs >= PATIENCE_MS) break;
				Atomics.wait(this.#pause, 0, 0, PAUSE_MS);
				waitedMs += PAUSE_MS;
			}
		}
		return written;
	}
}

function noticeOf(dropped: number): string {
	if (dropped === 0) return '';
	const time = new Date().toISOString();
	return `${JSON.stringify({ level: 'error', time, dropped, msg: 'log lines could not be written and were dropped' })}\n`;
}
