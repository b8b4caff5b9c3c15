import type { Knex } from 'knex';
import { beginsWith, byteOrdered, type Dialect } from '../../base/database/dialect.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { PageKind } from '../pages/record-codec.ts';
import { type Place, WHOLE_PAGE } from './association-store.ts';

export interface ReferenceQuery {
	readonly accountId: AccountId;
	readonly kind: PageKind;
	readonly reference: string;
	/** Selects only records that this merchant is associated with. */
	readonly merchantId?: AccountId;
	readonly offset: number;
	readonly limit: number;
}

/** Returns methods for the table `token_refs`; each runs a single SQL statement. */
export function referenceStore(knex: Knex) {
	return {
		/** Adds a reference to a record, unless the record has it already. */
		async add(accountId: AccountId, reference: string, pageId: number, slot: number): Promise<void> {
			await knex('token_refs')
				.insert({ account_id: accountId, reference, page_id: pageId, slot })
				.onConflict(['account_id', 'reference', 'page_id', 'slot'])
				.ignore();
		},
		/** Lists where the records of an account are that have a reference, `limit` at most. */
		async listPlaces(accountId: AccountId, reference: string, limit: number): Promise<Place[]> {
			return knex('token_refs').where({ account_id: accountId, reference }).limit(limit).select('page_id', 'slot');
		},
		/** Like `listPlaces`, but of these pages. */
		async listPlacesOn(accountId: AccountId, reference: string, pageIds: readonly number[]): Promise<Place[]> {
			return knex('token_refs')
				.where({ account_id: accountId, reference })
				.whereIn('page_id', pageIds as number[])
				.select('page_id', 'slot');
		},
		/**
		 * Lists the references of an account that begin with a text, in the order of their bytes, each with its first record
		 * on a page that stays.
		 */
		async listBeginningWith(
			dialect: Dialect,
			{ accountId, text, limit }: { readonly accountId: AccountId; readonly text: string; readonly limit: number },
		): Promise<{ reference: string; page_id: number; slot: number }[]> {
			return knex('token_refs as r')
				.where('r.account_id', accountId)
				.whereRaw(...beginsWith(dialect, 'r.reference', text))
				.whereNotExists(knex('page_blocks as b').whereRaw('r.page_id between b.first and b.last').select(knex.raw('1')))
				.orderByRaw(`${byteOrdered(dialect, 'r.reference')}, r.page_id, r.slot`)
				.limit(limit)
				.select('r.reference', 'r.page_id', 'r.slot');
		},
		/**
		 * Lists the records of an account that have a certain reference, oldest first. Records on pages that may still be
		 * dropped are left out.
		 */
		async find(query: ReferenceQuery): Promise<Place[]> {
			const { accountId, kind, reference, merchantId, offset, limit } = query;
			const places = knex('token_refs as r')
				.join('pages as p', 'p.id', 'r.page_id')
				.where({ 'r.account_id': accountId, 'r.reference': reference, 'p.kind': kind })
				.whereNotExists(knex('page_blocks as b').whereRaw('r.page_id between b.first and b.last').select(knex.raw('1')))
				.orderBy(['r.page_id', 'r.slot'])
				.offset(offset)
				.limit(limit)
				.select('r.page_id', 'r.slot');
			if (merchantId === undefined) return places;
			return places.whereExists(
				knex('associations as a')
					.whereRaw('a.page_id = r.page_id and a.slot in (r.slot, ?)', [WHOLE_PAGE])
					.where('a.merchant_id', merchantId)
					.select(knex.raw('1')),
			);
		},
	};
}
