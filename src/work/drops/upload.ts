import type { SpoolReader } from '../../base/blobs/spool-reader.ts';
import type { SealedFile, SpoolWriter } from '../../base/blobs/spool-writer.ts';
import type { Told } from '../../base/errors.ts';
import { type FailureCode, told } from '../../base/failures.ts';
import { Turns } from '../../base/threads/turns.ts';
import type { DropFile } from './drop-store.ts';

/** At most so many bytes wait for those before them: clients that write concurrently send slightly out of order. */
export const MAX_REORDERED_BYTES = 8 * 1024 * 1024;

/**
 * The reasons why an upload cannot continue. `too-large`: the file is over the size limit. `gap`: bytes in the middle
 * never arrived. `too-far`: more bytes arrived out of order than are kept. `changed`: bytes already received were sent
 * again with other content. `superseded`: another upload of the name took over. `name`: no file may have this name.
 * `quota`: the account may store no more.
 */
export type UploadProblem = 'name' | 'too-large' | 'gap' | 'too-far' | 'changed' | 'superseded' | 'quota';

const CODES = {
	name: 'name-not-allowed',
	'too-large': 'file-too-large',
	quota: 'storage-quota-exceeded',
	superseded: 'upload-superseded',
	gap: 'upload-incomplete',
	'too-far': 'upload-incomplete',
	changed: 'upload-incomplete',
} as const satisfies Record<UploadProblem, FailureCode>;

/** This error is thrown if the upload cannot continue. The message is for the client and says what to do. */
export class UploadError extends Error {
	override readonly name = 'UploadError';
	readonly problem: UploadProblem;
	/** What it is for pages. */
	readonly told: Told;
	constructor(problem: UploadProblem, message: string) {
		super(message);
		this.problem = problem;
		this.told = told(CODES[problem]);
	}
}

export interface UploadOptions {
	readonly file: DropFile;
	readonly writer: SpoolWriter;
	readonly maxBytes: number;
	/**
	 * This function is called with the number of new bytes before they are stored.
	 * @throws UploadError if the account may not store them
	 */
	readonly charge?: (bytes: number) => void;
	readonly openStored: () => Promise<SpoolReader>;
	/** Cuts the stored part, whose writer is paused, to `size` bytes, and opens a writer that continues it. */
	readonly shorten: (size: number) => Promise<SpoolWriter>;
}

/**
 * Holds one file that is being uploaded. Calls may overlap; bytes are stored in the order of their offsets. It is in one
 * of these states:
 * - *open*: it takes bytes (`write`), is cut (`truncate`) and read, and is sealed once every byte is there.
 * - *failed*: bytes are lost or were refused. The first `#fail` moves it here, from any call. What was received stays: it
 *   can still be read, and `suspend` keeps it for an upload that resumes it. A failed upload never becomes open again.
 * - *superseded*: another upload has taken over the name (`supersede`). This is a failure with a problem of its own.
 * - *suspended*: its bytes are durable and its writer is closed. Another `Upload` may resume them; this one is used up.
 * - *sealed*: the file is complete, and a transaction stores it. The turn is kept until the sealed file is settled, so
 *   nobody can suspend, cut or take over a file that is being accepted.
 */
export class Upload {
	readonly file: DropFile;
	#writer: SpoolWriter;
	readonly #options: UploadOptions;
	/** Holds, by offset, bytes that were received before others that precede them in the file. */
	readonly #early = new Map<number, Buffer>();
	#earlyBytes = 0;
	/** The offset of the next byte in order; the writer may not have written up to it yet. */
	#next: number;
	/** The end of the file as far as its client has shown it, whether or not the bytes before it have arrived. */
	#reach: number;
	/**
	 * Runs operations on the upload one after another: those of the client, of an upload that takes over the name, and
	 * of a daemon that stops.
	 */
	readonly #turns = new Turns();
	#failure: unknown;
	#modifiedAtMs: number;

	constructor(options: UploadOptions) {
		this.#options = options;
		this.file = options.file;
		this.#writer = options.writer;
		this.#next = options.writer.size;
		this.#reach = Math.max(this.#next, options.file.missing_to ?? 0);
		this.#modifiedAtMs = options.file.modified_at;
	}

	get size(): number {
		return this.#next;
	}

