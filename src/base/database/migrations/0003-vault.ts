import type { Migration } from './migration.ts';

export const vault: Migration = {
	name: '0003-vault',
	async up(knex) {
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
			table.string('job_id').nullable();
			table.bigInteger('created_at').notNullable();
			table.integer('version').notNullable();
			// The index includes `live`, the number of records of a page that were not deleted. So finding a position in a
			// list of ten million tokens reads only the index.
			table.index(['account_id', 'id', 'live'], 'pages_by_account');
		});
		// Lists the pages that an unfinished attempt has written. The next attempt drops them first.
		await knex.schema.createTable('page_blocks', (table) => {
			table.string('job_id').notNullable();
			table.bigInteger('first').notNullable();
			table.bigInteger('last').notNullable();
			table.primary(['job_id', 'first']);
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
			table.primary(['page_id', 'slot', 'merchant_id']);
			table.index(['merchant_id', 'page_id', 'slot'], 'associations_by_merchant');
		});
		await knex.schema.createTable('fingerprints', (table) => {
			table.bigInteger('account_id').notNullable();
			table.binary('fingerprint').notNullable();
			table.bigInteger('page_id').notNullable();
			table.smallint('slot').notNullable();
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
	},
};
