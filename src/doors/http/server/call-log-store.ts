import type { Knex } from 'knex';
import type { AccountId } from '../../../base/database/ids.ts';

export interface CallRows {
	readonly id: number;
	readonly account_id: AccountId;
	readonly at: number;
	readonly calls: number;
	readonly document: string;
}

/** Each method executes a single SQL statement on the table `call_log`. */
export function callLogStore(knex: Knex) {
	return {
		/** Adds a row and returns its id; later rows have larger ids. */
		async add(row: Omit<CallRows, 'id'>): Promise<number> {
			const [{ id }] = await knex<CallRows>('call_log').insert(row).returning('id');
			return Number(id);
		},
		async findLatest(accountId: AccountId, limit: number): Promise<Pick<CallRows, 'document'>[]> {
			return knex<CallRows>('call_log')
				.where({ account_id: accountId })
				.orderBy('id', 'desc')
				.limit(limit)
				.select('document');
		},
		async deleteBefore(accountId: AccountId, id: number): Promise<void> {
			await knex('call_log').where({ account_id: accountId }).andWhere('id', '<', id).delete();
		},
		/** Deletes rows from before the time `at`, and those whose account has `keep` calls in newer rows. */
		async deleteSurplus(keep: number, at: number): Promise<number> {
			const numbered = knex('call_log').select(
				'id',
				knex.raw(
					'sum(calls) over (partition by account_id order by id desc rows between unbounded preceding and 1 preceding) as younger',
				),
			);
			const surplus = knex.from(numbered.as('numbered')).where('younger', '>=', keep).select('id');
			return knex('call_log').whereIn('id', surplus).orWhere('at', '<', at).delete();
		},
	};
}
