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
			// Counts numbers that look like cards outside the card fields.
			table.bigInteger('other_numbers').notNullable().defaultTo(0);
			table.bigInteger('other_codes').notNullable().defaultTo(0);
			// The reason why the last failed attempt failed. It stays when a later attempt succeeds.
			table.string('last_reason').nullable();
			table.text('last_message').nullable();
			table.bigInteger('last_failed_at').nullable();
			// The seal of the row, a MAC over the columns that grant something, and its key. A row without a seal is refused.
			table.integer('seal_key').nullable();
			table.binary('seal').nullable();
			// How many attempts ended because their process or thread died, and in how many of them no other job ran beside.
			table.integer('crashes').notNullable().defaultTo(0);
			table.integer('crashes_alone').notNullable().defaultTo(0);
			table.index(['account_id', 'seq'], 'jobs_by_account');
			table.index(['state', 'finished_at'], 'jobs_by_end');
			// This index serves the check whether a newer upload of the same name was accepted.
			table.index(['account_id', 'filter', 'name', 'seq'], 'jobs_by_name');
			// This index finds the jobs of a day.
			table.index(['created_at'], 'jobs_by_acceptance');
			table.index(['account_id', 'filter', 'seq'], 'jobs_by_folder');
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
		// These indexes list the jobs of an account page by page: the failed ones, those with refused cards, and those of a
		// folder. The first two contain only such jobs, so storing any other job takes no more time because of them.
		await knex.raw(`create index jobs_failed on jobs (account_id, seq) where state = 'failed'`);
		await knex.raw('create index jobs_refused on jobs (account_id, seq) where refused > 0');
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
		await knex.schema.createTable('format_options', (table) => {
			table.bigInteger('account_id').notNullable();
			// The filter of the options; `*` stands for every filter of the account.
			table.string('filter').notNullable();
			table.text('options').notNullable();
			table.bigInteger('updated_at').notNullable();
			// The seal of the row, a MAC over the columns that grant something, and its key. A row without a seal is refused.
			table.integer('seal_key').nullable();
			table.binary('seal').nullable();
			table.primary(['account_id', 'filter']);
		});
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
		await knex.raw(`create index schedule_runs_failed on schedule_runs (started_at) where outcome = 'failed'`);
	},
};
