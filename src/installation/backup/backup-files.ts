// Describes the files of a backup: their paths, how one is copied, and what each must contain.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Settings } from '../../base/settings/settings.ts';

/** These folders of the data directory are copied unchanged. */
const FOLDERS = ['drops', 'host-keys'] as const;
export const DATABASE_FILE = 'database.sqlite';
export const HEADS_FILE = 'audit-heads.jsonl';
export const MANIFEST_FILE = 'manifest.json';

export interface KeptFile {
	readonly bytes: number;
	readonly sha256: string;
	/** The time when the original file was last modified; an unchanged file is not copied again. */
	readonly modifiedAtMs: number;
}

/** This is the manifest of a backup: the expected content of each file, by its path. */
export interface Manifest {
	readonly format: 1;
	readonly version: string;
	readonly environment: string;
	readonly createdAt: string;
	/** True if the backup contains the database. */
	readonly hasDatabase: boolean;
	readonly files: Record<string, KeptFile>;
}

/** Describes a file of the installation, with its path in a backup. */
export interface SourceFile {
	readonly path: string;
	readonly source: string;
}

/**
 * Lists the files of the data directory to back up. The master key is never among them, because it opens all the rest.
 */
export async function listSources({ dataDir, audit }: Pick<Settings, 'dataDir' | 'audit'>): Promise<SourceFile[]> {
	const files: SourceFile[] = [];
	for (const folder of FOLDERS) {
		for (const name of await filesUnder(join(dataDir, folder))) {
			files.push({ path: `${folder}/${name}`, source: join(dataDir, folder, name) });
		}
	}
	if (await stat(audit.headFile).catch(() => undefined)) files.push({ path: HEADS_FILE, source: audit.headFile });
	return files;
}

/** Returns the path in the installation to which a file of a backup is restored. */
export function targetOf(path: string, { dataDir, audit }: Pick<Settings, 'dataDir' | 'audit'>): string {
	if (path === HEADS_FILE) return audit.headFile;
	const isOurs = FOLDERS.some((folder) => path.startsWith(`${folder}/`)) && !path.split('/').includes('..');
	if (!isOurs) throw new Error(`the backup names a file that does not belong to an installation: ${path}`);
	return join(dataDir, path);
}

/** Returns the names of the files in a folder, relative to it and in order; none if the folder does not exist. */
export async function filesUnder(folder: string): Promise<string[]> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error) => {
		if (error.code === 'ENOENT') return [];
		throw error;
	});
	const files = entries.filter((entry) => entry.isFile());
	return files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort();
}

/** Copies a file durably; returns undefined if it was removed meanwhile. */
export async function copyKept(
	source: string,
	target: string,
	onBytes: (bytes: number) => void,
): Promise<KeptFile | undefined> {
	const found = await stat(source).catch(() => undefined);
	if (!found) return undefined;
	await mkdir(dirname(target), { recursive: true, mode: 0o700 });
	const aside = `${target}.partial`;
	const file = await open(aside, 'w', 0o600);
	try {
		const hash = createHash('sha256');
		let bytes = 0;
		for await (const chunk of createReadStream(source)) {
			hash.update(chunk);
			await file.writeFile(chunk);
			bytes += chunk.length;
			onBytes(chunk.length);
		}
		await file.sync();
		await rename(aside, target);
		return { bytes, sha256: hash.digest('hex'), modifiedAtMs: found.mtimeMs };
	} catch (error) {
		await rm(aside, { force: true });
		// The file was removed after it was listed, for example the input of a job that has ended, so it is left out.
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
		throw error;
	} finally {
		await file.close();
	}
}

export async function hashFile(path: string, onBytes: (bytes: number) => void): Promise<string> {
	const hash = createHash('sha256');
	for await (const chunk of createReadStream(path)) {
		hash.update(chunk);
		onBytes(chunk.length);
	}
	return hash.digest('hex');
}
