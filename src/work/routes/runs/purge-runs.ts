import type { Clock } from '../../../base/clock.ts';
import type { Database } from '../../../base/database/open.ts';
import { runStore } from './run-store.ts';

const DAY_MS = 86_400_000;
/** The history of a route is kept for this time. Its ledger is kept as long as the route. */
const KEEP_DAYS = 400;
const PAGE = 200;

/** Removes runs that ended long ago; returns how many. Any daemon may run this, even two at once. */
export async function purgeRuns({
	database,
	clock,
}: {
	readonly database: Database;
	readonly clock: Clock;
}): Promise<number> {
	const before = clock.now().getTime() - KEEP_DAYS * DAY_MS;
	let removed = 0;
	for (;;) {
		const some = await runStore(database.knex).removeEnded(before, PAGE);
		removed += some;
		if (some < PAGE) return removed;
	}
}
