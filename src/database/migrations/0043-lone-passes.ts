import type { Migration } from './migration.ts';

export const lonePasses: Migration = {
	name: '0043-lone-passes',
	async up(knex) {
		// The time when a pass began that belongs to no job; null for pages of a job. `job_id` holds the id of the pass in
		// both cases.
		await knex.schema.alterTable('page_blocks', (table) => {
			table.bigInteger('begun_at').nullable();
		});
		// The beginning of passes in progress is not known, so they count as begun now. So each still has the full time in
		// which a pass must end.
		await knex('page_blocks')
			.whereNotExists(knex('jobs').select(knex.raw('1')).whereRaw('jobs.id = page_blocks.job_id'))
			.update({ begun_at: Date.now() });
	},
};
