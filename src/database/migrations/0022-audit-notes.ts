import type { Migration } from './migration.ts';

export const auditNotes: Migration = {
	name: '0022-audit-notes',
	async up(knex) {
		// One row: the last line that was written into the file of heads, sealed; empty before the first. A trail from before
		// this has none until the next start, which says so in the trail.
		await knex.schema.createTable('audit_notes', (table) => {
			table.integer('id').primary();
			table.bigInteger('at').notNullable();
			table.bigInteger('seq').notNullable();
			table.text('line').notNullable();
		});
	},
};
