import type { Migration } from './migration.ts';

export const endedRows: Migration = {
	name: '0065-ended-rows',
	async up(knex, dialect) {
		// Says of sealed rows that were changed or removed which versions of them are invalid, so that an older copy that
		// somebody puts back does not work.
		await knex.schema.createTable('ended_rows', (table) => {
			// The table of the row, and its primary key or a hash of it.
			table.string('name', 64).notNullable();
			table.string('row_id', 64).notNullable();
			// Versions with a lower generation are invalid.
			table.bigInteger('generation').notNullable();
			// The time after which the row is invalid anyway; null if there is none.
			table.bigInteger('needed_until').nullable();
			table.bigInteger('at').notNullable();
			table.integer('seal_key').notNullable();
			table.binary('seal').notNullable();
			table.primary(['name', 'row_id']);
			table.index(['at'], 'ended_rows_by_time');
			table.index(['needed_until'], 'ended_rows_by_need');
		});
		// Increases with every change of the row. The seals of older rows do not cover it until a daemon first starts
		// after this migration.
		for (const name of ['accounts', 'ssh_keys']) {
			await knex.schema.alterTable(name, (table) => {
				table.bigInteger('generation').notNullable().defaultTo(0);
			});
		}
		// The generations of these rows become times in milliseconds. SQLite stores integers of any size anyway.
		if (dialect === 'sqlite') return;
		const columns = [
			['api_keys', 'version'],
			['portal_users', 'version'],
			['portal_links', 'user_version'],
			['portal_sessions', 'user_version'],
		];
		for (const [table, column] of columns)
			await knex.raw('alter table ?? alter column ?? type bigint', [table, column]);
	},
};
