import type { Migration } from './migration.ts';

export const audit: Migration = {
	name: '0006-audit',
	async up(knex) {
		await knex.schema.createTable('audit', (table) => {
			// Counted by the head, without gaps; a database's own sequence leaves gaps after a rollback.
			table.bigInteger('seq').primary();
			table.bigInteger('at').notNullable();
			table.text('actor').notNullable();
			table.text('action').notNullable();
			table.text('subject').notNullable();
			// JSON exactly as it was hashed.
			table.text('details').notNullable();
			table.string('previous_hash', 64).notNullable();
			table.integer('key_id').notNullable();
			table.string('hash', 64).notNullable();
		});
		// One row: where the trail ends, signed, so that cutting off its end is seen. Its lock orders the writers.
		await knex.schema.createTable('audit_head', (table) => {
			table.integer('id').primary();
			table.bigInteger('seq').notNullable();
			table.string('hash', 64).notNullable();
			table.integer('key_id').notNullable();
			table.string('signature', 64).notNullable();
		});
	},
};
