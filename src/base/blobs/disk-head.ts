// Replaces the first bytes of a file; even after a crash either all of them are new or none. The new bytes are first
// written durably to a second file with the ending `.head`, and then over the beginning of the file; if a `.head` file
// is found, its bytes are written again. The rest of the file is not touched, so others may append to it or read it
// meanwhile.

import { randomUUID } from 'node:crypto';
import { open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder, tryToLink } from '../durable-files.ts';
import { isNoEntry, noneIf } from '../errors.ts';

const BESIDE = '.head';
const DRAFT = /\.head-[0-9a-f-]{36}$/;
/**
 * The `.head` file gets its name only when it is complete; until then it is a draft. A draft older than this was left
 * by a process that died.
 */
const DRAFT_LIFETIME_MS = 3_600_000;

/** Returns the path of the `.head` file, which holds the new first bytes of a file until they are written into it. */
export function besidePath(path: string): string {
	return `${path}${BESIDE}`;
}

/** Replaces the first bytes of a file durably, and returns whether the file exists. */
export async function replaceHead(path: string, head: Uint8Array): Promise<boolean> {
	const draft = `${path}${BESIDE}-${randomUUID()}`;
	try {
		await writeDurably(draft, 'wx', head);
		// If the `.head` file exists already, another replacement for the same file is in progress or was interrupted.
		// Its bytes are written into the file first; then this replacement begins.
		while (!(await tryToLink(draft, besidePath(path)))) await finishHead(path);
		await syncFolder(dirname(path));
	} finally {
		await rm(draft, { force: true });
	}
	return writeOver(path, head);
}

/** Completes an interrupted replacement, if there is one. */
export async function finishHead(path: string): Promise<void> {
	const head = await readFile(besidePath(path)).catch(noneIf(isNoEntry));
	if (head !== undefined) await writeOver(path, head);
}

/** Completes every interrupted replacement in a folder and removes leftover drafts. */
export async function finishHeads(folder: string): Promise<void> {
	for (const name of await readdir(folder)) {
		const path = join(folder, name);
		if (name.endsWith(BESIDE)) await finishHead(path.slice(0, -BESIDE.length));
		else if (DRAFT.test(name)) {
			const found = await stat(path).catch(noneIf(isNoEntry));
			if (found && Date.now() - found.mtimeMs > DRAFT_LIFETIME_MS) await rm(path, { force: true });
		}
	}
}

/**
 * Writes the new bytes over the beginning of the file. If this fails, the `.head` file stays, so that the next call can
 * complete it.
 */
async function writeOver(path: string, head: Uint8Array): Promise<boolean> {
	const isThere = await writeDurably(path, 'r+', head).then(() => true, noneIf(isNoEntry));
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
