// Creates backups while a daemon runs, checks them without a daemon, and restores them where there is no installation
// yet.

import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import packageJson from '../../../package.json' with { type: 'json' };
import { diskBlobStore } from '../../base/blobs/disk.ts';
import { findDamagedInFile } from '../../base/database/checks.ts';
import { backupSqlite, readSqliteBackup } from '../../base/database/sqlite-backup.ts';
import type { Settings } from '../../base/settings/settings.ts';
import {
	DATABASE_FILE,
	FilesAside,
	filesUnder,
	hashFile,
	type KeptFile,
	listSources,
	MANIFEST_FILE,
	type Manifest,
	removeAsides,
	targetOf,
} from './backup-files.ts';

export type OnProgress = (done: number, total?: number) => void;

/** What a run tells while it copies. */
export interface CopyWatch {
	/** An error that this throws ends the run, which then leaves the place as it was. */
	readonly onProgress: OnProgress;
	/** Is told each name under which something incomplete is written. */
	readonly onPartial: (path: string) => void;
}

const UNWATCHED: CopyWatch = { onProgress: () => {}, onPartial: () => {} };

type Place = Pick<Settings, 'dataDir' | 'audit' | 'environment'> & {
	readonly drops?: Pick<Settings['drops'], 'store'>;
};

/**
 * Makes a backup in a folder, or updates one: files that have not changed are not copied again. Files are copied before
 * and after the database, so that every file that a row names is in the backup. The backup that was there before stays
 * whole until everything is copied.
 * @param databaseFile is the file of SQLite's database; null leaves the database out
 */
export async function createBackup(
	settings: Place,
	folder: string,
	databaseFile: string | null,
	{ onProgress, onPartial }: CopyWatch = UNWATCHED,
): Promise<Manifest> {
	await mkdir(folder, { recursive: true, mode: 0o700 });
	await removeAsides(folder);
	const before = await findManifest(folder);
	const files: Record<string, KeptFile> = { ...before?.files };
	const aside = new FilesAside(onPartial);
	try {
		const copyAll = () => copyFiles(settings, { folder, files, aside }, onProgress);
		await copyAll();
		let unnamed: string[] = [];
		if (databaseFile !== null) {
			const copy = await aside.begin(join(folder, DATABASE_FILE));
			await backupSqlite(databaseFile, copy, (pages, total) => onProgress(pages, total));
			requireIntact(databaseFile, findDamagedInFile(copy));
			const { size, mtimeMs } = await stat(copy);
			let done = 0;
			const sha256 = await hashFile(copy, (bytes) => onProgress((done += bytes), size));
			files[DATABASE_FILE] = { bytes: size, modifiedAtMs: mtimeMs, sha256 };
			await copyAll();
			unnamed = forgetUnnamed(copy, files);
		} else await copyAll();
		const manifest: Manifest = {
			format: 1,
			version: packageJson.version,
			environment: settings.environment,
			createdAt: new Date().toISOString(),
			hasDatabase: DATABASE_FILE in files,
			...(settings.drops?.store && { dropStore: settings.drops.store }),
			files,
		};
		const text = JSON.stringify(manifest, null, '\t');
		await writeFile(await aside.begin(join(folder, MANIFEST_FILE)), text, { mode: 0o600 });
		await aside.settle();
		for (const path of unnamed) await rm(join(folder, path), { force: true });
		return manifest;
	} catch (error) {
		await aside.discard();
		throw error;
	}
}

/**
 * Checks the copy of a database, so that a damaged one does not take the place of the last good copy.
 * @throws Error that says what is damaged
 */
function requireIntact(databaseFile: string, damaged: readonly string[]): void {
	if (damaged.length === 0) return;
	throw new Error(
		`pages of ${databaseFile} are damaged, so the backup keeps its earlier copy: ${damaged.slice(0, 3).join('; ')}; ` +
			'look after the disk, stop the daemon, and restore the last good backup',
	);
}

interface Copies {
	readonly folder: string;
	readonly files: Manifest['files'];
	readonly aside: FilesAside;
}

async function copyFiles(settings: Place, { folder, files, aside }: Copies, onProgress: OnProgress) {
	const sources = await listSources(settings);
	const sizes = await Promise.all(
		sources.map(async ({ source }) => (await stat(source).catch(() => undefined))?.size ?? 0),
	);
	const total = sizes.reduce((sum, size) => sum + size, 0);
	let done = 0;
	for (const [i, { path, source }] of sources.entries()) {
		const found = await stat(source).catch(() => undefined);
		const kept = files[path];
		if (found && kept?.bytes === found.size && kept.modifiedAtMs === found.mtimeMs) {
			onProgress((done += sizes[i]), total);
			continue;
		}
		const copied = await aside.copy(source, join(folder, path), (bytes) => onProgress((done += bytes), total));
		if (copied) files[path] = copied;
	}
}

/** Takes sealed files that the copied database no longer names out of `files`, and returns their paths. */
function forgetUnnamed(database: string, files: Manifest['files']): string[] {
	const named = new Set(readSqliteBackup(database).blobIds);
	const unnamed = Object.keys(files).filter(
		(path) => path.startsWith('drops/') && !named.has(path.slice(path.lastIndexOf('/') + 1)),
	);
	for (const path of unnamed) delete files[path];
	return unnamed;
}

