import type { Knex } from 'knex';
import type { AccountId } from '../../base/database/ids.ts';
import { queryRows } from '../../base/database/sql.ts';
import type { RowSeal, RowShape } from '../../base/keys/rows/row-seals.ts';
import { namedRows } from '../../people/identity/accounts/named-rows-store.ts';

export interface FormatOptionsRow extends RowSeal {
	readonly account_id: AccountId;
	readonly filter: string;
	readonly options: string;
	readonly updated_at: number;
}

export const sealedFormatOptions: RowShape = {
	table: 'format_options',
	id: ['account_id', 'filter'],
	columns: ['options', 'updated_at'],
	freshness: { by: 'ended-rows', generation: 'updated_at' },
};

export function formatOptionsStore(knex: Knex) {
	return {
		...namedRows<FormatOptionsRow>(knex, 'format_options', 'filter'),
		async findAll(accountId: AccountId, filters: readonly string[]): Promise<FormatOptionsRow[]> {
			const sql = `select * from format_options where account_id = ? and filter in (${filters.map(() => '?')})`;
			return queryRows<FormatOptionsRow>(knex, sql, [accountId, ...filters]);
		},
	};
}
