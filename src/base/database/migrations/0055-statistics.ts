import type { Migration } from './migration.ts';

export const statistics: Migration = {
	name: '0055-statistics',
	async up(knex, dialect) {
		// Holds counts of an hour (span 0) or a day (span 1) by account and by the thing that was counted; account 0 stands
		// for all accounts together. Periods come first in the key, so that old ones are removed as one range.
		await knex.raw(`create table statistics (
			span smallint not null, at bigint not null, account_id bigint not null, what varchar(64) not null,
			count bigint not null, primary key (span, at, account_id, what)
		)${dialect === 'sqlite' ? ' without rowid' : ''}`);
		// This table has a single row with the number of the last audit entry that is included in the counts.
		await knex.schema.createTable('statistics_cursor', (table) => {
			table.integer('id').primary();
			table.bigInteger('seq').notNullable();
		});
		await knex.schema.alterTable('accounts', (table) => {
			// The number of used units that are already included in the statistics.
			table.bigInteger('allowance_counted').notNullable().defaultTo(0);
		});
		await knex('accounts').update({ allowance_counted: knex.ref('allowance_used') });
	},
};
