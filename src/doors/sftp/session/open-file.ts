import { type OpenMode, type TreeAttributes, TreeError, type TreeFile } from '../../../work/folders/tree.ts';
import { HandleTurns } from './handle-turns.ts';

/**
 * A file that a client has open: the order of its operations, and how many bytes were transferred. READs too are
 * answered in order: PuTTY's pscp believes that the connection is lost if the answer with the end of the file arrives
 * before the content.
 */
export class OpenFile {
	readonly path: string;
	readonly openedAtMs: number;
	readonly #file: TreeFile;
	readonly #mode: OpenMode;
	readonly #turns = new HandleTurns();
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
		const bytes = await this.#turns.run(() => this.#file.read(offset, length));
		this.#bytesRead += bytes.length;
		return bytes;
	}

	async write(offset: number, bytes: Buffer): Promise<void> {
		if (!this.#mode.write) throw new TreeError('permission-denied', 'this file is open for reading only');
		const count = bytes.length;
		await this.#turns.run(() => this.#file.write(offset, bytes));
		this.#bytesWritten += count;
	}

	attributes(): Promise<TreeAttributes> {
		return this.#turns.run(() => this.#file.attributes());
	}

	truncate(size: number): Promise<void> {
		return this.#turns.run(() => this.#file.truncate(size));
	}

	sync(): Promise<void> {
		return this.#turns.run(() => this.#file.sync());
	}

	/** Closes the file after all operations that were requested earlier. */
	close(): Promise<void> {
		return this.#turns.run(() => this.#file.close());
	}

	/** Closes the file after the operation that has begun; those that wait are dropped. */
	abandon(): Promise<void> {
		return this.#turns.abandon(() => this.#file.abandon());
	}
}
