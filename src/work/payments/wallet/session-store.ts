import type { Knex } from 'knex';
import { firstRow } from '../../../base/database/dialect.ts';
import type { AccountId, KeyId } from '../../../base/database/ids.ts';
import { execute, type SqlTarget } from '../../../base/database/sql.ts';
import type { RowSeal, RowShape } from '../../../base/keys/rows/row-seals.ts';
import type { WalletOperation } from './operation.ts';

export interface SessionRow extends RowSeal {
	readonly id: string;
	readonly hash: string;
	readonly account_id: AccountId;
	readonly owner_id: AccountId;
	readonly api_key_id: number;
	readonly operation: WalletOperation;
	readonly amount_minor: number | null;
	readonly currency: string | null;
	readonly gateway: string | null;
	readonly credentials_id: string | null;
	readonly my_ref: string | null;
	readonly reference: string | null;
	readonly merchant_id: string | null;
	readonly save_cvv: boolean | number | null;
	readonly card_types: string | null;
	readonly created_at: number;
	readonly expires_at: number;
	readonly attempts: number;
	readonly transaction_id: string | null;
	readonly claim: string | null;
	readonly claimed_until: number | null;
	readonly completed_at: number | null;
	readonly key_id: KeyId | null;
	readonly sealed: Buffer | null;
}

export type SessionProgress = Pick<SessionRow, 'attempts' | 'transaction_id'>;

export type SessionEnd = SessionProgress & {
	readonly completed_at: number;
	readonly key_id: KeyId;
	readonly sealed: Buffer;
};

export function sessionStore(knex: Knex) {
	const rows = () => knex<SessionRow>('wallet_sessions');
	const claimed = (id: string, claim: string) => knex('wallet_sessions').where({ id, claim });
	return {
		async insert(row: SessionRow): Promise<void> {
			await knex('wallet_sessions').insert(row);
		},
		async find(id: string): Promise<SessionRow | undefined> {
			return firstRow(rows().where({ id }));
		},
		async findByHash(hashes: readonly string[]): Promise<SessionRow | undefined> {
			return firstRow(rows().whereIn('hash', hashes as string[]));
		},
		/** Claims a session for a call. Returns false if the session is completed or another call holds the claim. */
		async claim(id: string, { claim, until, now }: { claim: string; until: number; now: number }): Promise<boolean> {
			const changed = await rows()
				.where({ id })
				.whereNull('completed_at')
				.andWhere((either) => either.whereNull('claim').orWhere('claimed_until', '<=', now))
				.update({ claim, claimed_until: until });
			return changed === 1;
		},
		/** Stores the progress of a session; returns false if another call has taken over the claim. */
		async note(id: string, claim: string, { attempts, transaction_id }: SessionProgress): Promise<boolean> {
			return (await claimed(id, claim).update({ attempts, transaction_id })) === 1;
		},
		/** Nothing changes if another call has taken over the claim. */
		async release(id: string, claim: string, { attempts, transaction_id }: SessionProgress): Promise<void> {
			await claimed(id, claim).update({ attempts, transaction_id, claim: null, claimed_until: null });
		},
		async removeExpired(before: number): Promise<number> {
			return knex('wallet_sessions').where('expires_at', '<', before).delete();
		},
	};
}

/** Ends a session, in a transaction; false if another call has taken over the claim, and then nothing changes. */
export async function completeIn(
	transaction: SqlTarget,
	{ id, claim }: { readonly id: string; readonly claim: string },
	{ attempts, transaction_id, completed_at, key_id, sealed }: SessionEnd,
): Promise<boolean> {
	const sql = `update wallet_sessions set attempts = ?, transaction_id = ?, completed_at = ?, key_id = ?, sealed = ?,
		claim = null, claimed_until = null where id = ? and claim = ?`;
	const bindings = [attempts, transaction_id, completed_at, key_id, sealed, id, claim];
	return (await execute(transaction, sql, bindings)) === 1;
}

/** The seal of a session covers its owner, purpose and expiry; progress and result change later. */
export const sealedSessions: RowShape = {
	table: 'wallet_sessions',
	id: ['id'],
	columns: [
		...['hash', 'account_id', 'owner_id', 'api_key_id', 'operation', 'amount_minor', 'currency', 'gateway'],
		...['credentials_id', 'my_ref', 'reference', 'merchant_id', 'save_cvv', 'card_types', 'expires_at'],
	],
	freshness: { by: 'ended-rows', over: 'completed_at', until: 'expires_at' },
};
