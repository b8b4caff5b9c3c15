import type { Migration } from './migration.ts';

export const auditChecks: Migration = {
	name: '0056-audit-checks',
	async up(knex) {
		// This index serves a page of the portal that shows when tasks last began. A week of runs has some sixty thousand
		// rows.
		await knex.schema.alterTable('schedule_runs', (table) =>
			table.index(['started_at', 'claimed_by'], 'schedule_runs_by_start'),
		);
		await knex.raw(`create index schedule_runs_failed on schedule_runs (started_at) where outcome = 'failed'`);
		// This table has a single row with the result of the last `audit verify`, which operators see in the portal.
		await knex.schema.createTable('audit_checks', (table) => {
			table.integer('id').primary();
			table.bigInteger('at').notNullable();
			table.bigInteger('entries').notNullable();
			// The entry at which the trail is broken, and the reason; both are null if the trail is intact.
			table.bigInteger('broken_at').nullable();
			table.string('reason').nullable();
		});
	},
};
