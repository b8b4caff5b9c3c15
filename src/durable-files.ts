// Makes files and folders whose names survive a power failure. A name is part of the folder above it, so that folder has
// to be synced too.

import { mkdir, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Makes the names in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
	const handle = await open(folder, 'r');
	try {
		await handle.sync();
	} finally {
		await handle.close();
	}
}

/**
 * Makes a folder that only its owner may use, and the folders above it, all of them durable. It may exist already, made
 * by a process that died before its name was durable.
 */
export async function makeFolder(folder: string): Promise<void> {
	let made = resolve(folder);
	const first = (await mkdir(made, { recursive: true, mode: 0o700 })) ?? made;
	for (; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}
