import type { Migration } from './migration.ts';

export const audit: Migration = {
	name: '0006-audit',
	async up(knex) {
		await knex.schema.createTable('audit', (table) => {
			// The number of the entry. It is counted in `audit_head` without gaps; a database sequence would leave gaps
			// after a rollback.
			table.bigInteger('seq').primary();
			table.bigInteger('at').notNullable();
			table.text('actor').notNullable();
			table.text('action').notNullable();
			table.text('subject').notNullable();
			// The details as JSON, exactly as they were hashed.
			table.text('details').notNullable();
			table.string('previous_hash', 64).notNullable();
			table.integer('key_id').notNullable();
			table.string('hash', 64).notNullable();
		});
		// This table has a single row that says where the trail ends. It is signed, so that cutting off the end is noticed.
		// Writers lock it, so that they append entries one after the other.
		await knex.schema.createTable('audit_head', (table) => {
			table.integer('id').primary();
			table.bigInteger('seq').notNullable();
			table.string('hash', 64).notNullable();
			table.integer('key_id').notNullable();
			table.string('signature', 64).notNullable();
		});
	},
};
