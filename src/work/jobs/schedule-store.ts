import type { Knex } from 'knex';
import { insertNew } from '../../base/database/dialect.ts';

export function scheduleStore(knex: Knex) {
	return {
		/** Claims a run; returns false if another daemon has it. */
		async claim(fire: { task: string; firesAt: number; daemonId: string; now: number }): Promise<boolean> {
			const row = { task: fire.task, fires_at: fire.firesAt, claimed_by: fire.daemonId, started_at: fire.now };
			return insertNew(knex('schedule_runs'), row, 'task', 'fires_at');
		},
		async finish(fire: { task: string; firesAt: number; now: number; outcome: string }): Promise<void> {
			await knex('schedule_runs')
				.where({ task: fire.task, fires_at: fire.firesAt })
				.update({ finished_at: fire.now, outcome: fire.outcome });
		},
		async listFailed(since: number, limit: number): Promise<{ task: string; started_at: number }[]> {
			return (
				knex('schedule_runs')
					// The outcome is a literal and not a binding, so that SQLite uses the index that contains only failed
					// runs.
					.whereRaw(`outcome = 'failed'`)
					.andWhere('started_at', '>=', since)
					.orderBy('started_at', 'desc')
					.limit(limit)
					.select('task', 'started_at')
			);
		},
		async findLastRun(task: string): Promise<{ started_at: number; outcome: string } | undefined> {
			return knex('schedule_runs')
				.where({ task })
				.whereNotNull('outcome')
				.orderBy('fires_at', 'desc')
				.first('started_at', 'outcome');
		},
		async prune(task: string, before: number): Promise<void> {
			await knex('schedule_runs').where({ task }).andWhere('fires_at', '<', before).delete();
		},
	};
}
