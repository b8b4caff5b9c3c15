import type { Migration } from './migration.ts';

export const cardViews: Migration = {
	name: '0048-card-views',
	async up(knex) {
		await knex.schema.createTable('card_views', (table) => {
			table.string('id', 26).primary();
			// An HMAC of the secret in the URL of the page.
			table.string('hash', 64).notNullable().unique();
			table.bigInteger('account_id').notNullable();
			table.bigInteger('owner_id').notNullable();
			table.bigInteger('api_key_id').notNullable();
			table.string('card_token', 32).notNullable();
			// The kind of the view: `display` for a page that the account opens for itself, `once` for a link that works
			// once.
			table.string('kind', 8).notNullable();
			table.boolean('shows_cvv').notNullable();
			table.string('language', 35).nullable();
			// An HMAC of the code that must be entered after opening a link, and the number of attempts to enter it.
			table.string('code_hash', 64).nullable();
			table.integer('tries').notNullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('expires_at').notNullable();
			// The time when a link was used or had too many attempts; null until then.
			table.bigInteger('ended_at').nullable();
			table.integer('seal_key').notNullable();
			table.binary('seal').notNullable();
			table.index(['expires_at'], 'card_views_by_expiry');
			table.index(['account_id'], 'card_views_by_account');
		});
	},
};
