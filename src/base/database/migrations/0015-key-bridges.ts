import type { Migration } from './migration.ts';

export const keyBridges: Migration = {
	name: '0015-key-bridges',
	async up(knex) {
		await knex.schema.alterTable('keys', (table) => {
			// For a bridge (an environment key sealed by the one before it), the time when a process that has the former
			// master key last needed it. Null for every other key.
			table.bigInteger('needed_at').nullable();
		});
	},
};
