import type { Migration } from './migration.ts';

export const lonePasses: Migration = {
	name: '0043-lone-passes',
	async up(knex) {
		// For a pass that belongs to no job, the time when it began; null for the pages of a job. `job_id` holds the id of
		// the pass in both cases.
		await knex.schema.alterTable('page_blocks', (table) => {
			table.bigInteger('begun_at').nullable();
		});
		// Nobody knows when the passes in progress began, so the present time is stored. Each of them then still has the
		// full time in which a pass must end.
		await knex('page_blocks')
			.whereNotExists(knex('jobs').select(knex.raw('1')).whereRaw('jobs.id = page_blocks.job_id'))
			.update({ begun_at: Date.now() });
	},
};
