import type { Migration } from './migration.ts';

export const jobs: Migration = {
	name: '0005-jobs',
	async up(knex) {
		await knex.schema.createTable('jobs', (table) => {
			// The number of the job in the order of acceptance. Ids contain a time too, but the clocks of several daemons
			// differ.
			table.bigIncrements('seq');
			table.string('id').notNullable().unique();
			table.bigInteger('account_id').notNullable();
			table.string('user_id').nullable();
			table.string('operation').notNullable();
			table.string('filter').notNullable();
			table.string('name').notNullable();
			// The options of this job alone, as JSON. They override those of the account and the folder.
			table.text('options').nullable();
			table.string('state').notNullable();
			table.bigInteger('input_id').notNullable();
			table.bigInteger('output_id').nullable();
			table.bigInteger('report_id').nullable();
			table.integer('attempts').notNullable();
			table.string('claimed_by').nullable();
			table.bigInteger('lease_until').nullable();
			table.bigInteger('next_run_at').notNullable();
			table.bigInteger('bytes_read').notNullable();
			table.bigInteger('bytes_total').notNullable();
			table.bigInteger('cards').notNullable();
			table.bigInteger('refused').notNullable();
			table.bigInteger('warned').notNullable();
			// Every count of a finished job, as JSON.
			table.text('summary').nullable();
			table.string('error_reason').nullable();
			table.text('error_message').nullable();
			table.bigInteger('error_offset').nullable();
			table.bigInteger('error_line').nullable();
			table.bigInteger('error_record').nullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('started_at').nullable();
			table.bigInteger('finished_at').nullable();
			table.index(['account_id', 'seq'], 'jobs_by_account');
			table.index(['state', 'finished_at'], 'jobs_by_end');
		});
		await knex.raw(`create index jobs_waiting on jobs (account_id, seq) where state = 'queued'`);
		await knex.raw(`create index jobs_due on jobs (next_run_at) where state = 'queued'`);
		await knex.raw(
			`create index jobs_queued on jobs (account_id, operation, filter, name, seq) where state = 'queued'`,
		);
		// This index keeps two jobs for one name from running at once, even if daemons claim them at the same time.
		await knex.raw(
			`create unique index jobs_running on jobs (account_id, operation, filter, name) where state = 'running'`,
		);
		// Records which scheduled runs a daemon has already claimed.
		await knex.schema.createTable('schedule_runs', (table) => {
			table.string('task').notNullable();
			table.bigInteger('fires_at').notNullable();
			table.string('claimed_by').notNullable();
			table.bigInteger('started_at').notNullable();
			table.bigInteger('finished_at').nullable();
			table.string('outcome').nullable();
			table.primary(['task', 'fires_at']);
		});
	},
};
