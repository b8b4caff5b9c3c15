import { byteOrdered } from '../dialect.ts';
import type { Migration } from './migration.ts';

export const children: Migration = {
	name: '0037-children.expand',
	async up(knex, dialect) {
		// Lists the sub-users and properties of an account by their user IDs, however many it has.
		const userId = byteOrdered(dialect, 'user_id');
		await knex.raw(`create index accounts_by_parent_and_user on accounts (parent_id, ${userId})`);
	},
};

export const childrenOnly: Migration = {
	name: '0039-children.contract',
	async up(knex) {
		// `accounts_by_parent_and_user` serves what this index served.
		await knex.raw('drop index accounts_by_parent');
	},
};
