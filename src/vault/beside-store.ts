import type { Knex } from 'knex';
import type { Dialect } from '../base/database/dialect.ts';
import { queryRows } from '../base/database/sql.ts';
import type { CvvDestinationRow, CvvRow } from './cvvs/cvv-store.ts';
import type { AssociationRow } from './tokens/association-store.ts';

/**
 * A row that is stored beside a record or beside its whole page: a reference, an associated merchant, a CVV, or a
 * destination of a CVV. It also has the columns of the other tables, which are null.
 */
export type BesideRow = { readonly page_id: number; readonly slot: number } & (
	| { readonly what: 'reference'; readonly reference: string }
	| ({ readonly what: 'merchant' } & AssociationRow)
	| ({ readonly what: 'cvv' } & CvvRow)
	| ({ readonly what: 'destination' } & CvvDestinationRow)
);

/** The columns of the four tables, with the type that each has where it is null. */
const COLUMNS = {
	reference: 'text',
	type: 'text',
	data: 'text',
	quota: 'bigint',
	used: 'bigint',
	merchant_id: 'bigint',
	epoch: 'bigint',
	account_id: 'bigint',
	key_id: 'bigint',
	ends_at: 'bigint',
	delete_card: 'bigint',
	uses_left: 'bigint',
	version: 'bigint',
	sealed: 'bytea',
	seal_key: 'bigint',
	seal: 'bytea',
} as const;

type Column = keyof typeof COLUMNS;

function partOf(what: BesideRow['what'], table: string, own: readonly Column[], isWanted: string): string {
	const all = Object.entries(COLUMNS) as [Column, string][];
	const columns = all.map(([name, type]) => (own.includes(name) ? name : `cast(null as ${type}) as ${name}`));
	return `select page_id, slot, '${what}' as what, ${columns.join(', ')} from ${table} where ${isWanted}`;
}

/** Returns the query that reads all four tables for some pages. */
function queryFor(dialect: Dialect): string {
	const isWanted = dialect === 'postgres' ? 'page_id = any(?)' : 'page_id in (select value from json_each(?))';
	const seal = ['seal_key', 'seal'] as const;
	const cvv = ['account_id', 'key_id', 'sealed', 'ends_at', 'delete_card', 'uses_left', 'version', ...seal] as const;
	const parts = [
		partOf('reference', 'token_refs', ['reference'], isWanted),
		partOf('merchant', 'associations', ['merchant_id', 'epoch', ...seal], isWanted),
		partOf('cvv', 'cvvs', cvv, isWanted),
		partOf('destination', 'cvv_destinations', ['type', 'data', 'quota', 'used'], isWanted),
	];
	return parts.join(' union all ');
}

/** The queries are made once, because making one takes as long as an eighth of reading the metadata of a card. */
const QUERIES: Readonly<Record<Dialect, string>> = { sqlite: queryFor('sqlite'), postgres: queryFor('postgres') };

/**
 * Reads the references, merchants and CVVs that belong to records. It takes one statement for all of them, so a CVV and
 * its destinations are of the same moment.
 */
export function besideStore(knex: Knex, dialect: Dialect) {
	return {
		async listForPages(pageIds: readonly number[]): Promise<BesideRow[]> {
			const bound = dialect === 'postgres' ? pageIds : JSON.stringify(pageIds);
			return queryRows<BesideRow>(knex, QUERIES[dialect], [bound, bound, bound, bound]);
		},
	};
}
