import { HandleOrder } from './handle-order.ts';
import { type OpenMode, type TreeAttributes, TreeError, type TreeFile } from './tree.ts';

/** Manages a file that a client has open: the order of its operations, and how many bytes were transferred. */
export class OpenFile {
	readonly path: string;
	readonly openedAtMs: number;
	readonly #file: TreeFile;
	readonly #mode: OpenMode;
	readonly #order = new HandleOrder();
	/** Resolves when the last requested READ is answered; it never rejects. */
	#lastAnswer: Promise<unknown> = Promise.resolve();
	#bytesRead = 0;
	#bytesWritten = 0;

	constructor(opened: { path: string; file: TreeFile; mode: OpenMode; openedAtMs: number }) {
		this.path = opened.path;
		this.openedAtMs = opened.openedAtMs;
		this.#file = opened.file;
		this.#mode = opened.mode;
	}

	get bytesRead(): number {
		return this.#bytesRead;
	}

	get bytesWritten(): number {
		return this.#bytesWritten;
	}

	async read(offset: number, length: number): Promise<Buffer> {
		if (!this.#mode.read) throw new TreeError('permission-denied', 'this file is open for writing only');
		const reading = this.#order.run('read', () => this.#file.read(offset, length));
		const bytes = await this.#afterEarlierAnswers(reading);
		this.#bytesRead += bytes.length;
		return bytes;
	}

	async write(offset: number, bytes: Buffer): Promise<void> {
		if (!this.#mode.write) throw new TreeError('permission-denied', 'this file is open for reading only');
		await this.#order.run('write', () => this.#file.write(offset, bytes));
		this.#bytesWritten += bytes.length;
	}

	attributes(): Promise<TreeAttributes> {
		return this.#order.run('alone', () => this.#file.attributes());
	}

	sync(): Promise<void> {
		return this.#order.run('alone', () => this.#file.sync());
	}

	/** Closes the file after every operation requested before it. */
	close(): Promise<void> {
		return this.#order.run('alone', () => this.#file.close());
	}

	/** Closes the file after the operations that have begun; those that wait are dropped. */
	abandon(): Promise<void> {
		this.#order.dropWaiting();
		return this.#order.run('alone', () => this.#file.abandon());
	}

	/**
	 * READs overlap but are answered in the order they were sent. The READ past the end finishes first, and PuTTY's pscp
	 * takes an end of file that arrives before the content for a lost connection.
	 */
	#afterEarlierAnswers(reading: Promise<Buffer>): Promise<Buffer> {
		const answer = Promise.allSettled([this.#lastAnswer, reading]).then(() => reading);
		this.#lastAnswer = answer.then(nothing, nothing);
		return answer;
	}
}

function nothing(): void {}
