import type { Migration } from './migration.ts';

export const events: Migration = {
	name: '0023-events.expand',
	async up(knex) {
		// Where an account wants to be told of events: an address that is called, or a mailbox.
		await knex.schema.createTable('event_endpoints', (table) => {
			table.bigInteger('account_id').notNullable();
			table.string('name', 400).notNullable();
			// The id under which deliveries belong to the endpoint. It stays when the endpoint is put again.
			table.string('id', 26).notNullable().unique();
			// webhook or mail
			table.string('kind', 8).notNullable();
			table.text('target').notNullable();
			// The types of events that are told, separated by commas; null for all.
			table.text('types').nullable();
			// The secrets with which calls are signed, sealed, and the key under which they are; null for a mailbox.
			table.integer('key_id').nullable();
			table.binary('sealed').nullable();
			table.bigInteger('disabled_at').nullable();
			table.text('disabled_reason').nullable();
			// Since when no call was successful; null after one that was.
			table.bigInteger('failing_since').nullable();
			// Until when nothing is sent, because the receiver has asked for that.
			table.bigInteger('rest_until').nullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('updated_at').notNullable();
			// The seal of the row, a MAC over the columns that grant something, and its key. A row without a seal is refused.
			table.integer('seal_key').nullable();
			table.binary('seal').nullable();
			table.primary(['account_id', 'name']);
		});
		await knex.schema.createTable('events', (table) => {
			table.string('id', 32).primary();
			table.bigInteger('account_id').notNullable();
			table.string('type', 64).notNullable();
			// Events with the same text are told in their order.
			table.string('about', 100).notNullable();
			// An event that is told only once has a hash here that no other one has.
			table.string('once', 64).nullable().unique();
			table.text('body').notNullable();
			table.bigInteger('created_at').notNullable();
			table.index(['account_id', 'id'], 'events_by_account');
			table.index(['created_at'], 'events_by_time');
		});
		await knex.schema.createTable('event_deliveries', (table) => {
			table.bigIncrements('id');
			table.string('event_id', 32).notNullable();
			table.string('endpoint_id', 26).notNullable();
			table.bigInteger('account_id').notNullable();
			table.string('about', 100).notNullable();
			// waiting, sent or failed
			table.string('state', 8).notNullable();
			table.integer('tries').notNullable().defaultTo(0);
			table.bigInteger('next_at').notNullable();
			// The claim that holds the delivery. After `claimed_until`, another claim may take it.
			table.string('claim', 36).nullable();
			table.bigInteger('claimed_until').nullable();
			// What the latest try was answered, or why there was no answer.
			table.integer('status').nullable();
			table.text('reason').nullable();
			table.bigInteger('ended_at').nullable();
			table.index(['event_id'], 'event_deliveries_by_event');
		});
		// These indexes contain the deliveries that wait.
		await knex.raw(
			`create index event_deliveries_due on event_deliveries (endpoint_id, next_at) where state = 'waiting'`,
		);
		await knex.raw(
			`create index event_deliveries_order on event_deliveries (endpoint_id, about, id) where state = 'waiting'`,
		);
	},
};
