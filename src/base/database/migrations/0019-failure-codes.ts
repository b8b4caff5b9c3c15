import type { Migration } from './migration.ts';

export const failureCodes: Migration = {
	name: '0019-failure-codes.expand',
	async up(knex) {
		await knex.schema.alterTable('jobs', (table) => {
			// Why the job failed, as a code with its parameters, which are JSON; null for a job that failed before there were any.
			table.string('error_code', 40).nullable();
			table.text('error_parameters').nullable();
		});
	},
};
