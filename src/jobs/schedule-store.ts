import type { Knex } from 'knex';

/** Single statements over the fires of schedules. */
export function scheduleStore(knex: Knex) {
	return {
		/** Takes a fire; false when another daemon has it. */
		async claim(fire: { task: string; firesAt: number; daemonId: string; now: number }): Promise<boolean> {
			const rows = await knex('schedule_runs')
				.insert({ task: fire.task, fires_at: fire.firesAt, claimed_by: fire.daemonId, started_at: fire.now })
				.onConflict(['task', 'fires_at'])
				.ignore()
				.returning('task');
			return rows.length === 1;
		},
		async finish(fire: { task: string; firesAt: number; now: number; outcome: string }): Promise<void> {
			await knex('schedule_runs')
				.where({ task: fire.task, fires_at: fire.firesAt })
				.update({ finished_at: fire.now, outcome: fire.outcome });
		},
		/** Forgets fires before a time. */
		async prune(task: string, before: number): Promise<void> {
			await knex('schedule_runs').where({ task }).andWhere('fires_at', '<', before).delete();
		},
	};
}
