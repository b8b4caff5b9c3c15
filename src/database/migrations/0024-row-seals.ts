import type { Migration } from './migration.ts';

const TABLES = [
	...['accounts', 'api_keys', 'ssh_keys', 'session_tokens', 'wallet_sessions'],
	...['associations', 'cvvs', 'relay_profiles', 'destinations'],
];

export const rowSeals: Migration = {
	name: '0024-row-seals',
	async up(knex) {
		for (const name of TABLES) {
			await knex.schema.alterTable(name, (table) => {
				// A MAC over what the row grants, and the key it was made under. Rows from before this have none until the first
				// start that has the keys; from then on a row without one is refused.
				table.integer('seal_key').nullable();
				table.binary('seal').nullable();
			});
		}
		await knex.schema.alterTable('api_keys', (table) => {
			// Grows when the key is ended or revoked, so that an earlier row of it can be told.
			table.integer('version').notNullable().defaultTo(0);
		});
		await knex.schema.alterTable('cvvs', (table) => {
			// The page counts along: a row that is behind its page was put back.
			table.integer('version').notNullable().defaultTo(0);
		});
		await knex.schema.alterTable('associations', (table) => {
			// The page has one too, which grows when an association is taken back.
			table.integer('epoch').notNullable().defaultTo(0);
		});
		// Credentials that were ended, so that their rows of before do not come to life again.
		await knex.schema.createTable('ended_credentials', (table) => {
			table.string('kind', 16).notNullable();
			table.bigInteger('credential_id').notNullable();
			// With the id, since a database that was put back gives ids anew.
			table.bigInteger('created_at').notNullable();
			// Rows of this version and below are dead.
			table.integer('version').notNullable();
			table.bigInteger('at').notNullable();
			table.integer('seal_key').notNullable();
			table.binary('seal').notNullable();
			table.primary(['kind', 'credential_id', 'created_at']);
			table.index(['at'], 'ended_credentials_by_time');
		});
	},
};
