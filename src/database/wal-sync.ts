import { type FileHandle, open } from 'node:fs/promises';

/**
 * Makes SQLite's commits durable. SQLite itself would sync its write-ahead log within every commit, with its write lock
 * held and the whole thread waiting. Here a commit only writes the log, and whoever needs it durable waits for a sync of
 * the log in the background, which serves all commits that came before it.
 */
export class WalSync {
	readonly #flush: () => Promise<void>;
	#running: Promise<unknown> = Promise.resolve();
	#next: Promise<void> | undefined;
	#isDisabled = false;

	/** The function `flush` makes everything durable that the write-ahead log contains when it is called. */
	constructor(flush: () => Promise<void>) {
		this.#flush = flush;
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
	 * @throws Error with the system's code when the disk fails
	 */
	async sync(): Promise<void> {
		if (this.#isDisabled) return;
		this.#next ??= this.#running.then(() => {
			this.#next = undefined;
			const flushed = this.#flush();
			this.#running = flushed.catch(() => {});
			return flushed;
		});
		await this.#next;
	}
}

/** The file of a write-ahead log. It is opened at the first flush, because it may not exist before the first commit. */
export class WalFile {
	readonly #path: string;
	#file: Promise<FileHandle> | undefined;

	constructor(databaseFile: string) {
		this.#path = `${databaseFile}-wal`;
	}

	async flush(): Promise<void> {
		this.#file ??= open(this.#path, 'r+');
		try {
			await (await this.#file).datasync();
		} catch (error) {
			this.#file = undefined;
			throw error;
		}
	}

	async close(): Promise<void> {
		await (await this.#file?.catch(() => undefined))?.close();
	}
}
