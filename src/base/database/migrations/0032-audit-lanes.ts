import type { Migration } from './migration.ts';

export const auditLanes: Migration = {
	name: '0032-audit-lanes.expand',
	async up(knex) {
		await knex.schema.alterTable('audit', (table) => {
			// The lane that the entry was written in; null for those of a trail with one lane, whose hashes do not cover it.
			table.integer('lane').nullable();
		});
		// From now on a row is the end of a lane: row 1 that of lane 0, row 2 that of lane 1 and so on. Row 0 is the end of
		// the main chain, and is there when there are several lanes.
		await knex.schema.alterTable('audit_head', (table) => {
			// How many lanes there are, and the last link of the main chain that the last writer of the lane has seen.
			table.integer('lanes').notNullable().defaultTo(1);
			table.bigInteger('link').notNullable().defaultTo(0);
		});
		await knex.schema.alterTable('daemons', (table) => {
			// The lane that the daemon writes in; null until it has one.
			table.integer('lane').nullable();
		});
	},
};

export const auditLanesOnly: Migration = {
	name: '0033-audit-lanes.contract',
	async up(knex) {
		// The main chain: every link has the ends of all lanes at its time. Daemons of an earlier version know one lane only and
		// would give its entries the numbers of others, so there are no lanes before this table is there.
		await knex.schema.createTable('audit_links', (table) => {
			table.bigInteger('number').primary();
			table.bigInteger('at').notNullable();
			// The ends as JSON, exactly as they were hashed: lane, number and hash of the last entry of each.
			table.text('heads').notNullable();
			table.string('previous_hash', 64).notNullable();
			table.integer('key_id').notNullable();
			table.string('hash', 64).notNullable();
		});
	},
};
