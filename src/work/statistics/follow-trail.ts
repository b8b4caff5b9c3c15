// Counts cards and files from the audit trail. An entry is committed together with its card or file, and it is counted when
// no entry with a lower number can come any more. So everything is counted exactly once, whichever thread or daemon processed it, and counting
// delays no caller.

import type { Knex } from 'knex';
import type { Clock } from '../../base/clock.ts';
import type { AccountId, JobId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import { transactUnsynced } from '../../base/database/plain-transaction.ts';
import { accountStore } from '../../people/identity/accounts/account-store.ts';
import { auditStore } from '../../trail/audit-store.ts';
import { findSettled } from '../../trail/lanes/settled.ts';
import { COUNTED_ACTIONS, countsOf, FROM_FORM, jobOf, SINGLE_CARD } from './entry-counts.ts';
import { cardsKind } from './kinds.ts';
import { keptSince, SPANS } from './periods.ts';
import { countAdder, statisticsStore } from './statistics-store.ts';
import { Sums } from './sums.ts';

const BATCH_ENTRIES = 5_000;

/** Finds for each job the account that owns it. A job that no longer exists is left out. */
export type AccountsOfJobs = (ids: readonly JobId[]) => Promise<ReadonlyMap<JobId, AccountId>>;

/**
 * Counts the entries of the trail that follow the cursor, and returns how many there were. The counts and the cursor
 * change in one transaction, so after a crash no entry is left out or counted twice.
 */
export async function followTrail(parts: {
	database: Database;
	clock: Clock;
	accountsOfJobs: AccountsOfJobs;
}): Promise<number> {
	const { database, clock } = parts;
	const { knex, dialect } = database;
	const nowMs = clock.now().getTime();
	const cursor = (await statisticsStore(knex).findCursor()) ?? (await begin(knex, nowMs));
	const head = (await auditStore(knex).findHead())?.seq ?? 0;
	const settled = Math.max(cursor, await findSettled(database));
	// If the trail was begun anew, it may be shorter than before and end before the cursor. The cursor then moves back to
	// the end of the trail.
	const last = head < cursor ? head : Math.min(settled, cursor + BATCH_ENTRIES);
	if (last === cursor) return 0;
	const sums = await sumUp(parts, { first: cursor + 1, last }, nowMs);
	const isOurs = await transactUnsynced(database, async (transaction) => {
		const counts = countAdder(transaction, dialect);
		if ((await counts.lockCursor()) !== cursor) return false;
		await counts.add(sums.drain());
		await counts.moveCursor(last);
		return true;
	});
	return isOurs ? Math.max(0, last - cursor) : 0;
}

/** Sets the cursor for the first time. Entries that are there already count as far back as counts are kept. */
async function begin(knex: Knex, nowMs: number): Promise<number> {
	await statisticsStore(knex).begin((await auditStore(knex).findFirstSince(keptSince(SPANS.day, nowMs))) - 1);
	return (await statisticsStore(knex).findCursor())!;
}

async function sumUp(
	{ database, accountsOfJobs }: { database: Database; accountsOfJobs: AccountsOfJobs },
	range: { first: number; last: number },
	nowMs: number,
): Promise<Sums> {
	const { knex } = database;
	const trail = auditStore(knex);
	const sums = new Sums();
	if (range.last < range.first) return sums;
	const singles = await trail.countByHour(SINGLE_CARD, FROM_FORM, range);
	const entries = await trail.listOfActions(COUNTED_ACTIONS, range, undefined, BATCH_ENTRIES);
	const jobs = await accountsOfJobs([...new Set(entries.flatMap((entry) => (jobOf(entry) ?? []) as JobId[]))]);
	const names = [...singles, ...entries.filter((entry) => !jobs.has(jobOf(entry) as JobId))].map(nameOf);
	const accounts = names.length === 0 ? new Map() : await accountStore(knex).idsOf([...new Set(names)]);
	for (const single of singles) {
		const accountId = accounts.get(single.actor);
		const kind = cardsKind(single.isMarked ? 'form' : 'http');
		if (accountId !== undefined) sums.add(accountId, single.atMs, kind, single.entries, nowMs);
	}
	for (const entry of entries) {
		const accountId = jobs.get(jobOf(entry) as JobId) ?? accounts.get(nameOf(entry));
		if (accountId === undefined) continue;
		for (const [kind, count] of countsOf(entry)) sums.add(accountId, entry.at, kind, count, nowMs);
	}
	return sums;
}

/**
 * Returns the name of the account for which an audit entry is counted. If an operator imported cards, that is the
 * account in the subject of the entry; otherwise it is the caller.
 */
function nameOf(entry: { readonly actor: string; readonly action?: string; readonly subject?: string }): string {
	return entry.action === 'card.import' ? (entry.subject ?? '').replace(/^account /, '') : entry.actor;
}
