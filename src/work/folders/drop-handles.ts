// Implements the open files of a drops view, and turns errors of drops into errors that a client sees.

import { isOutOfSpace } from '../../base/blobs/blob-store.ts';
import type { SpoolReader } from '../../base/blobs/spool-reader.ts';
import type { DropFile } from '../drops/drop-store.ts';
import { type Upload, UploadError } from '../drops/upload.ts';
import { type OpenMode, type TreeAttributes, TreeError, type TreeFile } from './tree.ts';

export const FILE_MODE = 0o640;

export function fileAttributes({ size, modified_at }: DropFile): TreeAttributes {
	return { kind: 'file', size, modifiedAt: new Date(modified_at), mode: FILE_MODE };
}

/** Runs `work`. An error that the client can act on becomes a TreeError; every other error is passed on unchanged. */
export async function refusing<Result>(work: () => Promise<Result>): Promise<Result> {
	try {
		return await work();
	} catch (error) {
		if (error instanceof UploadError) throw new TreeError('failure', error.message);
		if (isOutOfSpace(error)) throw new TreeError('out-of-space', 'no space left: what came is kept, go on later');
		throw error;
	}
}

export function fixedSize(): TreeError {
	return new TreeError('permission-denied', 'the size of this file cannot be changed');
}

export class Download implements TreeFile {
	readonly #file: DropFile;
	readonly #reader: SpoolReader;
	readonly #check: (() => Promise<void>) | undefined;

	/** @param check is called before every read */
	constructor(file: DropFile, reader: SpoolReader, check?: () => Promise<void>) {
		this.#file = file;
		this.#reader = reader;
		this.#check = check;
	}

	async read(offset: number, length: number): Promise<Buffer> {
		await this.#check?.();
		return this.#reader.read(offset, length);
	}

	async write(): Promise<void> {
		throw new TreeError('permission-denied', 'this file is open for reading only');
	}

	async attributes(): Promise<TreeAttributes> {
		return { ...fileAttributes(this.#file), size: this.#reader.size };
	}

	async truncate(size: number): Promise<void> {
		if (size !== this.#reader.size) throw fixedSize();
	}

	async sync(): Promise<void> {}

	close(): Promise<void> {
		return this.#reader.close();
	}

	abandon(): Promise<void> {
		return this.#reader.close();
	}
}

/** The drops view implements these functions, because it decides how an upload ends. */
export interface IncomingEnds {
	/** Checks that the credential of the session still stands. */
	check(): Promise<void>;
	pause(upload: Upload): Promise<void>;
	close(upload: Upload): Promise<void>;
	/** Starts the upload again with an empty file, which replaces the interrupted upload that was resumed. */
	restart(): Promise<Upload>;
}

export class Incoming implements TreeFile {
	readonly #mode: OpenMode;
	readonly #ends: IncomingEnds;
	#upload: Upload;
	#mayRestart: boolean;
	/** The promise of a restart that is in progress or has failed. */
	#restarting: Promise<void> | undefined;

	constructor(upload: Upload, mode: OpenMode, ends: IncomingEnds) {
		this.#upload = upload;
		this.#mode = mode;
		this.#ends = ends;
		this.#mayRestart = mode.create && !mode.truncate && !mode.append && !mode.read && !upload.isEmpty;
	}

	async read(offset: number, length: number): Promise<Buffer> {
		await this.#ends.check();
		return refusing(() => this.#upload.read(offset, length));
	}

	write(offset: number, bytes: Buffer): Promise<void> {
		// scp never truncates: it writes a file from its start over the rest of an interrupted upload. So a first write at
		// offset 0 starts the upload again.
		if (this.#mayRestart && offset === 0) this.#restarting = this.#restart();
		this.#mayRestart = false;
		if (this.#restarting) return refusing(() => this.#restarting!.then(() => this.#take(offset, bytes)));
		return refusing(() => this.#take(offset, bytes));
	}

	async attributes(): Promise<TreeAttributes> {
		const { size, modifiedAtMs } = this.#upload;
		return { kind: 'file', size, modifiedAt: new Date(modifiedAtMs), mode: FILE_MODE };
	}

	truncate(size: number): Promise<void> {
		this.#mayRestart = false;
		return refusing(async () => {
			await this.#restarting;
			await this.#upload.truncate(size);
		});
	}

	sync(): Promise<void> {
		return refusing(() => this.#upload.sync());
	}

	close(): Promise<void> {
		return refusing(async () => {
			try {
				await this.#restarting;
			} catch (error) {
				await this.#ends.pause(this.#upload);
				throw error;
			}
			await this.#ends.close(this.#upload);
		});
	}

	abandon(): Promise<void> {
		return refusing(async () => {
			await this.#restarting?.catch(() => {});
			await this.#ends.pause(this.#upload);
		});
	}

	async #restart(): Promise<void> {
		this.#upload = await this.#ends.restart();
		this.#restarting = undefined;
	}

	#take(offset: number, bytes: Buffer): Promise<void> {
		// A client that appends beyond the end of the uploaded file believes that more bytes have arrived here than really
		// have. Its offset is kept, so that the missing bytes are noticed as a gap.
		const isAppended = this.#mode.append && offset <= this.#upload.size;
		return this.#upload.write(isAppended ? null : offset, bytes);
	}
}
