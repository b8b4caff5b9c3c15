import type { Knex } from 'knex';
import type { AccountId } from '../../../base/database/ids.ts';

export interface StyleRow {
	readonly account_id: AccountId;
	readonly name: string;
	readonly css: string;
	readonly changed_at: number;
}

/** Returns methods for the table `form_styles`; each runs a single SQL statement. */
export function styleStore(knex: Knex) {
	const rows = () => knex<StyleRow>('form_styles');
	return {
		async find(accountId: AccountId, name: string): Promise<StyleRow | undefined> {
			return rows().where({ account_id: accountId, name }).first();
		},
		async list(accountId: AccountId): Promise<StyleRow[]> {
			return rows().where({ account_id: accountId }).orderBy('name');
		},
		async put(row: StyleRow): Promise<void> {
			await rows().insert(row).onConflict(['account_id', 'name']).merge();
		},
		async remove(accountId: AccountId, name: string): Promise<boolean> {
			return (await rows().where({ account_id: accountId, name }).delete()) === 1;
		},
	};
}
