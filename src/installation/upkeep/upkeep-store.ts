import type { Knex } from 'knex';

/** What operators have to do again and again: make a backup, and verify one. */
export type Duty = 'backup' | 'backup-check';

export function upkeepStore(knex: Knex) {
	return {
		async note(name: Duty, at: number): Promise<void> {
			await knex('upkeep').insert({ name, at }).onConflict('name').merge();
		},
		/** Returns the times at which each was last done; none for what was never done. */
		async list(): Promise<Map<Duty, number>> {
			const rows: { name: Duty; at: number }[] = await knex('upkeep').select('name', 'at');
			return new Map(rows.map(({ name, at }) => [name, at]));
		},
		async findInstallation(): Promise<{ environment: string; createdAt: number } | undefined> {
			const row = await knex('installation').first('environment', 'created_at');
			return row && { environment: row.environment, createdAt: row.created_at };
		},
	};
}
