import type { Migration } from './migration.ts';

/**
 * Keys that are older than this migration are assumed to have sealed this many values, because their seals were not
 * counted.
 */
const TAKEN_FOR = 2 ** 29;

export const keyPeriods: Migration = {
	name: '0025-key-periods',
	async up(knex) {
		await knex.schema.alterTable('keys', (table) => {
			// The number of values that processes may have sealed under the key, reserved in blocks in advance.
			table.bigInteger('seals').notNullable().defaultTo(0);
			// The time when the next generation was created; null for a key that still seals.
			table.bigInteger('superseded_at').nullable();
		});
		await knex('keys').update({ seals: TAKEN_FOR });
		await knex('keys').where({ state: 'superseded' }).update({ superseded_at: Date.now() });
	},
};
