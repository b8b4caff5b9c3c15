import type { Migration } from './migration.ts';

export const attemptPasses: Migration = {
	name: '0062-attempt-passes',
	async up(knex, dialect) {
		// Each attempt at a job is a pass of its own, whose id is in `job_id`. `of_job` is the job then; it is null for a pass
		// without a job, and for attempts before this migration, which have the id of the job in `job_id`.
		await knex.schema.alterTable('page_blocks', (table) => {
			table.string('of_job').nullable();
			// On SQLite the table has a few rows. On PostgreSQL it also has thousands that were deleted a moment ago.
			if (dialect === 'postgres') table.index(['of_job'], 'page_blocks_by_job');
		});
	},
};
