import type { Migration } from './migration.ts';

export const daemons: Migration = {
	name: '0014-daemons.expand',
	async up(knex) {
		// A daemon says here that it runs. Its row stays for a while after its end, so that one knows when that was.
		await knex.schema.createTable('daemons', (table) => {
			table.string('id').primary();
			table.string('version', 32).notNullable();
			// The last migration that this version knows.
			table.string('knows', 64).notNullable();
			table.bigInteger('started_at').notNullable();
			table.bigInteger('seen_at').notNullable();
			// The time when the daemon was stopped in order; null while it runs and for one that was killed.
			table.bigInteger('ended_at').nullable();
			table.index(['seen_at'], 'daemons_by_sign');
		});
	},
};
