import type { Migration } from './migration.ts';

export const directoryGroups: Migration = {
	name: '0030-directory-groups.expand',
	async up(knex) {
		await knex.schema.createTable('portal_groups', (table) => {
			table.increments('id');
			table.bigInteger('account_id').notNullable();
			// The name that people see in the directory. A rule names a group by it, so no two groups of an account share one.
			table.string('name', 255).notNullable();
			// How the directory itself calls the group; null if it has no name of its own for it.
			table.string('external_id', 255).nullable();
			// Grows with every change of the row.
			table.bigInteger('created_at').notNullable();
			table.integer('seal_key').nullable();
			table.binary('seal').nullable();
			table.unique(['account_id', 'name'], { indexName: 'portal_groups_by_name' });
		});
		await knex.schema.createTable('portal_memberships', (table) => {
			table.bigInteger('user_id').primary();
			table.bigInteger('account_id').notNullable();
			// The ids of the groups in which the user is, as a JSON array.
			table.text('group_ids').notNullable();
			// The role that the groups gave last, or a viewer's. A user who has another one got it from people.
			table.string('given_role', 16).notNullable();
			// Grows with every change of the row.
			table.bigInteger('created_at').notNullable();
			table.integer('seal_key').notNullable();
			table.binary('seal').notNullable();
			table.index(['account_id'], 'portal_memberships_by_account');
		});
	},
};
