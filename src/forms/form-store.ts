import type { Knex } from 'knex';
import { rowsOf } from '../database/dialect.ts';
import type { AccountId, KeyId } from '../database/ids.ts';
import type { PlainTransaction } from '../database/plain-transaction.ts';
import type { Token } from '../vault/token.ts';

export interface FormRow {
	readonly hash: string;
	readonly account_id: AccountId;
	readonly owner_id: AccountId;
	readonly api_key_id: number;
	readonly kind: string;
	readonly request_id: string | null;
	readonly options: string;
	readonly created_at: number;
	readonly expires_at: number;
	readonly token: Token | null;
	readonly stored_at: number | null;
	readonly seal_key: KeyId | null;
	readonly seal: Buffer | null;
}

/** Each method is a single statement over `card_forms`. */
export function formStore(knex: Knex) {
	return {
		async insert(row: FormRow): Promise<void> {
			await knex('card_forms').insert(row);
		},
		async listByHash(hashes: readonly string[]): Promise<FormRow[]> {
			return knex<FormRow>('card_forms').whereIn('hash', hashes as string[]);
		},
		async removeExpired(before: number): Promise<number> {
			return knex('card_forms').where('expires_at', '<', before).delete();
		},
	};
}

/**
 * Notes the token of a form inside the transaction that stores its card; returns false if another submission of the
 * form has stored one.
 */
export async function completeForm(
	transaction: PlainTransaction,
	{ hash, token, now }: { readonly hash: string; readonly token: Token; readonly now: number },
): Promise<boolean> {
	const answer = await transaction.raw(
		'update card_forms set token = ?, stored_at = ? where hash = ? and token is null returning hash',
		[token, now, hash],
	);
	return rowsOf(answer).length === 1;
}
