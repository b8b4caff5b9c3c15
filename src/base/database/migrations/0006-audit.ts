import type { Migration } from './migration.ts';

export const audit: Migration = {
	name: '0006-audit',
	async up(knex, dialect) {
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
		// A row of these tables is valid only if the trail has a matching entry. These indexes find the few entries about
		// operators and approvals without reading the whole trail.
		await knex.raw(`create index audit_of_operators on audit (seq)
			where action in ('operator.add', 'operator.remove', 'operator.recover')`);
		await knex.raw(`create index audit_of_approvals on audit (subject)
			where action in ('approval.request', 'approval.give', 'approval.use')`);
		// This table has a single row that says where the trail ends. It is signed, so that cutting off the end is noticed.
		// Writers lock it, so that they append entries one after the other.
		await knex.schema.createTable('audit_head', (table) => {
			table.integer('id').primary();
			table.bigInteger('seq').notNullable();
			table.string('hash', 64).notNullable();
			table.integer('key_id').notNullable();
			table.string('signature', 64).notNullable();
		});
		// This table has a single row with the last line of the file of audit heads and its seal; the line is empty before
		// the first is written.
		await knex.schema.createTable('audit_notes', (table) => {
			table.integer('id').primary();
			table.bigInteger('at').notNullable();
			table.bigInteger('seq').notNullable();
			table.text('line').notNullable();
		});
		// This table has a single row with the result of the last `audit verify`, which operators see in the portal.
		await knex.schema.createTable('audit_checks', (table) => {
			table.integer('id').primary();
			table.bigInteger('at').notNullable();
			table.bigInteger('entries').notNullable();
			// The entry at which the trail is broken, and the reason; both are null if the trail is intact.
			table.bigInteger('broken_at').nullable();
			table.string('reason').nullable();
		});
		// Records, for each external system that receives the audit trail, the number of the last entry that was sent
		// to it.
		await knex.schema.createTable('audit_forwards', (table) => {
			table.string('address', 512).primary();
			table.bigInteger('seq').notNullable();
			table.string('leased_by').nullable();
			table.bigInteger('leased_until').notNullable();
		});
		// Holds counts of an hour (span 0) or a day (span 1) by account and by the thing that was counted; account 0 stands
		// for all accounts together. Periods come first in the key, so that old ones are removed as one range.
		await knex.raw(`create table statistics (
			span smallint not null, at bigint not null, account_id bigint not null, what varchar(64) not null,
			count bigint not null, primary key (span, at, account_id, what)
		)${dialect === 'sqlite' ? ' without rowid' : ''}`);
		// This table has a single row with the number of the last audit entry that is included in the counts.
		await knex.schema.createTable('statistics_cursor', (table) => {
			table.integer('id').primary();
			table.bigInteger('seq').notNullable();
		});
	},
};
