import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Dialect } from '../../base/database/dialect.ts';
import { laneStore } from './lane-store.ts';

type Handle = { readonly knex: Knex; readonly dialect: Dialect };

const LOOK_EVERY_MS = 5;
const LONGEST_WAIT_MS = 60_000;

/**
 * Returns a number up to which the trail is settled: no entry with such a number will come any more. Whoever follows the
 * trail in the order of its numbers must not go further. A lane that nobody was writing in gives only numbers beyond all
 * that are there from now on; one that somebody is writing in gives them beyond its own last one. So the answer may be
 * smaller than an earlier one, which stays true.
 */
export async function findSettled({ knex, dialect }: Handle): Promise<number> {
	const ends = await laneStore(knex).listWriting(dialect);
	const highest = Math.max(0, ...ends.map(({ seq }) => seq));
	if (ends.length < 2) return highest;
	return Math.min(highest, ...ends.filter(({ is_writing }) => is_writing).map(({ seq }) => seq));
}

/**
 * Waits until all entries are there that have a number up to the given one: the transactions that are writing some end.
 * @throws Error if one of them does not end in a minute
 */
export async function untilSettled(database: Handle, number: number): Promise<void> {
	for (const until = performance.now() + LONGEST_WAIT_MS; (await findSettled(database)) < number; ) {
		if (performance.now() > until)
			throw new Error('somebody has been writing to the audit trail for a minute without an end: try again later');
		await sleep(LOOK_EVERY_MS);
	}
}
