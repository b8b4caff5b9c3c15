import type { Migration } from './migration.ts';

export const auditNotes: Migration = {
	name: '0022-audit-notes',
	async up(knex) {
		// This table has a single row with the last line of the file of audit heads and its seal; the line is empty before
		// the first is written. An installation from before this migration gets the row at its next start, which is
		// recorded in the trail.
		await knex.schema.createTable('audit_notes', (table) => {
			table.integer('id').primary();
			table.bigInteger('at').notNullable();
			table.bigInteger('seq').notNullable();
			table.text('line').notNullable();
		});
	},
};
