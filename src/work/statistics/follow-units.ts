import type { Clock } from '../../base/clock.ts';
import { transact } from '../../base/database/dialect.ts';
import type { Database } from '../../base/database/open.ts';
import { allowanceStore } from '../../people/identity/accounts/allowance-store.ts';
import { UNITS } from './kinds.ts';
import { countAdder } from './statistics-store.ts';
import { Sums } from './sums.ts';

/** At most this many accounts are handled in one transaction. */
const MOST_ACCOUNTS = 500;

/**
 * Counts the units that accounts have used since the last run, and returns the number of accounts. Every part of the
 * service adds the units it charges to one column of the account. The growth of that column is counted in the hour in
 * which this function notices it.
 */
export async function followUnits({
	database,
	clock,
}: {
	readonly database: Database;
	readonly clock: Clock;
}): Promise<number> {
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
