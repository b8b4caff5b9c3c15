import type { Knex } from 'knex';

export interface DaemonRow {
	readonly id: string;
	readonly version: string;
	/** The last migration that this version has. */
	readonly knows: string;
	readonly started_at: number;
	readonly seen_at: number;
	/** The time of an orderly stop; null while the daemon runs, and for one that was killed. */
	readonly ended_at: number | null;
	/** The lane of the audit trail in which it writes; null until it has one. */
	readonly lane: number | null;
}

export function daemonStore(knex: Knex) {
	return {
		async sign(row: Omit<DaemonRow, 'ended_at' | 'lane'>): Promise<void> {
			await knex('daemons')
				.insert({ ...row, ended_at: null })
				.onConflict('id')
				.merge(['seen_at', 'ended_at']);
		},
		async end(id: string, now: number): Promise<void> {
			await knex('daemons').where({ id }).update({ seen_at: now, ended_at: now });
		},
		/** Lists the daemons that gave a sign since the given time, the latest sign first. */
		async list(since: number): Promise<DaemonRow[]> {
			return knex('daemons').where('seen_at', '>=', since).orderBy('seen_at', 'desc').select('*');
		},
		/** Lists all daemons and, on PostgreSQL, locks their rows until the transaction ends. */
		async lockAll(): Promise<DaemonRow[]> {
			return knex('daemons').orderBy('id').select('*').forUpdate();
		},
		async setLane(id: string, lane: number): Promise<void> {
			await knex('daemons').where({ id }).update({ lane });
		},
		/** Returns the daemon that gave the latest sign of all, or undefined if none ever did. */
		async findLast(): Promise<DaemonRow | undefined> {
			return knex('daemons').orderBy('seen_at', 'desc').first('*');
		},
		/** Removes the daemons that gave no sign since the given time. */
		async prune(before: number): Promise<void> {
			await knex('daemons').where('seen_at', '<', before).delete();
		},
	};
}
