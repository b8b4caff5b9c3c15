import type { Migration } from './migration.ts';

export const lonePasses: Migration = {
	name: '0043-lone-passes',
	async up(knex) {
		// When a pass began that is no job; null for pages of a job. `job_id` holds the id of the pass in both cases.
		await knex.schema.alterTable('page_blocks', (table) => {
			table.bigInteger('begun_at').nullable();
		});
		// One that is under way began before now, and so has the whole time that is allowed still ahead of it.
		await knex('page_blocks')
			.whereNotExists(knex('jobs').select(knex.raw('1')).whereRaw('jobs.id = page_blocks.job_id'))
			.update({ begun_at: Date.now() });
	},
};
