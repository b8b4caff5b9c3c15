import type { Migration } from './migration.ts';

export const trailPages: Migration = {
	name: '0026-trail-pages.expand',
	async up(knex) {
		await knex.schema.alterTable('audit', (table) => {
			// The page of the vault that has the card of the subject. A token has no order, so an index over the tokens of all
			// entries changes one of its pages for each entry; an index over the pages of cards grows at its end.
			table.bigInteger('page_id').nullable();
		});
		await knex.raw('create index audit_by_thing on audit (subject, seq) where page_id is null');
		await knex.raw('create index audit_by_page on audit (page_id, seq) where page_id is not null');
	},
};

export const trailPagesOnly: Migration = {
	name: '0027-trail-pages.contract',
	async up(knex) {
		// `audit_by_thing` and `audit_by_page` serve what it served.
		await knex.raw('drop index audit_by_subject');
	},
};
