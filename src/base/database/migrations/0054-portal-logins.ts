import type { Migration } from './migration.ts';

export const portalLogins: Migration = {
	name: '0054-portal-logins',
	async up(knex) {
		await knex.schema.createTable('portal_logins', (table) => {
			table.bigIncrements('id');
			table.bigInteger('user_id').notNullable();
			table.bigInteger('account_id').nullable();
			table.bigInteger('at').notNullable();
			table.string('address', 64).notNullable();
			table.string('agent', 255).notNullable();
			// The means by which the person tried to log in: `password`, `app`, `passkey`, `recovery` or `link`.
			table.string('way', 16).notNullable();
			// The result of the login: `in`, `wrong`, `locked` or `blocked`.
			table.string('result', 16).notNullable();
			table.index(['user_id', 'id'], 'portal_logins_by_user');
			table.index(['at'], 'portal_logins_by_time');
			table.index(['account_id'], 'portal_logins_by_account');
		});
	},
};
