import type { Migration } from './migration.ts';

export const portalJobs: Migration = {
	name: '0059-portal-jobs',
	async up(knex) {
		// These indexes list the jobs of an account page by page: the failed ones, those with refused cards, and those of a
		// folder. The first two contain only such jobs, so storing any other job takes no more time because of them.
		await knex.raw(`create index jobs_failed on jobs (account_id, seq) where state = 'failed'`);
		await knex.raw('create index jobs_refused on jobs (account_id, seq) where refused > 0');
		await knex.schema.alterTable('jobs', (table) => table.index(['account_id', 'filter', 'seq'], 'jobs_by_folder'));
	},
};
