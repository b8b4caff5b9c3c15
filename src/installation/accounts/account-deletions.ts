// Deletes accounts by schedule, in small steps that may be interrupted at any moment and continued by any daemon. The
// audit trail and the journal of payments are kept, and the user ID is never given again.

import type { BlobStore } from '../../base/blobs/blob-store.ts';
import type { Clock } from '../../base/clock.ts';
import { transact } from '../../base/database/dialect.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import { accountStore } from '../../people/identity/accounts/account-store.ts';
import { type DeletionRow, deletionStore } from '../../people/identity/accounts/deletion-store.ts';
import type { Audit } from '../../trail/audit.ts';
import { removeUnnamedBlobs } from '../../work/drops/drop-blobs.ts';
import { accountRemovalStore } from './account-removal-store.ts';

const AT_ONCE = 200;

/** Counts what was removed in all attempts at the deletion together. */
export interface RemovedCounts {
	cards: number;
	files: number;
	jobs: number;
	credentials: number;
}

/**
 * Continues every deletion that is due, and returns how many are done. The deletion of an account whose files or jobs
 * are in use is attempted again a minute later.
 */
export async function runDeletions(parts: {
	database: Database;
	audit: Pick<Audit, 'record'>;
	blobs: BlobStore;
	clock: Clock;
}): Promise<number> {
	const due = await deletionStore(parts.database.knex).listDue(parts.clock.now().getTime());
	let done = 0;
	for (const deletion of due) if (await removeAccount(parts, deletion)) done++;
	return done;
}

async function removeAccount(
	parts: { database: Database; audit: Pick<Audit, 'record'>; blobs: BlobStore; clock: Clock },
	{ account_id: id, removed }: DeletionRow,
): Promise<boolean> {
	const { database, clock } = parts;
	const store = deletionStore(database.knex);
	if (!(await store.begin(id, clock.now().getTime()))) return false;
	const counts: RemovedCounts = JSON.parse(removed ?? '{"cards":0,"files":0,"jobs":0,"credentials":0}');
	const removal = accountRemovalStore(database);
	const ids = [...(await removal.listChildren(id)), id];
	const note = () => store.note(id, { removed: JSON.stringify(counts) });
	// Credentials are removed first. Nobody can sign in after that, so the next steps need not check that the account is
	// still disabled.
	for (const each of ids) {
		const rows = await removal.removeRows(each);
		counts.credentials += rows.api_keys + rows.ssh_keys;
	}
	await note();
	for (const each of ids) await removeContent(parts, each, counts, note);
	for (const each of ids) if (!(await removal.isEmpty(each))) return false;
	await finish(parts, id, ids, counts);
	return true;
}

async function removeContent(
	{ database, blobs, clock }: { database: Database; blobs: BlobStore; clock: Clock },
	id: AccountId,
	counts: RemovedCounts,
	note: () => Promise<void>,
): Promise<void> {
	const removal = accountRemovalStore(database);
	for (let some = AT_ONCE; some === AT_ONCE; await note()) counts.jobs += some = await removal.removeJobs(id, AT_ONCE);
	for (let some = AT_ONCE; some === AT_ONCE; await note()) {
		const files = await removal.removeFiles(id, clock.now().getTime(), AT_ONCE);
		await removeUnnamedBlobs({ database, blobs }, [...new Set(files.map(({ blob_id }) => blob_id))]);
		counts.files += some = files.length;
	}
	for (let some = AT_ONCE; some === AT_ONCE; await note()) {
		const { pages, cards } = await removal.removePages(id, AT_ONCE);
		counts.cards += cards;
		some = pages;
	}
}

async function finish(
	{ database, audit, clock }: { database: Database; audit: Pick<Audit, 'record'>; clock: Clock },
	id: AccountId,
	ids: readonly AccountId[],
	counts: RemovedCounts,
): Promise<void> {
	await transact(database, async (transaction) => {
		for (const each of ids) await accountRemovalStore(database).removeKeys(transaction, each);
		const removed = JSON.stringify(counts);
		await deletionStore(transaction).note(id, { removed, finished_at: clock.now().getTime() });
		const account = await accountStore(transaction).findById(id);
		const entry = { actor: 'daemon', action: 'account.deleted', subject: `account ${account?.user_id}` };
		await audit.record({ ...entry, details: { ...counts, subAccounts: ids.length - 1 } }, transaction);
	});
}
