import type { Migration } from './migration.ts';

export const formResults: Migration = {
	name: '0061-form-results',
	async up(knex, dialect) {
		// `hash` is the hash of the form, as in `card_forms`; `token` is the token that the form has stored, and
		// `stored_at` the time when it did. On SQLite the rows are stored in the tree of the primary key, so that a
		// submission changes one page of the file and not two.
		await knex.raw(`create table form_results (
			hash varchar(64) not null primary key, token varchar(32) not null, stored_at bigint not null
		)${dialect === 'sqlite' ? ' without rowid' : ''}`);
		await knex.raw(`insert into form_results (hash, token, stored_at)
			select hash, token, stored_at from card_forms where token is not null`);
		await knex.schema.alterTable('card_forms', (table) => {
			table.dropColumn('token');
			table.dropColumn('stored_at');
		});
	},
};
