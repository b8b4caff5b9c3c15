// Opens the drops as an sFTP client sees them, over real objects on SQLite.

import type { ExecutionContext } from 'ava';
import type { BlobStore } from '../../src/base/blobs/blob-store.ts';
import { createSpool } from '../../src/base/blobs/spool.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { makeUlid } from '../../src/base/database/ulid.ts';
import { dropStore, type NewDropFile } from '../../src/work/drops/drop-store.ts';
import { Drops } from '../../src/work/drops/drops.ts';
import type { DropsOptions } from '../../src/work/drops/drops-options.ts';
import { DropsView } from '../../src/work/folders/drops-view.ts';
import type { SessionGuards } from '../../src/work/folders/guards.ts';
import type { OpenMode, Tree, TreeEntry, TreeError, TreeFailure } from '../../src/work/folders/tree.ts';
import { openIntake } from '../../src/work/jobs/intake.ts';
import type { JobRow } from '../../src/work/jobs/job.ts';
import { openLeftAlone } from '../../src/work/jobs/left-alone.ts';
import { openSentFiles } from '../../src/work/jobs/sent-files.ts';
import { type FileParts, openFileParts } from './file-parts.ts';

export const FILTERS = ['TADC', 'GBT', 'SIMPLECSV', 'SIMPLEJSON', 'AIR', 'IUR', 'CSV'];
export const READ: OpenMode = {
	read: true,
	write: false,
	append: false,
	create: false,
	truncate: false,
	exclusive: false,
};
export const PUT: OpenMode = { ...READ, read: false, write: true, create: true, truncate: true };
export const RESUME: OpenMode = { ...PUT, truncate: false };
export const BYTES = Buffer.from('a line that could hold 4111111111111111\n'.repeat(5000));

/** The guards of a session whose credential stands, and of which nobody wants records. */
export const NO_GUARDS: SessionGuards = {
	check: () => undefined,
	noteFetch: async () => {},
	recordDownload: async () => {},
	release: () => {},
};

/** The objects with which a test of the view begins. */
export interface ViewSetting {
	readonly parts: FileParts;
	readonly drops: Drops;
	readonly jobs: JobRow[];
	/** Adds so many milliseconds to the time for every view. */
	wait(ms: number): void;
	view(permissions?: string[], userId?: string, accountId?: number, guards?: SessionGuards): Tree;
}

/** Opens the view. It is that of account 7 and user alice unless others are given. */
export async function openView(
	t: ExecutionContext,
	options: Pick<DropsOptions, 'maxFileBytes' | 'quotas'> & { wrap?: (blobs: BlobStore) => BlobStore } = {},
): Promise<ViewSetting> {
	const parts = await openFileParts(t);
	const { database, keyRing } = parts;
	const { wrap, ...limits } = options;
	const blobs = wrap?.(parts.blobs) ?? parts.blobs;
	const drops = new Drops({ database, keyRing, blobs, daemonId: 'one', ...limits });
	const jobs: JobRow[] = [];
	let waitedMs = 0;
	const clock = { now: () => new Date(Date.now() + waitedMs) };
	const intake = openIntake({ database, drops, clock, onAccepted: (job) => jobs.push(job) });
	const sent = openSentFiles(database);
	const view: ViewSetting['view'] = (
		permissions = ['FileTokenize', 'FileDetokenize'],
		userId = 'alice',
		accountId = 7,
		guards = NO_GUARDS,
	) =>
		new DropsView({
			drops,
			intake,
			sent,
			leftAlone: openLeftAlone(parts, clock),
			guards,
			now: () => clock.now(),
			filters: FILTERS,
			principal: { accountId: accountId as AccountId, userId, permissions: new Set(permissions) as never },
		});
	const wait = (ms: number) => {
		waitedMs += ms;
	};
	return { parts, drops, jobs, wait, view };
}

/** Sends a file in writes of `step` bytes, all of them in progress at once. */
export async function put(tree: Tree, path: string, bytes = BYTES, step = 32_768, mode = PUT): Promise<void> {
	const file = await tree.open(path, mode);
	const writes = [];
	for (let at = 0; at < bytes.length; at += step)
		writes.push(file.write(at, Buffer.from(bytes.subarray(at, at + step))));
	await Promise.all(writes);
	await file.close();
}

/** Reads a whole file. */
export async function get(tree: Tree, path: string): Promise<Buffer> {
	const file = await tree.open(path, READ);
	const chunks = [];
	for (let at = 0; ; at += chunks.at(-1)!.length) {
		chunks.push(await file.read(at, 50_000));
		if (chunks.at(-1)!.length === 0) break;
	}
	await file.close();
	return Buffer.concat(chunks);
}

/** Returns the names in a folder, in the order in which they are listed. */
export async function names(tree: Tree, path: string): Promise<string[]> {
	const entries: TreeEntry[] = [];
	for await (const page of tree.list(path)) entries.push(...page);
	return entries.map((entry) => entry.name);
}

/** Checks that the work fails with an error of the tree that contains none of the content. */
export async function refused(
	t: ExecutionContext,
	work: Promise<unknown>,
	failure: TreeFailure,
	message: RegExp,
): Promise<void> {
	const error = (await t.throwsAsync(work)) as TreeError | undefined;
	t.is(error?.name, 'TreeError', String(error?.stack));
	t.is(error?.failure, failure);
	t.regex(error!.message, message);
	t.notRegex(error!.message, /4111/);
}

/** Publishes a file as a job does. */
export async function publish(
	{ parts }: ViewSetting,
	area: NewDropFile['area'],
	name: string,
	bytes: Buffer,
): Promise<void> {
	const blobId = makeUlid(Date.now());
	const writer = await createSpool(parts, { id: blobId, folder: { accountId: 7 as AccountId, area, filter: 'GBT' } });
	await writer.write(bytes);
	await writer.finish();
	await dropStore(parts.database.knex).insert({
		...{ account_id: 7 as AccountId, area, filter: 'GBT', name, blob_id: blobId, size: bytes.length, state: 'ready' },
		...{ created_by: null, job_id: null, writer: null, held_by: null, held_until: null, created_at: 1, modified_at: 1 },
	});
}