export type BackupVerdict = Awaited<ReturnType<typeof verifyBackup>>;

const MOST_PROBLEMS = 50;

/** Verifies a backup: compares its files with the manifest, checks the database, and compares rows with files. */
export async function verifyBackup(folder: string, onProgress: OnProgress = () => {}) {
	const manifest = await findManifest(folder);
	if (!manifest) throw new Error(`${folder} holds no backup: there is no ${MANIFEST_FILE} in it`);
	const problems: string[] = [];
	const kept = Object.entries(manifest.files);
	const total = kept.reduce((sum, [, { bytes }]) => sum + bytes, 0);
	let done = 0;
	for (const [path, { sha256 }] of kept) {
		const found = await hashFile(join(folder, path), (bytes) => onProgress((done += bytes), total)).catch(
			(error) => error.code as string,
		);
		if (found !== sha256) problems.push(`${path} ${found === 'ENOENT' ? 'is missing' : 'is not what it was'}`);
	}
	const content = manifest.hasDatabase ? await verifyDatabase(folder, manifest, problems) : undefined;
	const { environment, createdAt, version, hasDatabase, dropStore = null } = manifest;
	return {
		isWhole: problems.length === 0,
		problems: problems.slice(0, MOST_PROBLEMS),
		environment,
		createdAt,
		version,
		hasDatabase,
		/** The bucket with the sealed files, which the backup does not hold then; null if it does. */
		dropStore,
		files: kept.length,
		bytes: total,
		auditEntries: content?.auditEntries ?? null,
	};
}

async function verifyDatabase(folder: string, { environment, dropStore }: Manifest, problems: string[]) {
	try {
		const content = readSqliteBackup(join(folder, DATABASE_FILE));
		problems.push(...content.problems.map((problem) => `${DATABASE_FILE}: ${problem}`));
		if (content.environment !== environment) problems.push(`${DATABASE_FILE} is not of the environment ${environment}`);
		const blobs = diskBlobStore(join(folder, 'drops'));
		// Whether those in a bucket are there, doctor says, which can ask the bucket.
		for (const id of dropStore === undefined ? content.blobIds : []) {
			const reader = await blobs.openRead(id).catch(() => undefined);
			if (!reader) problems.push(`the sealed file ${id}, which a row names, is missing`);
			await reader?.close();
		}
		return content;
	} catch (error) {
		problems.push(`${DATABASE_FILE} cannot be read: ${(error as Error).message}`);
		return undefined;
	}
}

/**
 * Restores a backup into a place without an installation. If it fails or is interrupted, it leaves the place as it was.
 * @throws Error if there is one, or if the backup is not complete
 */
export async function restoreBackup(
	settings: Place,
	folder: string,
	databaseFile: string | null,
	{ onProgress, onPartial }: CopyWatch = UNWATCHED,
) {
	const verdict = await verifyBackup(folder, onProgress);
	if (!verdict.isWhole) throw new Error(`the backup is not complete: ${verdict.problems.join('; ')}`);
	if (verdict.environment !== settings.environment)
		throw new Error(
			`the backup was made in the environment ${verdict.environment}, and the settings say ${settings.environment}`,
		);
	if (verdict.hasDatabase && databaseFile === null)
		throw new Error('the backup holds a SQLite database, and the settings name another one');
	if (verdict.dropStore !== null && !settings.drops?.store)
		throw new Error(`the sealed files of the backup are in ${verdict.dropStore}, and the settings name no drops.store`);
	const { files } = (await findManifest(folder))!;
	if (verdict.hasDatabase && (await stat(databaseFile!).catch(() => undefined)))
		throw new Error(
			`${databaseFile} exists already: a backup is only restored into an empty place; move the file away first`,
		);
	if ((await filesUnder(join(settings.dataDir, 'drops'))).length > 0)
		throw new Error(`${join(settings.dataDir, 'drops')} has files: a backup is only restored into an empty place`);
	let done = 0;
	// The database gets its name last: without it there is no installation.
	const paths = Object.keys(files).sort((a, b) => Number(a === DATABASE_FILE) - Number(b === DATABASE_FILE));
	const aside = new FilesAside(onPartial);
	try {
		for (const path of paths) {
			const target = path === DATABASE_FILE ? databaseFile! : targetOf(path, settings);
			const copied = await aside.copy(join(folder, path), target, (bytes) =>
				onProgress((done += bytes), verdict.bytes),
			);
			if (copied?.sha256 !== files[path].sha256) throw new Error(`${path} changed while it was restored`);
		}
		await aside.settle();
		return verdict;
	} catch (error) {
		await aside.discard();
		throw error;
	}
}

async function findManifest(folder: string): Promise<Manifest | undefined> {
	const text = await readFile(join(folder, MANIFEST_FILE), 'utf8').catch((error) => {
		if (error.code === 'ENOENT') return undefined;
		throw error;
	});
	return text === undefined ? undefined : (JSON.parse(text) as Manifest);
}
