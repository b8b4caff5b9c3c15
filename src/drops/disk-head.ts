// Replacing the first bytes of a file, all of them or none, whatever dies. They are written beside the file first, durably,
// and then over its beginning; whoever finds the ones beside it writes them again. The rest of the file is not touched, so
// that somebody may append to it or read it meanwhile.

import { randomUUID } from 'node:crypto';
import { link, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const BESIDE = '.head';
const DRAFT = /\.head-[0-9a-f-]{36}$/;
/** Older ones are those of a process that died. */
const DRAFT_LIFETIME_MS = 3_600_000;

/** Where the new bytes of a file stand until they are in it. */
export function besidePath(path: string): string {
	return `${path}${BESIDE}`;
}

/** Durable when it settles. Says whether there is such a file. */
export async function replaceHead(path: string, head: Uint8Array): Promise<boolean> {
	const draft = `${path}${BESIDE}-${randomUUID()}`;
	try {
		await writeDurably(draft, 'wx', head);
		// Two that replace at the same time do so one after the other, and what another one left is finished first.
		while (!(await tryToLink(draft, besidePath(path)))) await finishHead(path);
		await syncFolder(dirname(path));
	} finally {
		await rm(draft, { force: true });
	}
	return writeOver(path, head);
}

/** Goes on with a replacement that was cut off. Without one it does nothing. */
export async function finishHead(path: string): Promise<void> {
	const head = await orNone(readFile(besidePath(path)));
	if (head !== undefined) await writeOver(path, head);
}

/** Finishes everything that was cut off in a folder and removes what is left over of it. */
export async function finishHeads(folder: string): Promise<void> {
	for (const name of await readdir(folder)) {
		const path = join(folder, name);
		if (name.endsWith(BESIDE)) await finishHead(path.slice(0, -BESIDE.length));
		else if (DRAFT.test(name)) {
			const found = await orNone(stat(path));
			if (found && Date.now() - found.mtimeMs > DRAFT_LIFETIME_MS) await rm(path, { force: true });
		}
	}
}

export async function syncFolder(folder: string): Promise<void> {
	const handle = await open(folder, 'r');
	try {
		await handle.sync();
	} finally {
		await handle.close();
	}
}

/** Where this fails, what stands beside the file stays for the next one to go on with. */
async function writeOver(path: string, head: Uint8Array): Promise<boolean> {
	const isThere = await orNone(writeDurably(path, 'r+', head).then(() => true));
	await rm(besidePath(path), { force: true });
	return isThere ?? false;
}

async function writeDurably(path: string, flags: 'wx' | 'r+', bytes: Uint8Array): Promise<void> {
	const handle = await open(path, flags, 0o600);
	try {
		const { bytesWritten } = await handle.write(bytes, 0, bytes.length, 0);
		if (bytesWritten < bytes.length) throw Object.assign(new Error('no room left for a head'), { code: 'ENOSPC' });
		await handle.datasync();
	} finally {
		await handle.close();
	}
}

async function tryToLink(from: string, to: string): Promise<boolean> {
	try {
		await link(from, to);
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
		throw error;
	}
}

async function orNone<T>(found: Promise<T>): Promise<T | undefined> {
	try {
		return await found;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
		throw error;
	}
}
