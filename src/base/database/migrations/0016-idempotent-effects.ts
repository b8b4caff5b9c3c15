import type { Migration } from './migration.ts';

export const idempotentEffects: Migration = {
	name: '0016-idempotent-effects',
	async up(knex) {
		await knex.schema.alterTable('idempotency_keys', (table) => {
			// The token or job that the call has created, written together with it; or a note that sending to a third party
			// has begun.
			table.string('made', 64).nullable();
		});
	},
};
