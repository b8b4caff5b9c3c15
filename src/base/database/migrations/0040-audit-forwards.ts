import type { Migration } from './migration.ts';

export const auditForwards: Migration = {
	name: '0040-audit-forwards',
	async up(knex) {
		// Records, for each external system that receives the audit trail, the number of the last entry that was sent
		// to it.
		await knex.schema.createTable('audit_forwards', (table) => {
			table.string('address', 512).primary();
			table.bigInteger('seq').notNullable();
			table.string('leased_by').nullable();
			table.bigInteger('leased_until').notNullable();
		});
	},
};
