import type { Migration } from './migration.ts';

export const drops: Migration = {
	name: '0004-drops',
	async up(knex) {
		// What each account sees in its folders; the bytes are sealed blobs, known by id.
		await knex.schema.createTable('drop_files', (table) => {
			table.bigIncrements('id');
			table.bigInteger('account_id').notNullable();
			table.string('area').notNullable();
			table.string('filter').notNullable();
			table.string('name').notNullable();
			table.string('blob_id').notNullable().unique();
			// Clear bytes; of an upload under way what was received when its writer last paused.
			table.bigInteger('size').notNullable();
			table.string('state').notNullable();
			// User id of whoever uploaded it; null for what a job made.
			table.string('created_by').nullable();
			table.string('job_id').nullable();
			// Fences uploads: only the writer named here may accept the file.
			table.string('writer').nullable();
			// The daemon the upload goes through, and until when it is taken for alive.
			table.string('held_by').nullable();
			table.bigInteger('held_until').nullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('modified_at').notNullable();
			table.index(['account_id', 'area', 'filter', 'name', 'id'], 'drop_files_by_name');
			table.index(['state', 'modified_at'], 'drop_files_by_age');
		});
		// One name, one file; only accepted inputs may queue behind others of their name.
		await knex.raw(
			`create unique index drop_files_visible on drop_files (account_id, area, filter, name)
			where state in ('partial', 'receiving', 'ready')`,
		);
	},
};
