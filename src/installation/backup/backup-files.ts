// Describes the files of a backup: their paths, how one is copied, and what each must contain.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Settings } from '../../base/settings/settings.ts';

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
	readonly hasDatabase: boolean;
	/** The bucket with the sealed files, which are not in the backup then; absent if they are. */
	readonly dropStore?: string;
	readonly files: Record<string, KeptFile>;
}

export interface SourceFile {
	readonly path: string;
	readonly source: string;
}

/** Lists the files of the data directory to back up. The master key is never there, because it opens all the rest. */
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

const ASIDE = '.partial';

/** Removes what a run that was killed has left in a backup. */
export async function removeAsides(folder: string): Promise<void> {
	for (const name of [DATABASE_FILE, HEADS_FILE, MANIFEST_FILE]) await rm(join(folder, name + ASIDE), { force: true });
	for (const each of FOLDERS) {
		for (const name of await filesUnder(join(folder, each))) {
			if (name.endsWith(ASIDE)) await rm(join(folder, each, name), { force: true });
		}
	}
}

/**
 * Holds files under names of their own until all of them are complete, so that a run that fails or is interrupted leaves
 * the place as it was.
 */
export class FilesAside {
	readonly #asides = new Map<string, string>();
	readonly #partial: (path: string) => void;

	/** `partial` is told each name, which is removed if the process is ended at once. */
	constructor(partial: (path: string) => void) {
		this.#partial = partial;
	}

	/** Returns the name under which the content of `target` is written. */
	async begin(target: string): Promise<string> {
		await mkdir(dirname(target), { recursive: true, mode: 0o700 });
		const aside = `${target}${ASIDE}`;
		this.#asides.set(target, aside);
		this.#partial(aside);
		await rm(aside, { force: true });
		return aside;
	}

	/** Copies a file durably; returns undefined if it was removed after it was listed, as the input of a job that has ended. */
	async copy(source: string, target: string, onBytes: (bytes: number) => void): Promise<KeptFile | undefined> {
		const input = await open(source).catch((error: NodeJS.ErrnoException) => {
			if (error.code === 'ENOENT') return undefined;
			throw error;
		});
		if (!input) return undefined;
		try {
			const { mtimeMs } = await input.stat();
			return { ...(await copyTo(await this.begin(target), input, onBytes)), modifiedAtMs: mtimeMs };
		} finally {
			await input.close();
		}
	}

	/** Gives every file its name, in the order in which they were begun. */
	async settle(): Promise<void> {
		for (const [target, aside] of this.#asides) await rename(aside, target);
		this.#asides.clear();
	}

	async discard(): Promise<void> {
		for (const aside of this.#asides.values()) await rm(aside, { force: true });
		this.#asides.clear();
	}
}

async function copyTo(target: string, input: FileHandle, onBytes: (bytes: number) => void) {
	const file = await open(target, 'wx', 0o600);
	try {
		const hash = createHash('sha256');
		let bytes = 0;
		for await (const chunk of input.createReadStream({ autoClose: false })) {
			hash.update(chunk);
			await file.writeFile(chunk);
			bytes += chunk.length;
			onBytes(chunk.length);
		}
		await file.sync();
		return { bytes, sha256: hash.digest('hex') };
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
