import type { Migration } from './migration.ts';

export const auditNotes: Migration = {
	name: '0022-audit-notes',
	async up(knex) {
		// This single row holds the last line written to the file of heads, sealed; it is empty before the first. A trail
		// from before this migration has none until the next start, which records that in the trail.
		await knex.schema.createTable('audit_notes', (table) => {
			table.integer('id').primary();
			table.bigInteger('at').notNullable();
			table.bigInteger('seq').notNullable();
			table.text('line').notNullable();
		});
	},
};
