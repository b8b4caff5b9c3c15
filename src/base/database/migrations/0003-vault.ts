import type { Migration } from './migration.ts';

export const vault: Migration = {
	name: '0003-vault',
	async up(knex, dialect) {
		// Counters, such as the one from which page ids are reserved. Each is a row and not a sequence of the database, so
		// that ids grow in order on SQLite and PostgreSQL alike.
		await knex.schema.createTable('counters', (table) => {
			table.string('name').primary();
			table.bigInteger('next').notNullable();
		});
		await knex.schema.createTable('pages', (table) => {
			// Page ids grow, so new rows are always appended to the end of the primary key.
			table.bigInteger('id').primary();
			table.bigInteger('account_id').notNullable();
			// The creator is the account itself, or a sub-user or property of it.
			table.bigInteger('creator_id').notNullable();
			table.integer('key_id').notNullable();
			table.binary('salt').notNullable();
			table.smallint('count').notNullable();
			table.smallint('live').notNullable();
			table.binary('sealed').notNullable();
			// The job that wrote the page, or the pass if that belongs to no job; null for cards of direct calls.
			table.string('written_by').nullable();
			table.bigInteger('created_at').notNullable();
			table.integer('version').notNullable();
			// The kind of the page: 0 for cards and network tokens, 1 for data blocks. Each kind is listed without opening
			// pages of the other.
			table.smallint('kind').notNullable().defaultTo(0);
			// The generation of the key that created the tokens of the page.
			table.smallint('token_generation').notNullable().defaultTo(1);
			// The index includes `live`, the number of records of a page that were not deleted. So finding a position in a
			// list of ten million tokens reads only the index.
			table.index(['account_id', 'kind', 'id', 'live'], 'pages_by_account_and_kind');
			// The index includes `creator_id`, so that the cards of one user are found without reading pages of others.
			table.index(['account_id', 'kind', 'created_at', 'id', 'creator_id'], 'pages_by_time');
		});
		// Lists the pages that an unfinished attempt has written. The next attempt drops them first.
		await knex.schema.createTable('page_blocks', (table) => {
			table.string('pass_id').notNullable();
			table.bigInteger('first').notNullable();
			table.bigInteger('last').notNullable();
			// The time when the pass began if it belongs to no job; null for an attempt at a job.
			table.bigInteger('begun_at').nullable();
			// The job, if the pass is an attempt at one; null for a pass without a job.
			table.string('job_id').nullable();
			table.primary(['pass_id', 'first']);
			// On SQLite the table has a few rows. On PostgreSQL it also has thousands that were deleted a moment ago.
			if (dialect === 'postgres') table.index(['job_id'], 'page_blocks_by_job');
		});
		await knex.schema.createTable('token_refs', (table) => {
			table.bigInteger('account_id').notNullable();
			table.string('reference').notNullable();
			table.bigInteger('page_id').notNullable();
			table.smallint('slot').notNullable();
			table.primary(['account_id', 'reference', 'page_id', 'slot']);
			table.index(['page_id', 'slot'], 'token_refs_by_page');
		});
		await knex.schema.createTable('associations', (table) => {
			table.bigInteger('page_id').notNullable();
			// The slot of a record; -1 means every slot of the page.
			table.smallint('slot').notNullable();
			table.bigInteger('merchant_id').notNullable();
			table.bigInteger('created_at').notNullable();
			// The seal of the row, a MAC over the columns that grant something, and its key. A row without a seal is refused.
			table.integer('seal_key').nullable();
			table.binary('seal').nullable();
			// The epoch of the association. The page has an epoch too, which increases when an association is revoked, so
			// that associations of earlier epochs become invalid.
			table.integer('epoch').notNullable().defaultTo(0);
			table.primary(['page_id', 'slot', 'merchant_id']);
			table.index(['merchant_id', 'page_id', 'slot'], 'associations_by_merchant');
		});
		await knex.schema.createTable('fingerprints', (table) => {
			table.bigInteger('account_id').notNullable();
			table.binary('fingerprint').notNullable();
			table.bigInteger('page_id').notNullable();
			table.smallint('slot').notNullable();
			// The generation of the account's key under which the fingerprint was computed.
			table.smallint('generation').notNullable().defaultTo(1);
			table.primary(['account_id', 'fingerprint', 'page_id', 'slot']);
			table.index(['page_id', 'slot'], 'fingerprints_by_page');
		});
		await knex.schema.createTable('cvvs', (table) => {
			table.bigInteger('page_id').notNullable();
			table.smallint('slot').notNullable();
			table.bigInteger('account_id').notNullable();
			table.integer('key_id').notNullable();
			table.binary('sealed').notNullable();
			table.bigInteger('ends_at').notNullable();
			table.smallint('delete_card').notNullable();
			// The number of uses that are left. It counts only if the policy names no destinations, because otherwise each
			// destination has a number of its own.
			table.integer('uses_left').notNullable();
			// The seal of the row, a MAC over the columns that grant something, and its key. A row without a seal is refused.
			table.integer('seal_key').nullable();
			table.binary('seal').nullable();
			// The version of the row. The page of the card contains it too, so a row with a lower version is an older one
			// that somebody has put back.
			table.integer('version').notNullable().defaultTo(0);
			table.primary(['page_id', 'slot']);
			table.index(['ends_at'], 'cvvs_by_end');
		});
		await knex.schema.createTable('cvv_destinations', (table) => {
			table.bigInteger('page_id').notNullable();
			table.smallint('slot').notNullable();
			table.string('type').notNullable();
			table.string('data').notNullable();
			table.integer('quota').notNullable();
			table.integer('used').notNullable();
			table.primary(['page_id', 'slot', 'type', 'data']);
		});
		// The table has a row for each different card number that an account looks up in a day. On SQLite the rows are
		// stored in the tree of the primary key, without a second tree.
		await knex.raw(
			`create table elimination_attempts (
				account_id bigint not null, day integer not null, near integer not null, number integer not null,
				primary key (account_id, day, near, number)
			) ${dialect === 'sqlite' ? 'without rowid' : ''}`,
		);
		await knex.schema.createTable('elimination_limits', (table) => {
			table.integer('day').notNullable();
			table.bigInteger('account_id').notNullable();
			table.integer('near').notNullable();
			table.primary(['day', 'account_id', 'near']);
		});
	},
};
