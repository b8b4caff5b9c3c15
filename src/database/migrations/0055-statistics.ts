import type { Migration } from './migration.ts';

export const statistics: Migration = {
	name: '0055-statistics',
	async up(knex, dialect) {
		// Counts of an hour (span 0) or a day (span 1) by account and by what was counted; account 0 is all of them together.
		// Periods come first in the key, so that old ones are removed as one range.
		await knex.raw(`create table statistics (
			span smallint not null, at bigint not null, account_id bigint not null, what varchar(64) not null,
			count bigint not null, primary key (span, at, account_id, what)
		)${dialect === 'sqlite' ? ' without rowid' : ''}`);
		// This single row says up to which entry of the audit trail the counts go.
		await knex.schema.createTable('statistics_cursor', (table) => {
			table.integer('id').primary();
			table.bigInteger('seq').notNullable();
		});
		await knex.schema.alterTable('accounts', (table) => {
			// Of the used units, these are counted already.
			table.bigInteger('allowance_counted').notNullable().defaultTo(0);
		});
		await knex('accounts').update({ allowance_counted: knex.ref('allowance_used') });
	},
};
