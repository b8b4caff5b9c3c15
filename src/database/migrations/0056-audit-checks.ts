import type { Migration } from './migration.ts';

export const auditChecks: Migration = {
	name: '0056-audit-checks',
	async up(knex) {
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