	/** Returns the number of bytes that the file of the client is known to have, including those that did not arrive. */
	get reach(): number {
		return this.#reach;
	}

	/** Returns true if no byte has arrived, not even one that waits for others. */
	get isEmpty(): boolean {
		return this.#reach === 0;
	}

	get modifiedAtMs(): number {
		return this.#modifiedAtMs;
	}

	/** Returns the error that prevents the upload from being finished, if any. */
	get failure(): unknown {
		return this.#failure;
	}

	/** Returns the problem because of which the upload cannot continue, if there is one. */
	get problem(): UploadProblem | undefined {
		return this.#failure instanceof UploadError ? this.#failure.problem : undefined;
	}

	/**
	 * Checks that every byte that the client sent has arrived and was kept.
	 * @throws UploadError for missing bytes, or an earlier failure
	 */
	requireWhole(): void {
		if (this.#failure === undefined && this.#reach > this.#next) {
			const end = this.#early.size > 0 ? Math.min(...this.#early.keys()) : this.#reach;
			this.#fail(missingBytes(this.#next, end));
		}
		if (this.#failure !== undefined) throw this.#failure;
	}

	/**
	 * Stores `bytes` at `offset`, or at the end if that is null. The caller may reuse the buffer once the promise settles.
	 * @throws UploadError
	 */
	async write(offset: number | null, bytes: Buffer): Promise<void> {
		if (this.#failure !== undefined) throw this.#failure;
		this.#modifiedAtMs = Date.now();
		const at = offset ?? this.#next + this.#earlyBytes;
		this.#reach = Math.max(this.#reach, at + bytes.length);
		try {
			if (at + bytes.length > this.#options.maxBytes) {
				throw new UploadError('too-large', `files may have ${this.#options.maxBytes} bytes at most`);
			}
			const newBytes = Math.min(bytes.length, at + bytes.length - this.#next);
			if (newBytes > 0) this.#options.charge?.(newBytes);
			if (at > this.#next) return this.#keepEarly(at, bytes);
		} catch (error) {
			throw this.#fail(error);
		}
		const known = Math.min(this.#next - at, bytes.length);
		const again = known > 0 ? this.#checkSame(at, bytes.subarray(0, known)) : undefined;
		const taken = known < bytes.length ? this.#append(bytes.subarray(known)) : undefined;
		// The caller may reuse the buffer after this, so the comparison and the write must both have ended, even if one of
		// them fails.
		await Promise.allSettled([again, taken]);
		await again;
		await taken;
	}

	/** Returns up to `length` received bytes from `offset`, so that a client can check what it sent. */
	read(offset: number, length: number): Promise<Buffer> {
		return this.#turns.run(async () => {
			if (offset >= this.#writer.size) return Buffer.alloc(0);
			await this.#writer.flush();
			const stored = await this.#options.openStored();
			try {
				return await stored.read(offset, length);
			} finally {
				await stored.close();
			}
		});
	}

	/**
	 * Drops all bytes from `size` on, so that the client may send others in their place.
	 * @throws UploadError for a size that is larger than what was sent, or an earlier failure
	 */
	async truncate(size: number): Promise<void> {
		if (this.#failure !== undefined) throw this.#failure;
		if (size > this.#reach) {
			throw new UploadError('gap', `an upload grows by what is written: it has ${this.#reach} bytes, not ${size}`);
		}
		for (const [at, bytes] of this.#early) {
			if (at + bytes.length <= size) continue;
			this.#drop(at, bytes);
			if (at < size) this.#keepEarly(at, bytes.subarray(0, size - at));
		}
		this.#reach = size;
		this.#modifiedAtMs = Date.now();
		if (size >= this.#next) return;
		this.#next = size;
		await this.#turns.run(async () => {
			if (this.#failure !== undefined) throw this.#failure;
			try {
				await this.#writer.suspend();
				this.#writer = await this.#options.shorten(size);
			} catch (error) {
				throw this.#fail(error);
			}
		});
	}

	/** Makes all received bytes durable. After a failure those that may be lost count as not received. */
	sync(): Promise<void> {
		return this.#turns.run(async () => {
			try {
				await this.#writer.sync();
			} catch (error) {
				this.#next = Math.min(this.#next, this.#writer.size);
				throw this.#fail(error);
			}
		});
	}

	/**
	 * Seals the upload as complete, for the transaction that accepts it. Whoever wants to take the upload over waits until
	 * the sealed file is settled.
	 * @throws UploadError or an earlier failure
	 */
	async seal(): Promise<SealedFile> {
		const release = await this.#turns.take();
		try {
			this.requireWhole();
			const sealed = await this.#writer.seal();
			return { ...sealed, settle: (isStored) => sealed.settle(isStored).finally(release) };
		} catch (error) {
			release();
			throw error;
		}
	}

	/**
	 * Keeps the received bytes durably, and returns their number, or undefined if the store failed and only a repair can
	 * tell the number.
	 */
	suspend(): Promise<number | undefined> {
		return this.#turns.run(async () => {
			try {
				return await this.#writer.suspend();
			} catch {
				await this.#writer.discard();
				return undefined;
			}
		});
	}

	/**
	 * Ends the upload for its holder: every later call fails. With `keep`, all bytes received so far are made durable for
	 * the next holder. Returns the size kept, or undefined if only a repair can tell it.
	 */
	async supersede(keep: boolean): Promise<number | undefined> {
		const end = new UploadError('superseded', 'another upload of the same name has taken over');
		// With `keep`, calls that wait for their turn may still add bytes that are to be kept, so the end is recorded
		// after them.
		if (!keep) this.#failure ??= end;
		const size = keep ? await this.suspend() : undefined;
		this.#failure ??= end;
		if (!keep) await this.#turns.run(() => this.#writer.discard());
		return size;
	}

	#keepEarly(at: number, bytes: Buffer): void {
		if (at + bytes.length - this.#next > MAX_REORDERED_BYTES || this.#early.size >= MAX_REORDERED_BYTES / 1024) {
			const missing = `byte ${this.#next} is still missing`;
			throw new UploadError(
				'too-far',
				`write further in order: ${missing}, ${MAX_REORDERED_BYTES} bytes ahead at most`,
			);
		}
		const before = this.#early.get(at);
		if (before && before.length >= bytes.length) return;
		this.#earlyBytes += bytes.length - (before?.length ?? 0);
		this.#early.set(at, Buffer.from(bytes));
	}

