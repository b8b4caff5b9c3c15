// Keeps counts of cards, files, calls and units, by account, hour and day, for the plots of the portal. Counting never
// scans the vault.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import { transact } from '../../base/database/dialect.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import { transactUnsynced } from '../../base/database/plain-transaction.ts';
import type { FailureLog } from '../../base/log/repeated.ts';
import { Turns } from '../../base/threads/turns.ts';
import { allowanceStore } from '../../people/identity/accounts/allowance-store.ts';
import { type AccountsOfJobs, followTrail } from './follow-trail.ts';
import { callKind, refusedKind, UNITS } from './kinds.ts';
import { keptSince, SPANS } from './periods.ts';
import { countAdder, statisticsStore } from './statistics-store.ts';
import { Sums } from './sums.ts';

export type Statistics = ReturnType<typeof openStatistics>;

const FLUSH_EVERY_MS = 5_000;
/** When many audit entries are to be counted, this is the pause between two batches, for other work to get its turn. */
const PAUSE_MS = 50;

/** Starts the counting; counts are written every few seconds until the returned object is closed. */
export function openStatistics(
	parts: { database: Database; clock: Clock; logger: FailureLog; accountsOfJobs: AccountsOfJobs },
	flushEveryMs = FLUSH_EVERY_MS,
) {
	const { database, clock, logger } = parts;
	const calls = new Sums();
	const ended = new AbortController();

	const writeCalls = async () => {
		if (calls.isEmpty) return;
		const rows = calls.drain();
		try {
			await transactUnsynced(database, (transaction) => countAdder(transaction, database.dialect).add(rows));
		} catch (error) {
			calls.putBack(rows);
			throw error;
		}
	};
	const flushNow = async () => {
		await writeCalls();
		while ((await followTrail(parts)) > 0) await sleep(PAUSE_MS, undefined, { signal: ended.signal, ref: false });
		await followUnits(parts);
	};
	const turns = new Turns();
	const flush = () => turns.run(flushNow);
	const follow = async () => {
		while (!ended.signal.aborted) {
			await sleep(flushEveryMs, undefined, { signal: ended.signal, ref: false }).catch(() => {});
			if (ended.signal.aborted) return;
			await flush().catch((err: unknown) => {
				if (!ended.signal.aborted) logger.warn({ err }, 'statistics could not be written: it is tried again');
			});
		}
	};
	const following = follow();
	return {
		/** Counts a call and its response time in memory. If the daemon crashes, the calls of the last seconds are lost. */
		noteCall(call: { readonly accountId: AccountId; readonly ms: number; readonly hasRefusedCard?: boolean }): void {
			const { accountId, ms, hasRefusedCard } = call;
			const now = clock.now().getTime();
			calls.add(accountId, now, callKind(ms), 1);
			if (hasRefusedCard) calls.add(accountId, now, refusedKind('call'), 1);
		},
		/**
		 * Writes the counts of calls that are in memory. Then it counts the audit entries that were not counted yet, and the
		 * units that accounts have used.
		 */
		flush,
		async close(): Promise<void> {
			ended.abort();
			await following;
			await turns.ended;
			await writeCalls().catch((err: unknown) => {
				logger.warn({ err }, 'the last statistics could not be written');
			});
		},
	};
}

/** Removes counts that are no longer kept (see `keptSince`); returns the number of removed rows. */
export async function purgeStatistics({ database, clock }: { database: Database; clock: Clock }): Promise<number> {
	const store = statisticsStore(database.knex);
	const now = clock.now().getTime();
	let removed = 0;
	for (const span of Object.values(SPANS)) removed += await store.removeBefore(span, keptSince(span, now));
	return removed;
}

const MOST_ACCOUNTS = 500;

/**
 * Counts the units that accounts have used since the last run, and returns the number of accounts. Every part of the
 * service adds the units it charges to one column of the account. The growth of that column is counted in the hour in
 * which this function notices it.
 */
async function followUnits(parts: { readonly database: Database; readonly clock: Clock }): Promise<number> {
	const { database, clock } = parts;
	const { knex, dialect } = database;
	if ((await allowanceStore(knex).listUncounted(1)).length === 0) return 0;
	return transact(database, async (transaction) => {
		const store = allowanceStore(transaction);
		// Each daemon locks the cursor first, so that only one daemon at a time counts units.
		await countAdder(transaction, dialect).lockCursor();
		const sums = new Sums();
		const uncounted = await store.listUncounted(MOST_ACCOUNTS);
		for (const { id, units } of uncounted) {
			await store.addCounted(id, units);
			sums.add(id, clock.now().getTime(), UNITS, units);
		}
		await countAdder(transaction, dialect).add(sums.drain());
		return uncounted.length;
	});
}
