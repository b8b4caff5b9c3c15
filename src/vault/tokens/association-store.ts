import type { Knex } from 'knex';
import type { AccountId } from '../../base/database/ids.ts';
import { queryRows } from '../../base/database/sql.ts';
import type { RowSeal } from '../../base/keys/rows/row-seals.ts';
import type { PageKind } from '../pages/record-codec.ts';

/**
 * The slot number in a row that associates a merchant with a whole page. Files and batches associate whole pages; other
 * calls associate single records.
 */
export const WHOLE_PAGE = -1;

export interface AssociationRow extends RowSeal {
	readonly page_id: number;
	/** The slot of the associated record; `WHOLE_PAGE` stands for all slots of the page. */
	readonly slot: number;
	readonly merchant_id: AccountId;
	/** The epoch that the page had when the association was created or was last sealed again. */
	readonly epoch: number;
}

/** The place of a record, or a whole page. */
export type Place = Pick<AssociationRow, 'page_id' | 'slot'>;

const ROW = ['page_id', 'slot', 'merchant_id', 'epoch', 'seal_key', 'seal'] as const;

/** Returns methods for the table `associations`; each runs a single SQL statement. */
export function associationStore(knex: Knex) {
	return {
		/**
		 * Returns the rows that associate a merchant with these pages or with records on them. The caller must check
		 * whether each row is valid.
		 */
		async findForMerchant(merchantId: AccountId, pageIds: readonly number[]): Promise<AssociationRow[]> {
			return knex('associations')
				.where({ merchant_id: merchantId })
				.whereIn('page_id', pageIds as number[])
				.select(ROW);
		},
		/** Lists places of records, of whichever account, with which a merchant is associated, `limit` at most. */
		async listPlacesOf(merchantId: AccountId, limit: number): Promise<Place[]> {
			return knex('associations').where({ merchant_id: merchantId }).limit(limit).select('page_id', 'slot');
		},
		async listOfPage(pageId: number): Promise<AssociationRow[]> {
			return knex('associations').where({ page_id: pageId }).select(ROW);
		},
		async putSeal(
			{ page_id, slot, merchant_id }: AssociationRow,
			changed: Pick<AssociationRow, 'epoch' | 'seal_key' | 'seal'>,
		): Promise<void> {
			await knex('associations').where({ page_id, slot, merchant_id }).update(changed);
		},
		/**
		 * Lists pages of an account that hold records with which a merchant is associated. The pages come in the order of
		 * their ids and have ids above `afterId`. For each page, `count` is the number of its tokens with which the
		 * merchant is associated, and `running` is the sum of the counts of all pages up to this one. Pages that may still
		 * be dropped are left out, and so are pages whose tokens are all among the first `from` tokens.
		 */
		async listPagesOf(
			accountId: AccountId,
			kind: PageKind,
			merchantId: AccountId,
			page: { readonly from: number; readonly afterId: number; readonly limit: number },
		): Promise<{ page_id: number; count: number; running: number }[]> {
			const rows = await queryRows<{ page_id: number; count: number; running: unknown }>(
				knex,
				`select page_id, count, running from
				   (select page_id, count, sum(count) over (order by page_id) as running from
				     (select a.page_id, case when min(a.slot) = ? then max(p.live) else count(*) end as count
				      from associations a join pages p on p.id = a.page_id
				      where a.merchant_id = ? and p.account_id = ? and p.kind = ? and not exists
				        (select 1 from page_blocks b where a.page_id between b.first and b.last)
				      group by a.page_id) as pages_of) as totals
				 where running > ? and page_id > ? order by page_id limit ?`,
				[WHOLE_PAGE, merchantId, accountId, kind, page.from, page.afterId, page.limit],
			);
			return rows.map((row) => ({ ...row, running: Number(row.running) }));
		},
		/**
		 * Inserts an association. If there is already a row for the same record and merchant, it is replaced, because it
		 * may be invalid.
		 */
		async associate(row: AssociationRow, createdAt: number): Promise<void> {
			const { epoch, seal_key, seal } = row;
			await knex('associations')
				.insert({ ...row, created_at: createdAt })
				.onConflict(['page_id', 'slot', 'merchant_id'])
				.merge({ epoch, seal_key, seal });
		},
		async dissociate(pageId: number, slot: number, merchantId: AccountId): Promise<number> {
			return knex('associations').where({ page_id: pageId, slot, merchant_id: merchantId }).delete();
		},
	};
}
