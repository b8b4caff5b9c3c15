import { type FileHandle, open, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type CommandContext, UsageError } from '../installation/frame/command.ts';

/**
 * Creates a file that only its owner may read.
 * @throws UsageError if the file already exists or cannot be created
 */
export function openNewFile(file: string): Promise<FileHandle> {
	return open(file, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
		throw new UsageError(`${file}: ${cause.code === 'EEXIST' ? 'the file exists already' : cause.code}`, { cause });
	});
}

/**
 * Writes a new file. If writing fails or is interrupted, the file is removed, because half a file would look like a complete one.
 * @throws UsageError if the file already exists or cannot be created
 */
export async function writeNewFile<T>(
	{ interruption }: Pick<CommandContext, 'interruption'>,
	file: string,
	write: (stream: Writable) => Promise<T>,
): Promise<T> {
	const handle = await openNewFile(file);
	const isWhole = interruption.partial(file);
	const stream = handle.createWriteStream({ flush: true });
	// Errors are listened for from the start, because a full disk may report one while no code waits for the stream.
	const isOver = finished(stream);
	isOver.catch(() => {});
	try {
		const written = await write(stream);
		stream.end();
		await isOver;
		isWhole();
		return written;
	} catch (error) {
		stream.destroy();
		await rm(file, { force: true });
		throw error;
	}
}
