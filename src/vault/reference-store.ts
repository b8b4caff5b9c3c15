import type { Knex } from 'knex';
import type { AccountId } from '../database/ids.ts';

/** Single statements over `token_refs`. */
export function referenceStore(knex: Knex) {
	return {
		/** Records of an account under a reference, oldest first. */
		async find(
			accountId: AccountId,
			reference: string,
			offset: number,
			limit: number,
		): Promise<{ page_id: number; slot: number }[]> {
			return knex('token_refs')
				.where({ account_id: accountId, reference })
				.orderBy(['page_id', 'slot'])
				.offset(offset)
				.limit(limit)
				.select('page_id', 'slot');
		},
		/** The references of records on these pages. */
		async listForPages(pageIds: readonly number[]): Promise<{ page_id: number; slot: number; reference: string }[]> {
			return knex('token_refs')
				.whereIn('page_id', pageIds as number[])
				.select('page_id', 'slot', 'reference');
		},
	};
}
