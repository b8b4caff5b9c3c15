// Makes the commits of SQLite durable. When the disk did not take what was written, nothing is acknowledged any more, and
// the daemon ends.

import { closeSync, fdatasync, fdatasyncSync, openSync, readSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { Turns } from '../threads/turns.ts';
import { SYNC_FAILED, threadMemory } from './write-turn.ts';

/**
 * After this error, what was written to the database since the last sync may be lost at a power failure, although it
 * can be read until then. It has the code that SQLite gives to a failed sync.
 */
export class UnsyncedError extends Error {
	override readonly name = 'UnsyncedError';
	readonly code = 'SQLITE_IOERR_FSYNC';
	constructor(options?: ErrorOptions) {
		super(
			'the disk did not take what was written to the database, so nothing is acknowledged any more: check the disk, ' +
				'then start the daemon again, which first writes everything to the disk anew',
			options,
		);
	}
}

/** The log as a connection sees it. */
export interface CheckpointedLog {
	frames(): number;
	/** Syncs the log, moves what no reader needs there into the database, and syncs that. */
	checkpoint(): void;
}

/** The log is moved into the database when it has this many pages, which is also SQLite's own limit. */
const LONG_LOG_FRAMES = 1_000;

/**
 * Makes SQLite's commits durable. SQLite itself would sync its write-ahead log within every commit, with its write lock
 * held and the whole thread waiting. Here a commit only writes the log, and whoever needs it durable waits for a sync of
 * the log in the background, which serves all commits that came before it.
 *
 * After a failed sync no thread of the process acknowledges anything any more. The system tells each open file about
 * the failure only once and forgets what it could not write. So a later sync would succeed although a part of the log is
 * missing on the disk, and with that part all that follows it in the log. The daemon ends, and `WalFile.writeAnew` repairs
 * the log when it starts again.
 */
export class WalSync {
	readonly #flush: () => Promise<void>;
	readonly #shared: Int32Array<SharedArrayBuffer>;
	readonly #turns = new Turns();
	#next: Promise<void> | undefined;
	#isDisabled = false;

	/**
	 * The function `flush` makes everything durable that the write-ahead log contains when it is called. In the memory
	 * `shared` the threads of a process tell each other that a sync has failed.
	 */
	constructor(flush: () => Promise<void>, shared = threadMemory()) {
		this.#flush = flush;
		this.#shared = new Int32Array(shared);
	}

	/**
	 * Makes `sync` do nothing from now on. This is called for a database without a write-ahead log, whose commits
	 * SQLite itself makes durable.
	 */
	disable(): void {
		this.#isDisabled = true;
	}

	/**
	 * When this resolves, every commit before the call survives a power failure. Calls that come before a flush begins
	 * share that flush.
	 * @throws UnsyncedError when the disk fails, or has failed before
	 */
	async sync(): Promise<void> {
		if (this.#isDisabled) return;
		this.#next ??= this.#turns.run(() => {
			this.#next = undefined;
			return this.#flushUnlessFailed();
		});
		await this.#next;
	}

	/** Resolves when a sync has failed in any thread of the process. It keeps no process running. */
	async failed(): Promise<UnsyncedError> {
		await Atomics.waitAsync(this.#shared, SYNC_FAILED, 0).value;
		return new UnsyncedError();
	}

	/**
	 * Moves a long log into the database, as SQLite does by itself after a commit, but never after a failed sync: the log on
	 * the disk may then lack what the database would get, and after a power failure the two would not fit. SQLite itself
	 * ignores a sync that fails here, and the next one would succeed.
	 */
	checkpoint(log: CheckpointedLog): void {
		if (this.#isDisabled || Atomics.load(this.#shared, SYNC_FAILED) === 1 || log.frames() < LONG_LOG_FRAMES) return;
		try {
			log.checkpoint();
		} catch (error) {
			// A full disk or a busy log is no harm: the next commit tries again.
			if ((error as { code?: string }).code === 'SQLITE_IOERR_FSYNC') this.#noteFailure();
		}
	}

	#noteFailure(): void {
		Atomics.store(this.#shared, SYNC_FAILED, 1);
		Atomics.notify(this.#shared, SYNC_FAILED);
	}

	async #flushUnlessFailed(): Promise<void> {
		this.#requireNoFailure();
		try {
			await this.#flush();
		} catch (cause) {
			this.#noteFailure();
			throw new UnsyncedError({ cause });
		}
		// The system may have told another thread alone about a failure that also concerns what was flushed here.
		this.#requireNoFailure();
	}

	#requireNoFailure(): void {
		if (Atomics.load(this.#shared, SYNC_FAILED) === 1) throw new UnsyncedError();
	}
}

const syncFile = promisify(fdatasync);

export class WalFile {
	readonly #path: string;
	#file: number | undefined;

	constructor(databaseFile: string) {
		this.#path = `${databaseFile}-wal`;
	}

	/**
	 * Opens the file, unless it is open already. This has to be done before the first commit, because the system tells a
	 * file about a failure only if it was open when that happened.
	 */
	open(): void {
		this.#file ??= openSync(this.#path, 'r+');
	}

	async flush(): Promise<void> {
		await syncFile(this.#file!);
	}

	/**
	 * Writes the log again and makes it durable. A process whose sync has failed leaves a log that can be read although a
	 * part of it may be missing on the disk, and a sync alone would not write that part. The caller holds the write lock
	 * of the database, so that nobody else changes the log.
	 */
	writeAnew(): void {
		const file = this.#file!;
		const header = Buffer.alloc(HEADER_BYTES);
		if (readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return;
		const frameBytes = FRAME_HEADER_BYTES + header.readUInt32BE(PAGE_SIZE_AT);
		const frames = Buffer.alloc(FRAMES_AT_ONCE * frameBytes);
		writeWhole(file, header, 0);
		for (let at = HEADER_BYTES, isLast = false; !isLast; at += frames.length) {
			const whole = Math.floor(readSync(file, frames, 0, frames.length, at) / frameBytes);
			let count = 0;
			// Frames with another salt are left from earlier use of the file.
			while (count < whole && hasSaltOf(header, frames.subarray(count * frameBytes))) count++;
			writeWhole(file, frames.subarray(0, count * frameBytes), at);
			isLast = count < FRAMES_AT_ONCE;
		}
		fdatasyncSync(file);
	}

	close(): void {
		if (this.#file !== undefined) closeSync(this.#file);
		this.#file = undefined;
	}
}

// The layout of the log is part of SQLite's file format (https://sqlite.org/fileformat2.html#walformat): a header, and
// frames, each of which is a page behind a header of its own.
const HEADER_BYTES = 32;
const PAGE_SIZE_AT = 8;
const SALT_AT = 16;
const FRAME_HEADER_BYTES = 24;
const FRAME_SALT_AT = 8;
const SALT_BYTES = 8;
const FRAMES_AT_ONCE = 128;

function hasSaltOf(header: Buffer, frame: Buffer): boolean {
	return header.compare(frame, FRAME_SALT_AT, FRAME_SALT_AT + SALT_BYTES, SALT_AT, SALT_AT + SALT_BYTES) === 0;
}

function writeWhole(file: number, bytes: Uint8Array, position: number): void {
	for (let written = 0; written < bytes.length; ) {
		written += writeSync(file, bytes, written, bytes.length - written, position + written);
	}
}
