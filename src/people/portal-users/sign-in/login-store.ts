import type { Knex } from 'knex';
import type { AccountId } from '../../../base/database/ids.ts';

/** The means by which somebody tried to log in. */
export type LoginWay = 'password' | 'app' | 'passkey' | 'recovery' | 'link' | 'provider';
export type LoginOutcome = 'in' | 'wrong' | 'locked' | 'blocked';

export interface PortalLoginRow {
	readonly id: number;
	readonly user_id: number;
	readonly account_id: AccountId | null;
	readonly at: number;
	readonly address: string;
	readonly agent: string;
	readonly way: LoginWay;
	readonly result: LoginOutcome;
}

export function loginStore(knex: Knex) {
	return {
		async insert(row: Omit<PortalLoginRow, 'id'>): Promise<void> {
			await knex('portal_logins').insert(row);
		},
		async listOf(userId: number, limit: number, before?: number): Promise<PortalLoginRow[]> {
			const query = knex<PortalLoginRow>('portal_logins').where({ user_id: userId });
			if (before !== undefined) query.andWhere('id', '<', before);
			return query.orderBy('id', 'desc').limit(limit);
		},
		async removeBefore(at: number): Promise<number> {
			return knex('portal_logins').where('at', '<', at).delete();
		},
	};
}
