import type { Migration } from './migration.ts';

export const drops: Migration = {
	name: '0004-drops',
	async up(knex) {
		// Describes the files that each account sees in its folders. Their bytes are sealed blobs, found by id.
		await knex.schema.createTable('drop_files', (table) => {
			table.bigIncrements('id');
			table.bigInteger('account_id').notNullable();
			table.string('area').notNullable();
			table.string('filter').notNullable();
			table.string('name').notNullable();
			table.string('blob_id').notNullable();
			// The number of bytes before sealing; for an upload in progress, the size when its writer last paused.
			table.bigInteger('size').notNullable();
			table.string('state').notNullable();
			// The user id of the uploader; null for a file that a job has written.
			table.string('created_by').nullable();
			table.string('job_id').nullable();
			// The id of the upload's writer: only this writer may accept the file.
			table.string('writer').nullable();
			// The daemon that receives the upload, and the time until which it is considered alive.
			table.string('held_by').nullable();
			table.bigInteger('held_until').nullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('modified_at').notNullable();
			table.bigInteger('expires_at').nullable();
			// The client has shown that its file reaches to this offset, but the bytes from `size` on did not arrive. It is null
			// if no such bytes are known.
			table.bigInteger('missing_to').nullable();
			table.index(['account_id', 'area', 'filter', 'name', 'id'], 'drop_files_by_name');
			table.index(['state', 'modified_at'], 'drop_files_by_age');
			// A blob id is not unique, because the latest report of a name has two entries that share one blob.
			table.index(['blob_id'], 'drop_files_by_blob');
			// Before an upload, the stored size of an account is summed from this index alone.
			table.index(['account_id', 'size'], 'drop_files_by_account');
		});
		// In a folder, a name belongs to one file. Only accepted inputs may wait in a queue under the same name.
		await knex.raw(
			`create unique index drop_files_visible on drop_files (account_id, area, filter, name)
			where state in ('partial', 'receiving', 'ready')`,
		);
		// This index is read every minute; it is small, because few files have an expiry.
		await knex.raw('create index drop_files_by_expiry on drop_files (expires_at) where expires_at is not null');
		await knex.schema.createTable('small_blobs', (table) => {
			table.string('id', 26).primary();
			table.binary('bytes').notNullable();
			table.bigInteger('modified_at').notNullable();
		});
	},
};
