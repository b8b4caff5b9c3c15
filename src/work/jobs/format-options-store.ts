import type { Knex } from 'knex';
import type { AccountId, KeyId } from '../../base/database/ids.ts';
import { queryRows } from '../../base/database/sql.ts';
import { namedRows } from '../../people/identity/accounts/named-rows-store.ts';

export interface FormatOptionsRow {
	readonly account_id: AccountId;
	readonly filter: string;
	/** The format options, as JSON. */
	readonly options: string;
	readonly updated_at: number;
	readonly seal_key: KeyId | null;
	readonly seal: Buffer | null;
}

export function formatOptionsStore(knex: Knex) {
	return {
		...namedRows<FormatOptionsRow>(knex, 'format_options', 'filter'),
		async findAll(accountId: AccountId, filters: readonly string[]): Promise<FormatOptionsRow[]> {
			const sql = `select * from format_options where account_id = ? and filter in (${filters.map(() => '?')})`;
			return queryRows<FormatOptionsRow>(knex, sql, [accountId, ...filters]);
		},
	};
}
