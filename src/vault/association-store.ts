import type { Knex } from 'knex';
import type { AccountId } from '../database/ids.ts';

/** Slot number that stands for a whole page: files and batches associate page by page. */
export const WHOLE_PAGE = -1;

/** Single statements over `associations`. */
export function associationStore(knex: Knex) {
	return {
		/** Which slots of these pages a merchant may use; `WHOLE_PAGE` for all of a page. */
		async findForMerchant(
			merchantId: AccountId,
			pageIds: readonly number[],
		): Promise<{ page_id: number; slot: number }[]> {
			return knex('associations')
				.where({ merchant_id: merchantId })
				.whereIn('page_id', pageIds as number[])
				.select('page_id', 'slot');
		},
		/** Merchants a record is associated with, by itself or through its page. */
		async listMerchants(pageId: number, slot: number): Promise<AccountId[]> {
			const rows = await knex('associations')
				.where({ page_id: pageId })
				.whereIn('slot', [slot, WHOLE_PAGE])
				.distinct('merchant_id')
				.orderBy('merchant_id');
			return rows.map((row) => row.merchant_id);
		},
		async associate(pageId: number, slot: number, merchantId: AccountId, createdAt: number): Promise<void> {
			await knex('associations')
				.insert({ page_id: pageId, slot, merchant_id: merchantId, created_at: createdAt })
				.onConflict(['page_id', 'slot', 'merchant_id'])
				.ignore();
		},
		async dissociate(pageId: number, slot: number, merchantId: AccountId): Promise<number> {
			return knex('associations').where({ page_id: pageId, slot, merchant_id: merchantId }).delete();
		},
		async isWholePage(pageId: number, merchantId: AccountId): Promise<boolean> {
			const row = await knex('associations')
				.where({ page_id: pageId, slot: WHOLE_PAGE, merchant_id: merchantId })
				.first();
			return row !== undefined;
		},
	};
}
