import { type FileHandle, open, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { UsageError } from './command.ts';

/** Makes a file that only its owner may read. @throws UsageError when there is one already, or it cannot be made */
export function openNewFile(file: string): Promise<FileHandle> {
	return open(file, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
		throw new UsageError(`${file}: ${cause.code === 'EEXIST' ? 'the file exists already' : cause.code}`, { cause });
	});
}

/** The file is there whole or not at all, because half of it would look like all. @throws as `openNewFile` */
export async function writeNewFile<T>(file: string, write: (stream: Writable) => Promise<T>): Promise<T> {
	const handle = await openNewFile(file);
	const stream = handle.createWriteStream({ flush: true });
	// Heard from the start: a disk that is full may say so when nobody waits for the stream.
	const isOver = finished(stream);
	isOver.catch(() => {});
	try {
		const written = await write(stream);
		stream.end();
		await isOver;
		return written;
	} catch (error) {
		stream.destroy();
		await rm(file, { force: true });
		throw error;
	}
}
