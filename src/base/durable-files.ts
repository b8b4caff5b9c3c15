// Makes files and folders whose content and names survive a power failure. A name is part of the folder above it, so
// that folder has to be synced too.

import { randomUUID } from 'node:crypto';
import { type FileHandle, link, mkdir, open, rename, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Makes the names in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
	await using handle = await open(folder, 'r');
	await handle.sync();
}

/** Makes a folder that only its owner may use, and those above it that do not exist; all of them are durable. */
export async function makeFolder(folder: string): Promise<void> {
	let made = resolve(folder);
	const first = await mkdir(made, { recursive: true, mode: 0o700 });
	if (first === undefined) {
		// A process may have died after it had made the folder. If somebody else has, it may stand in one that cannot be
		// synced.
		await syncFolder(dirname(made)).catch(() => {});
		return;
	}
	for (; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

/**
 * Writes a new file and tells whether it did; a file that exists stays as it is. The text is complete and durable before
 * the file gets its name, so that neither a reader nor a power failure leaves half of it, and the first of two writers
 * wins.
 */
export async function createDurably(path: string, text: string, mode: number): Promise<boolean> {
	const aside = `${path}.${randomUUID()}`;
	let isNew: boolean;
	try {
		await writeAside(aside, text, mode);
		isNew = await tryToLink(aside, path);
	} finally {
		await unlink(aside).catch(() => {});
	}
	await syncFolder(dirname(path));
	return isNew;
}

/** Writes a file that takes the place of the former one, if there is one. After a power failure it is one or the other. */
export async function replaceDurably(path: string, text: string, mode: number): Promise<void> {
	const aside = `${path}.${randomUUID()}`;
	try {
		await writeAside(aside, text, mode);
		await rename(aside, path);
	} catch (error) {
		await unlink(aside).catch(() => {});
		throw error;
	}
	await syncFolder(dirname(path));
}

/**
 * Appends whole lines to a file, which is made if necessary. All of them are one write, so that those of several
 * processes never mix.
 */
export async function appendDurably(path: string, lines: readonly string[], mode: number): Promise<void> {
	await using handle = await open(path, 'a+', mode);
	const { size } = await handle.stat();
	// If a full disk cut off the last line, the next one must begin on a new line.
	const text = `${size > 0 && !(await endsInLine(handle, size)) ? '\n' : ''}${lines.join('\n')}\n`;
	const { bytesWritten } = await handle.write(text);
	if (bytesWritten < Buffer.byteLength(text)) throw new Error(`${path}: the lines were not written whole`);
	await handle.datasync();
	if (size === 0) await syncFolder(dirname(path));
}

async function endsInLine(handle: FileHandle, size: number): Promise<boolean> {
	const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
	return buffer[0] === 0x0a;
}

async function writeAside(path: string, text: string, mode: number): Promise<void> {
	await using file = await open(path, 'wx', mode);
	await file.writeFile(text);
	await file.sync();
}

/** Gives a file a second name, and tells whether that name was free. */
export async function tryToLink(from: string, to: string): Promise<boolean> {
	try {
		await link(from, to);
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
		throw error;
	}
}
