// Deletes expired files and jobs. Files that are accepted and not processed yet are never deleted.

import type { BlobStore } from '../../base/blobs/blob-store.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import { removeUnnamedBlobs } from '../drops/drop-blobs.ts';
import type { Area } from '../drops/drop-names.ts';
import { type DropFile, type DropState, dropStore } from '../drops/drop-store.ts';
import { jobStore } from './job-store.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PAGE = 200;

/** Deletes files and jobs that are older than the settings allow. Any daemon may run this, even two at once. */
export async function runRetention(
	parts: { database: Database; blobs: BlobStore; clock?: Clock },
	settings: {
		/** Outputs, and inputs of failed jobs, are deleted after this time. */
		readonly dropsDays: number;
		/** Inputs of failed jobs are deleted after this time in accounts that keep no CVV, because they may contain one. */
		readonly failedInputsHours: number;
		/** Uploads that were never finished are deleted after this time. */
		readonly partialsHours: number;
		readonly reportsDays: number;
	},
) {
	const now = (parts.clock ?? systemClock).now().getTime();
	const dropsBefore = now - settings.dropsDays * DAY_MS;
	const reportsBefore = now - settings.reportsDays * DAY_MS;
	const failedBefore = now - settings.failedInputsHours * HOUR_MS;
	const partialsBefore = now - settings.partialsHours * HOUR_MS;
	return {
		outputs: (await removeCvvFiles(parts)) + (await removeOlder(parts, ['ready'], OUTPUTS, dropsBefore)),
		failedInputs:
			(await removeOlder(parts, ['failed'], ['tokenize'], failedBefore, true)) +
			(await removeOlder(parts, ['failed'], ['tokenize', 'detokenize'], dropsBefore)),
		partials: await removeOlder(parts, ['partial'], ['tokenize', 'detokenize'], partialsBefore),
		reports: await removeOlder(parts, ['ready'], ['reports'], reportsBefore),
		// A job is kept while its files may still exist, because it shows what they are.
		jobs: await removeJobs(parts, Math.min(dropsBefore, reportsBefore)),
	};
}

const OUTPUTS: readonly Area[] = ['tokenized', 'detokenized'];

/** Deletes detokenized files with CVVs whose policy has ended; returns how many. Any daemons may run it at once. */
export async function removeCvvFiles(parts: { database: Database; blobs: BlobStore; clock?: Clock }): Promise<number> {
	const now = (parts.clock ?? systemClock).now().getTime();
	return removeAll(parts, () => dropStore(parts.database.knex).listExpired(now, PAGE));
}

function removeOlder(
	parts: { database: Database; blobs: BlobStore },
	states: readonly DropState[],
	areas: readonly Area[],
	before: number,
	keepsNoCvv = false,
): Promise<number> {
	const store = dropStore(parts.database.knex);
	return removeAll(parts, () => store.listOlder({ states, areas, keepsNoCvv }, before, PAGE));
}

async function removeAll(parts: { database: Database; blobs: BlobStore }, list: () => Promise<DropFile[]>) {
	const store = dropStore(parts.database.knex);
	let removed = 0;
	for (;;) {
		const page = await list();
		if (page.length === 0) return removed;
		for (const { id, state, blob_id, modified_at } of page) {
			// A file that was resumed, retried or replaced after it was listed is not deleted.
			if (!(await store.remove(id, { state, blob_id, modified_at }))) continue;
			removed += await removeUnnamedBlobs(parts, [blob_id]);
		}
	}
}

async function removeJobs({ database }: { database: Database }, before: number): Promise<number> {
	let removed = 0;
	for (;;) {
		const some = await jobStore(database.knex).removeEnded(before, PAGE);
		removed += some;
		if (some < PAGE) return removed;
	}
}
