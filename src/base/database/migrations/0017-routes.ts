import type { Migration } from './migration.ts';

export const routes: Migration = {
	name: '0017-routes.expand',
	async up(knex) {
		await knex.schema.alterTable('jobs', (table) => {
			// The route that has collected the file; null for an upload.
			table.string('route_id', 26).nullable();
		});
		await knex.schema.createTable('routes', (table) => {
			table.bigInteger('account_id').notNullable();
			table.string('name', 64).notNullable();
			// The id under which ledger and history belong to the route. It stays when the document changes.
			table.string('id', 26).notNullable().unique();
			// The document as JSON.
			table.text('document').notNullable();
			// Options of the format that override those of the document, because of the permissions of who put it; as JSON.
			table.text('own_options').nullable();
			table.boolean('paused').notNullable();
			// Why the route is stopped until somebody resumes it; null while it is not.
			table.text('stopped_reason').nullable();
			// Counts the logins that failed in a row.
			table.integer('failed_logins').notNullable().defaultTo(0);
			// Counts the runs in a row that could not reach an end of the route.
			table.integer('failed_runs').notNullable().defaultTo(0);
			// When the route runs next by its times; null without times.
			table.bigInteger('next_run_at').nullable();
			// When the route runs again after a failure, or looks again at files that came; null for neither.
			table.bigInteger('retry_at').nullable();
			table.bigInteger('last_run_at').nullable();
			table.string('last_outcome', 8).nullable();
			table.bigInteger('last_success_at').nullable();
			// Counts the files of the route, for the placeholder {seq}.
			table.bigInteger('files').notNullable().defaultTo(0);
			// When the missing-file alarm looks next; the beginning of the time that it looks at; since when it is raised.
			table.bigInteger('expect_at').nullable();
			table.bigInteger('expect_from').nullable();
			table.bigInteger('missing_since').nullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('updated_at').notNullable();
			// The seal of the row, a MAC over the columns that grant something, and its key. A row without a seal is refused.
			table.integer('seal_key').nullable();
			table.binary('seal').nullable();
			table.primary(['account_id', 'name']);
			table.index(['next_run_at'], 'routes_due');
			table.index(['retry_at'], 'routes_again');
			table.index(['expect_at'], 'routes_expecting');
		});
		// The ledger: what became of each file that a route has seen.
		await knex.schema.createTable('route_files', (table) => {
			table.bigIncrements('id');
			table.string('route_id', 26).notNullable();
			// The path below the source, before the file was moved.
			table.text('path').notNullable();
			table.bigInteger('size').notNullable();
			table.bigInteger('modified_at').notNullable();
			table.string('state', 8).notNullable();
			// When the file was first seen with this size and time.
			table.bigInteger('seen_at').notNullable();
			// The hash of the content, once it was read.
			table.string('sha256', 64).nullable();
			table.string('run_id', 26).nullable();
			table.integer('tries').notNullable().defaultTo(0);
			table.bigInteger('next_try_at').nullable();
			table.text('reason').nullable();
			// The number of the file within its route, and when it was claimed, for the placeholders.
			table.bigInteger('seq').nullable();
			table.bigInteger('claimed_at').nullable();
			// Where the file is at the source now, if it was moved.
			table.text('moved_to').nullable();
			// What was collected: the job, or the sealed file if nothing is done with it.
			table.string('job_id', 26).nullable();
			table.bigInteger('held_id').nullable();
			// The name, size and hash with which the file is about to be named at its target, as JSON.
			table.text('intent').nullable();
			table.text('delivered_as').nullable();
			table.bigInteger('delivered_at').nullable();
			table.bigInteger('ended_at').nullable();
			table.unique(['route_id', 'path', 'size', 'modified_at'], { indexName: 'route_files_by_path' });
			table.index(['route_id', 'ended_at'], 'route_files_by_end');
		});
		// These indexes contain the few files that are under way or given up.
		await knex.raw(`create index route_files_claimed on route_files (route_id, next_try_at) where state = 'claimed'`);
		await knex.raw(`create index route_files_dead on route_files (route_id) where state = 'dead'`);
		await knex.schema.createTable('route_runs', (table) => {
			table.string('id', 26).primary();
			table.string('route_id', 26).notNullable();
			table.bigInteger('account_id').notNullable();
			// What began the run: cron, every, arrival, hand, http or missed.
			table.string('trigger', 8).notNullable();
			table.string('state', 8).notNullable();
			table.text('reason').nullable();
			table.bigInteger('started_at').notNullable();
			table.bigInteger('ended_at').nullable();
			// The daemon that carries the run out, and until when it has it without a sign of life.
			table.string('claimed_by').nullable();
			table.bigInteger('lease_until').nullable();
			table.index(['route_id', 'id'], 'route_runs_by_route');
			table.index(['ended_at'], 'route_runs_by_end');
		});
		// A route has one run at a time, even if several daemons begin one at the same moment.
		await knex.raw(`create unique index route_runs_running on route_runs (route_id) where state = 'running'`);
		// What became of each file in each run.
		await knex.schema.createTable('route_run_files', (table) => {
			table.string('run_id', 26).notNullable();
			table.text('path').notNullable();
			table.bigInteger('size').notNullable();
			table.string('state', 10).notNullable();
			table.text('reason').nullable();
			table.string('job_id', 26).nullable();
			table.bigInteger('cards').nullable();
			table.bigInteger('refused').nullable();
			table.text('delivered_as').nullable();
			table.integer('tries').notNullable();
			table.primary(['run_id', 'path']);
		});
	},
};
