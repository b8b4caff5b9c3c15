import type { Migration } from './migration.ts';

export const jobHistory: Migration = {
	name: '0033-job-history',
	async up(knex) {
		await knex.schema.alterTable('jobs', (table) => {
			table.bigInteger('other_codes').notNullable().defaultTo(0);
			// The reason why the last failed attempt failed. It stays when a later attempt succeeds.
			table.string('last_reason').nullable();
			table.text('last_message').nullable();
			table.bigInteger('last_failed_at').nullable();
			// This index finds the jobs of a day.
			table.index(['created_at'], 'jobs_by_acceptance');
		});
		// Records who read an output. The rows are removed together with the job.
		await knex.schema.createTable('job_fetches', (table) => {
			table.string('job_id').notNullable();
			table.string('user_id').notNullable();
			table.string('door').notNullable();
			table.integer('times').notNullable();
			table.bigInteger('first_at').notNullable();
			table.bigInteger('last_at').notNullable();
			table.primary(['job_id', 'user_id', 'door']);
			table.index(['last_at'], 'job_fetches_by_time');
		});
	},
};
