import type { Migration } from './migration.ts';

export const auditChecks: Migration = {
	name: '0056-audit-checks',
	async up(knex) {
		// A page of the portal asks when tasks last began; a week of them has some sixty thousand rows.
		await knex.schema.alterTable('schedule_runs', (table) =>
			table.index(['started_at', 'claimed_by'], 'schedule_runs_by_start'),
		);
		await knex.raw(`create index schedule_runs_failed on schedule_runs (started_at) where outcome = 'failed'`);
		// This single row says what the last `audit verify` found, for those who look at the installation.
		await knex.schema.createTable('audit_checks', (table) => {
			table.integer('id').primary();
			table.bigInteger('at').notNullable();
			table.bigInteger('entries').notNullable();
			// The entry at which the trail is broken, and how; null for a whole one.
			table.bigInteger('broken_at').nullable();
			table.string('reason').nullable();
		});
	},
};
