import type { Knex } from 'knex';
import type { AccountId } from '../../../base/database/ids.ts';
import type { RowShape, Seal } from '../../../base/keys/rows/row-seals.ts';
import type { Token } from '../../../vault/tokens/token.ts';

export interface CardViewRow extends Seal {
	readonly id: string;
	readonly hash: string;
	readonly account_id: AccountId;
	readonly owner_id: AccountId;
	readonly api_key_id: number;
	readonly card_token: Token;
	readonly kind: 'display' | 'once';
	readonly shows_cvv: boolean | number;
	readonly language: string | null;
	readonly code_hash: string | null;
	readonly tries: number;
	readonly created_at: number;
	readonly expires_at: number;
	readonly ended_at: number | null;
}

/** The seal covers everything that decides which card may be seen. */
export const sealedCardViews: RowShape = {
	table: 'card_views',
	id: ['id'],
	columns: [
		...['hash', 'account_id', 'owner_id', 'api_key_id', 'card_token', 'kind', 'shows_cvv', 'code_hash'],
		...['created_at', 'expires_at'],
	],
	freshness: { by: 'ended-rows', over: 'ended_at', until: 'expires_at' },
};

export function viewStore(knex: Knex) {
	const open = (id: string) => knex('card_views').where({ id }).whereNull('ended_at');
	return {
		async insert(row: CardViewRow): Promise<void> {
			await knex('card_views').insert(row);
		},
		async findByHash(hashes: readonly string[]): Promise<CardViewRow | undefined> {
			return knex<CardViewRow>('card_views')
				.whereIn('hash', hashes as string[])
				.first();
		},
		/**
		 * Counts an attempt to enter a code before the code is checked, so that attempts at the same moment are all
		 * counted. Returns false if no attempt is left.
		 */
		async countTry(id: string, most: number): Promise<boolean> {
			return (await open(id).where('tries', '<', most).increment('tries', 1)) === 1;
		},
		async countOf(id: string): Promise<number> {
			const row = await knex('card_views').where({ id }).first('tries');
			return Number(row?.tries ?? 0);
		},
		async end(id: string, now: number): Promise<boolean> {
			return (await open(id).update({ ended_at: now })) === 1;
		},
		async removeExpired(before: number): Promise<number> {
			return knex('card_views').where('expires_at', '<', before).delete();
		},
	};
}
