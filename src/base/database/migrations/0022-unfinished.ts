import type { Migration } from './migration.ts';

export const unfinished: Migration = {
	name: '0022-unfinished.expand',
	async up(knex) {
		// This index contains the few uploads that wait to be resumed. Pages of the portal list those of an account.
		await knex.raw(
			`create index drop_files_unfinished on drop_files (account_id, modified_at) where state = 'partial'`,
		);
	},
};
