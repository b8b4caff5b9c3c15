// Open files of a drops view, and how the failures of drops read to a client.

import { isOutOfSpace } from '../drops/blob-store.ts';
import type { DropFile } from '../drops/drop-store.ts';
import type { SpoolReader } from '../drops/spool-reader.ts';
import { type Upload, UploadError } from '../drops/upload.ts';
import { type OpenMode, type TreeAttributes, TreeError, type TreeFile } from './tree.ts';

export const FILE_MODE = 0o640;

export function fileAttributes({ size, modified_at }: DropFile): TreeAttributes {
	return { kind: 'file', size, modifiedAt: new Date(modified_at), mode: FILE_MODE };
}

/** What the client can do something about becomes a TreeError; everything else stays what it is. */
export async function refusing<Result>(work: () => Promise<Result>): Promise<Result> {
	try {
		return await work();
	} catch (error) {
		if (error instanceof UploadError) throw new TreeError('failure', error.message);
		if (isOutOfSpace(error)) throw new TreeError('out-of-space', 'no space left: what came is kept, go on later');
		throw error;
	}
}

/** A file being read. */
export class Download implements TreeFile {
	readonly #file: DropFile;
	readonly #reader: SpoolReader;

	constructor(file: DropFile, reader: SpoolReader) {
		this.#file = file;
		this.#reader = reader;
	}

	read(offset: number, length: number): Promise<Buffer> {
		return this.#reader.read(offset, length);
	}

	async write(): Promise<void> {
		throw new TreeError('permission-denied', 'this file is open for reading only');
	}

	async attributes(): Promise<TreeAttributes> {
		return { ...fileAttributes(this.#file), size: this.#reader.size };
	}

	async sync(): Promise<void> {}

	close(): Promise<void> {
		return this.#reader.close();
	}

	abandon(): Promise<void> {
		return this.#reader.close();
	}
}

/** A file being sent; how it ends is the view's. */
export class Incoming implements TreeFile {
	readonly #upload: Upload;
	readonly #mode: OpenMode;
	readonly #end: { pause(): Promise<void>; close(): Promise<void> };

	constructor(upload: Upload, mode: OpenMode, end: { pause(): Promise<void>; close(): Promise<void> }) {
		this.#upload = upload;
		this.#mode = mode;
		this.#end = end;
	}

	read(offset: number, length: number): Promise<Buffer> {
		return refusing(() => this.#upload.read(offset, length));
	}

	write(offset: number, bytes: Buffer): Promise<void> {
		return refusing(() => this.#upload.write(this.#mode.append ? null : offset, bytes));
	}

	async attributes(): Promise<TreeAttributes> {
		const { size, modifiedAtMs } = this.#upload;
		return { kind: 'file', size, modifiedAt: new Date(modifiedAtMs), mode: FILE_MODE };
	}

	sync(): Promise<void> {
		return refusing(() => this.#upload.sync());
	}

	close(): Promise<void> {
		return refusing(() => this.#end.close());
	}

	abandon(): Promise<void> {
		return refusing(() => this.#end.pause());
	}
}
