import type { Knex } from 'knex';
import { deleteRows } from '../../../base/database/dialect.ts';
import type { AccountId, KeyId } from '../../../base/database/ids.ts';

/** What the directory of an account says of a user. */
export interface DirectoryRow {
	readonly user_id: number;
	readonly account_id: AccountId;
	readonly external_id: string | null;
	readonly profile: string;
	readonly created_at: number;
	readonly seal_key: KeyId;
	readonly seal: Buffer;
}

export function directoryStore(knex: Knex) {
	const rows = () => knex<DirectoryRow>('portal_directory');
	return {
		async put(row: DirectoryRow): Promise<void> {
			await rows()
				.insert(row as never)
				.onConflict('user_id')
				.merge();
		},
		async find(userId: number): Promise<DirectoryRow | undefined> {
			return rows().where({ user_id: userId }).first();
		},
		async listByExternalId(accountId: AccountId, externalId: string): Promise<DirectoryRow[]> {
			return rows().where({ account_id: accountId, external_id: externalId }).orderBy('user_id').limit(10);
		},
		async list(accountId: AccountId, limit: number): Promise<DirectoryRow[]> {
			return rows().where({ account_id: accountId }).limit(limit);
		},
		async remove(userId: number): Promise<DirectoryRow[]> {
			return deleteRows(knex, rows().where({ user_id: userId }));
		},
	};
}
