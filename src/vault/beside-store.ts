import type { Knex } from 'knex';
import { type Dialect, rowsOf } from '../database/dialect.ts';
import type { AccountId, KeyId } from '../database/ids.ts';
import type { CvvDestinationType } from './cvv-store.ts';

/**
 * A row that is stored beside a record or beside its whole page: a reference, an associated merchant, a CVV, or a
 * destination of a CVV. The numbers `a` to `e` are further columns of the row, in the order in which they are selected.
 */
export type BesideRow = { readonly page_id: number; readonly slot: number } & (
	| { readonly what: 'reference'; readonly text: string }
	| ({ readonly what: 'merchant'; readonly number: AccountId; readonly a: number } & Sealed)
	| ({
			readonly what: 'cvv';
			readonly number: number;
			readonly a: AccountId;
			readonly b: KeyId;
			readonly c: 0 | 1;
			readonly d: number;
			readonly e: number;
			readonly bytes: Buffer;
	  } & Sealed)
	| {
			readonly what: 'destination';
			readonly text: CvvDestinationType;
			readonly data: string;
			readonly a: number;
			readonly b: number;
	  }
);

interface Sealed {
	readonly seal_key: KeyId | null;
	readonly seal: Buffer | null;
}

/**
 * Reads the references, merchants and CVVs that belong to records. It takes one statement for all of them, so a CVV and
 * its destinations are of the same moment.
 */
export function besideStore(knex: Knex, dialect: Dialect) {
	const isWanted = dialect === 'postgres' ? 'page_id = any(?)' : 'page_id in (select value from json_each(?))';
	const none = (type: string, ...names: string[]) => names.map((name) => `cast(null as ${type}) as ${name}`).join();
	const text = `
		select page_id, slot, 'reference' as what, reference as text, ${none('text', 'data')},
		    ${none('bigint', 'number', 'a', 'b', 'c', 'd', 'e')}, ${none('bytea', 'bytes')}, ${none('bigint', 'seal_key')},
		    ${none('bytea', 'seal')}
		  from token_refs where ${isWanted}
		union all select page_id, slot, 'merchant', null, null, merchant_id, epoch, null, null, null, null, null, seal_key, seal
		  from associations where ${isWanted}
		union all select page_id, slot, 'cvv', null, null, ends_at, account_id, key_id, delete_card, uses_left, version, sealed,
		    seal_key, seal
		  from cvvs where ${isWanted}
		union all select page_id, slot, 'destination', type, data, null, quota, used, null, null, null, null, null, null
		  from cvv_destinations where ${isWanted}`;
	return {
		async listForPages(pageIds: readonly number[]): Promise<BesideRow[]> {
			const bound = dialect === 'postgres' ? pageIds : JSON.stringify(pageIds);
			return rowsOf<BesideRow>(await knex.raw(text, [bound, bound, bound, bound] as never));
		},
	};
}
