// Opens what tests of files need: keys, a folder for sealed files and a database.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { BlobStore } from '../../src/base/blobs/blob-store.ts';
import { diskBlobStore } from '../../src/base/blobs/disk.ts';
import type { SpoolFile } from '../../src/base/blobs/sealed-file.ts';
import type { Dialect } from '../../src/base/database/dialect.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import type { KeyRing } from '../../src/base/keys/key-ring.ts';
import type { DropFolder } from '../../src/work/drops/drop-store.ts';
import { openBegunDatabase } from './begun-database.ts';
import type { TestDatabase } from './database.ts';

export interface FileParts {
	readonly database: TestDatabase;
	readonly keyRing: KeyRing;
	readonly blobs: BlobStore;
	/** The folder of the sealed files. */
	readonly folder: string;
}

/** Sealed files are bound to this folder unless a test names another one. */
export const FOLDER: DropFolder = { accountId: 7 as AccountId, area: 'tokenize', filter: 'GBT' };

export function inFolder(id: string, folder = FOLDER): SpoolFile {
	return { id, folder };
}

/** Makes a folder, which is removed when the test ends. */
export function makeFolder(t: ExecutionContext<unknown>): string {
	const folder = mkdtempSync(join(tmpdir(), 'tokendrop-test-'));
	t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

export async function openFileParts(t: ExecutionContext<unknown>, dialect: Dialect = 'sqlite'): Promise<FileParts> {
	const { database, keyRing } = await openBegunDatabase(t, dialect);
	const folder = join(makeFolder(t), 'drops');
	return { database, keyRing, blobs: diskBlobStore(folder), folder };
}

/** Collects everything that an iterable yields. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
	const collected: T[] = [];
	for await (const item of items) collected.push(item);
	return collected;
}
