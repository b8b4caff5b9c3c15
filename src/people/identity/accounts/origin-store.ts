import type { Knex } from 'knex';
import type { AccountId } from '../../../base/database/ids.ts';
import type { RowSeal } from '../../../base/keys/rows/row-seals.ts';
import { namedRows } from './named-rows-store.ts';

export interface OriginRow extends RowSeal {
	readonly account_id: AccountId;
	readonly origin: string;
	readonly created_at: number;
}

export function originStore(knex: Knex) {
	const origins = () => knex<OriginRow>('origins');
	const { count, remove } = namedRows<OriginRow>(knex, 'origins', 'origin');
	return {
		count,
		remove,
		/** @throws a unique violation if the account has it already */
		async insert(row: OriginRow): Promise<void> {
			await knex('origins').insert(row);
		},
		/** Returns the origins of an account and of its parent, in alphabetical order. */
		async list(accountId: AccountId): Promise<OriginRow[]> {
			const parent = knex('accounts').where({ id: accountId }).whereNotNull('parent_id').select('parent_id');
			const query = origins().where({ account_id: accountId }).orWhereIn('account_id', parent);
			return (await query.orderBy('origin').orderBy('account_id')) as OriginRow[];
		},
		/** Returns the rows of an origin that belong to accounts which are not disabled. */
		async listActive(origin: string): Promise<OriginRow[]> {
			const active = knex('accounts').whereNull('disabled_at').select('id');
			return (await origins().where({ origin }).whereIn('account_id', active)) as OriginRow[];
		},
	};
}
