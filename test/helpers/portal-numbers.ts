// Fills the statistics with counts that look like those of a busy installation.

import type { AccountId } from '../../src/base/database/ids.ts';
import type { Database } from '../../src/base/database/open.ts';
import { transactUnsynced } from '../../src/base/database/plain-transaction.ts';
import { countAdder } from '../../src/work/statistics/statistics-store.ts';
import { Sums } from '../../src/work/statistics/sums.ts';

const HOUR_MS = 3_600_000;

/** Adds counts of every hour of the last days for an account. */
export async function fillStatistics(
	database: Database,
	accountId: AccountId,
	nowMs: number,
	days = 40,
): Promise<void> {
	const sums = new Sums();
	for (let hour = 0; hour < days * 24; hour++) {
		const at = nowMs - hour * HOUR_MS;
		const busy = 1 + Math.sin(hour / 4) ** 2 * 20;
		const add = (what: string, count: number) => sums.add(accountId, at, what, Math.round(count), nowMs);
		add('cards/http', busy * 7);
		add('cards/file', busy * 31);
		add('cards/form', busy);
		add('file/tokenize/GBT', busy / 3);
		add('file/tokenize/SIMPLECSV', busy / 5);
		add('file/detokenize/GBT', busy / 9);
		add('refused/luhn', hour % 5);
		add('refused/expired', hour % 3);
		add('failed', hour % 29 === 0 ? 1 : 0);
		add('units', busy * 39);
		for (const [bucket, share] of [2, 9, 30, 12, 4, 1].entries()) add(`call/${bucket}`, busy * share);
	}
	await transactUnsynced(database, (transaction) => countAdder(transaction, database.dialect).add(sums.drain()));
}