	/** Writes bytes that follow in order, and those that waited for them. */
	#append(bytes: Buffer): Promise<void> {
		const parts = [bytes];
		this.#next += bytes.length;
		// Usually the early bytes begin exactly at the next offset, and one look-up finds them. All early pieces are
		// searched only if none begins there, for pieces that overlap what was just received.
		for (let early = this.#takeEarly(); early !== undefined; early = this.#takeEarly()) {
			parts.push(early);
			this.#next += early.length;
		}
		return this.#turns.run(async () => {
			if (this.#failure !== undefined) throw this.#failure;
			try {
				for (const part of parts) await this.#writer.write(part);
			} catch (error) {
				throw this.#fail(error);
			}
		});
	}

	#takeEarly(): Buffer | undefined {
		const exact = this.#early.get(this.#next);
		if (exact) return this.#drop(this.#next, exact);
		for (const [at, bytes] of this.#early) {
			if (at > this.#next) continue;
			this.#drop(at, bytes);
			if (at + bytes.length > this.#next) return bytes.subarray(this.#next - at);
		}
		return undefined;
	}

	#drop(at: number, bytes: Buffer): Buffer {
		this.#early.delete(at);
		this.#earlyBytes -= bytes.length;
		return bytes;
	}

	/**
	 * Checks bytes that are sent again. A client that is unsure about the last bytes does this, which is harmless as long
	 * as they are the same.
	 */
	async #checkSame(at: number, bytes: Buffer): Promise<void> {
		const stored = await this.read(at, bytes.length);
		if (stored.equals(bytes)) return;
		throw this.#fail(
			new UploadError('changed', 'bytes received already cannot be changed: send the file again from its start'),
		);
	}

	#fail(error: unknown): unknown {
		this.#failure ??= error;
		return this.#failure;
	}
}

/** Returns the error that tells a client which bytes of its file are missing: those from `from` to just before `end`. */
export function missingBytes(from: number, end: number): UploadError {
	return new UploadError('gap', `bytes ${from} to ${end - 1} never came: the file is not accepted`);
}
