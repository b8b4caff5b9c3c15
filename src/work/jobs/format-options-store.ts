import type { Knex } from 'knex';
import { deleteRows, firstRow } from '../../base/database/dialect.ts';
import type { AccountId, KeyId } from '../../base/database/ids.ts';
import { queryRows } from '../../base/database/sql.ts';

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
		async find(accountId: AccountId, filter: string): Promise<FormatOptionsRow | undefined> {
			return firstRow(knex('format_options').where({ account_id: accountId, filter }));
		},
		async findAll(accountId: AccountId, filters: readonly string[]): Promise<FormatOptionsRow[]> {
			const sql = `select * from format_options where account_id = ? and filter in (${filters.map(() => '?')})`;
			return queryRows<FormatOptionsRow>(knex, sql, [accountId, ...filters]);
		},
		async put(row: FormatOptionsRow): Promise<void> {
			await knex('format_options').insert(row).onConflict(['account_id', 'filter']).merge();
		},
		async remove(accountId: AccountId, filter: string): Promise<FormatOptionsRow | undefined> {
			const query = knex('format_options').where({ account_id: accountId, filter });
			return (await deleteRows<FormatOptionsRow>(knex, query))[0];
		},
	};
}
