import type { DropFile } from './drop-store.ts';
import type { SpoolReader } from './spool-reader.ts';
import type { SpoolWriter } from './spool-writer.ts';

/** Bytes that may wait for the ones before them: clients that write concurrently send a little out of order. */
export const MAX_REORDERED_BYTES = 8 * 1024 * 1024;

/**
 * `too-large`: over the size limit. `gap`: bytes in the middle never came. `too-far`: more out of order than is held.
 * `changed`: bytes received already came again with another content. `superseded`: another upload of the name took over.
 * `name`: no file may be called so. `quota`: the account may store no more.
 */
export type UploadProblem = 'name' | 'too-large' | 'gap' | 'too-far' | 'changed' | 'superseded' | 'quota';

/** An upload that cannot go on. The message is for the client and says what to do. */
export class UploadError extends Error {
	override readonly name = 'UploadError';
	readonly problem: UploadProblem;
	constructor(problem: UploadProblem, message: string) {
		super(message);
		this.problem = problem;
	}
}

export interface UploadOptions {
	readonly file: DropFile;
	readonly writer: SpoolWriter;
	readonly maxBytes: number;
	/** Asked before bytes are taken. @throws UploadError when the account may not store them */
	readonly charge?: (bytes: number) => void;
	/** Opens what is stored of the upload so far. */
	readonly openStored: () => Promise<SpoolReader>;
}

/**
 * One file on its way in. Calls may overlap; bytes are taken in the order of their offsets. The first failure that loses
 * bytes sticks: such an upload can be paused and gone on with, but never finished.
 */
export class Upload {
	readonly file: DropFile;
	readonly #writer: SpoolWriter;
	readonly #options: UploadOptions;
	/** Bytes that came before the ones they follow, by offset. */
	readonly #early = new Map<number, Buffer>();
	#earlyBytes = 0;
	/** Where the next byte in order belongs; the writer may be a little behind. */
	#next: number;
	#turn: Promise<unknown> = Promise.resolve();
	#failure: unknown;
	#modifiedAtMs: number;

	constructor(options: UploadOptions) {
		this.#options = options;
		this.file = options.file;
		this.#writer = options.writer;
		this.#next = options.writer.size;
		this.#modifiedAtMs = options.file.modified_at;
	}

	/** Bytes received without a gap. */
	get size(): number {
		return this.#next;
	}

	/** No byte has come, not even one that waits for others. */
	get isEmpty(): boolean {
		return this.#next === 0 && this.#early.size === 0;
	}

	get modifiedAtMs(): number {
		return this.#modifiedAtMs;
	}

	/** What keeps the upload from being finished, if anything. */
	get failure(): unknown {
		return this.#failure;
	}

	/** Takes `bytes` for `offset`, or for the end where that is null. @throws UploadError */
	write(offset: number | null, bytes: Buffer): Promise<void> {
		if (this.#failure !== undefined) return Promise.reject(this.#failure);
		this.#modifiedAtMs = Date.now();
		const at = offset ?? this.#next + this.#earlyBytes;
		try {
			if (at + bytes.length > this.#options.maxBytes) {
				throw new UploadError('too-large', `files may have ${this.#options.maxBytes} bytes at most`);
			}
			const newBytes = Math.min(bytes.length, at + bytes.length - this.#next);
			if (newBytes > 0) this.#options.charge?.(newBytes);
			if (at > this.#next) {
				this.#keepEarly(at, bytes);
				return Promise.resolve();
			}
		} catch (error) {
			return Promise.reject(this.#fail(error));
		}
		const known = Math.min(this.#next - at, bytes.length);
		const again = known > 0 ? this.#checkSame(at, bytes.subarray(0, known)) : undefined;
		const taken = known < bytes.length ? this.#append(bytes.subarray(known)) : undefined;
		return Promise.all([again, taken]).then(() => undefined);
	}

	/** Up to `length` bytes of what was received, so that a client can look at what it sent. */
	read(offset: number, length: number): Promise<Buffer> {
		return this.#inTurn(async () => {
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

	sync(): Promise<void> {
		return this.#inTurn(() => this.#writer.sync());
	}

	/** Seals the upload as whole and durable and gives its size. @throws UploadError, and whatever failed before */
	finish(): Promise<number> {
		return this.#inTurn(() => {
			if (this.#failure !== undefined) throw this.#failure;
			if (this.#early.size > 0) {
				const first = Math.min(...this.#early.keys());
				throw this.#fail(
					new UploadError('gap', `bytes ${this.#next} to ${first - 1} never came: the file is not accepted`),
				);
			}
			return this.#writer.finish();
		});
	}

	/** Keeps what came, durable, and gives its size; undefined when the store failed and only a repair can tell. */
	suspend(): Promise<number | undefined> {
		return this.#inTurn(async () => {
			try {
				return await this.#writer.suspend();
			} catch {
				await this.#writer.discard();
				return undefined;
			}
		});
	}

	/**
	 * Ends the upload for its holder: every later call fails. With `keep` all that came until now is made durable for
	 * whoever goes on; says the size kept, or undefined when only a repair can tell.
	 */
	async supersede(keep: boolean): Promise<number | undefined> {
		const end = new UploadError('superseded', 'another upload of the same name has taken over');
		// What waits in turn still belongs to what is kept, so the end is noted behind it.
		if (!keep) this.#failure ??= end;
		const size = keep ? await this.suspend() : undefined;
		this.#failure ??= end;
		if (!keep) await this.#inTurn(() => this.#writer.discard());
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
		this.#early.set(at, bytes);
	}

	/** Hands bytes over that follow on, and those that waited for them. */
	#append(bytes: Buffer): Promise<void> {
		const parts = [bytes];
		this.#next += bytes.length;
		// Offsets are looked up exactly first; an overlap between early pieces needs a look at all of them.
		for (let early = this.#takeEarly(); early !== undefined; early = this.#takeEarly()) {
			parts.push(early);
			this.#next += early.length;
		}
		return this.#inTurn(async () => {
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

	/** A client that is unsure of the last bytes sends them again; that is harmless as long as they are the same. */
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

	#inTurn<Result>(work: () => Promise<Result> | Result): Promise<Result> {
		const result = this.#turn.then(work);
		this.#turn = result.catch(() => {});
		return result;
	}
}
