import { byteOrdered } from '../dialect.ts';
import type { Migration } from './migration.ts';

export const search: Migration = {
	name: '0020-search.expand',
	async up(knex, dialect) {
		// These indexes find what begins with a typed text. On PostgreSQL they are ordered by bytes, because in the order of a
		// language not all texts with the same beginning stand together.
		const column = (name: string) => byteOrdered(dialect, name);
		await knex.raw(`create index jobs_by_typed_name on jobs (account_id, ${column('name')}, seq)`);
		await knex.raw(`create index portal_users_by_name on portal_users (account_id, ${column('name')})`);
		// On SQLite the primary key serves.
		if (dialect === 'postgres') {
			await knex.raw(
				`create index token_refs_by_text on token_refs (account_id, ${column('reference')}, page_id, slot)`,
			);
		}
	},
};
