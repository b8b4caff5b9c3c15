import type { Migration } from './migration.ts';

export const idempotentEffects: Migration = {
	name: '0016-idempotent-effects',
	async up(knex) {
		await knex.schema.alterTable('idempotency_keys', (table) => {
			// What the call has made, a token or a job, written with it; or that it has begun to be sent to a third party.
			table.string('made', 64).nullable();
		});
	},
};
