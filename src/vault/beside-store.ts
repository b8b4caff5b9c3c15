import type { Knex } from 'knex';
import { type Dialect, rowsOf } from '../database/dialect.ts';
import type { AccountId } from '../database/ids.ts';

/**
 * A fact that is stored beside a record or beside its whole page: a reference, an associated merchant or the expiry of
 * a CVV.
 */
export type BesideRow = { readonly page_id: number; readonly slot: number } & (
	| { readonly what: 'reference'; readonly text: string }
	| { readonly what: 'merchant'; readonly number: AccountId }
	| { readonly what: 'cvv'; readonly number: number }
);

/** Reads the references, merchants and CVV expiries that belong to records. It takes one statement for all three. */
export function besideStore(knex: Knex, dialect: Dialect) {
	const isWanted = dialect === 'postgres' ? 'page_id = any(?)' : 'page_id in (select value from json_each(?))';
	const text = `
		select page_id, slot, 'reference' as what, reference as text, cast(null as bigint) as number
		  from token_refs where ${isWanted}
		union all select page_id, slot, 'merchant', null, merchant_id from associations where ${isWanted}
		union all select page_id, slot, 'cvv', null, ends_at from cvvs where ${isWanted}`;
	return {
		async listForPages(pageIds: readonly number[]): Promise<BesideRow[]> {
			const bound = dialect === 'postgres' ? pageIds : JSON.stringify(pageIds);
			return rowsOf<BesideRow>(await knex.raw(text, [bound, bound, bound] as never));
		},
	};
}
