// Gives every daemon a lane of the audit trail of its own, so that none waits for another one's commit.

import type { Clock } from '../../base/clock.ts';
import { transact } from '../../base/database/dialect.ts';
import type { Database } from '../../base/database/open.ts';
import type { Audit } from '../../trail/audit.ts';
import { daemonStore } from './daemon-store.ts';
import { isRunning } from './heartbeat.ts';

/**
 * Takes the first lane that no running daemon has, makes the trail write in it, and returns its number. The daemon must
 * have given its first sign. The embedded database has one writer, and so one lane. A lane that two daemons have for a
 * while, because one of them was silent for long, only makes them wait for each other. So does lane 0, in which commands
 * write, and all daemons for as long as the last migration waits for those of an earlier version to end.
 */
export async function takeLane(
	{ database, audit, clock }: { readonly database: Database; readonly audit: Audit; readonly clock: Clock },
	daemonId: string,
): Promise<number> {
	if (database.dialect === 'sqlite') return 0;
	const lane = await transact(database, async (transaction) => {
		const store = daemonStore(transaction);
		const now = clock.now().getTime();
		const others = (await store.lockAll()).filter((row) => row.id !== daemonId && isRunning(row, now));
		const taken = new Set(others.map((row) => row.lane));
		let free = 0;
		while (taken.has(free)) free += 1;
		await store.setLane(daemonId, free);
		return free;
	});
	return (await audit.useLane(lane)) ? lane : 0;
}
