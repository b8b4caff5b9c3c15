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
				// The seal, a MAC over the columns that grant something, and the key under which it was computed. Rows that
				// are older than this migration have no seal until a daemon first starts after it; from then on, a row
				// without a seal is refused.
				table.integer('seal_key').nullable();
				table.binary('seal').nullable();
			});
		}
		await knex.schema.alterTable('api_keys', (table) => {
			// Increases when the key is ended or revoked, so that an older copy of the row is recognised.
			table.integer('version').notNullable().defaultTo(0);
		});
		await knex.schema.alterTable('cvvs', (table) => {
			// The version of the row. The page of the card contains it too, so a row with a lower version is an older one
			// that somebody has put back.
			table.integer('version').notNullable().defaultTo(0);
		});
		await knex.schema.alterTable('associations', (table) => {
			// The epoch of the association. The page has an epoch too, which increases when an association is revoked, so
			// that associations of earlier epochs become invalid.
			table.integer('epoch').notNullable().defaultTo(0);
		});
		// Lists credentials that were ended, so that older copies of their rows do not work again.
		await knex.schema.createTable('ended_credentials', (table) => {
			table.string('kind', 16).notNullable();
			table.bigInteger('credential_id').notNullable();
			// The creation time is stored with the id, because a restored database gives out the same ids again.
			table.bigInteger('created_at').notNullable();
			// If the row of this credential has this version or a lower one, it is an older copy and invalid.
			table.integer('version').notNullable();
			table.bigInteger('at').notNullable();
			table.integer('seal_key').notNullable();
			table.binary('seal').notNullable();
			table.primary(['kind', 'credential_id', 'created_at']);
			table.index(['at'], 'ended_credentials_by_time');
		});
	},
};
