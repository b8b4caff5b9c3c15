import type { Knex } from 'knex';
import type { Clock } from '../clock.ts';
import { isUniqueViolation } from '../database/dialect.ts';
import type { AccountId, KeyId } from '../database/ids.ts';
import type { Database } from '../database/open.ts';

/** A key a caller has used, and what was answered. */
export interface IdempotencyRow {
	readonly account_id: AccountId;
	readonly key_hash: string;
	readonly request_hash: string;
	/** Who answers; changes hands when its time is over. */
	readonly claim: string;
	readonly claimed_until: number;
	readonly key_id: KeyId | null;
	/** The first answer; null while it is being made. */
	readonly sealed: Buffer | null;
	readonly expires_at: number;
}

type Claimed = Pick<IdempotencyRow, 'account_id' | 'key_hash' | 'claim'>;

/** Single statements over `idempotency_keys`. */
export function idempotencyStore(knex: Knex) {
	const rows = () => knex<IdempotencyRow>('idempotency_keys');
	const claimed = ({ account_id, key_hash, claim }: Claimed) => ({ account_id, key_hash, claim });
	return {
		async find(accountId: AccountId, keyHashes: readonly string[]): Promise<IdempotencyRow | undefined> {
			return rows()
				.where({ account_id: accountId })
				.whereIn('key_hash', keyHashes as string[])
				.first();
		},
		/** Says whether the key was free. */
		async insert(row: IdempotencyRow): Promise<boolean> {
			try {
				await knex('idempotency_keys').insert(row);
				return true;
			} catch (error) {
				if (isUniqueViolation(error)) return false;
				throw error;
			}
		},
		/** Puts a claim in the place of one whose time is over; false when somebody else was faster. */
		async replace(before: IdempotencyRow, row: IdempotencyRow): Promise<boolean> {
			return (await knex('idempotency_keys').where(claimed(before)).update(row)) === 1;
		},
		async finish(row: Claimed, answer: { readonly key_id: KeyId; readonly sealed: Buffer }): Promise<void> {
			await knex('idempotency_keys').where(claimed(row)).update(answer);
		},
		/** Makes the key free again. */
		async release(row: Claimed): Promise<void> {
			await rows().where(claimed(row)).whereNull('sealed').delete();
		},
		async removeExpired(now: number): Promise<number> {
			return knex('idempotency_keys').where('expires_at', '<', now).delete();
		},
	};
}

/** Forgets answers whose time is over; returns how many there were. */
export async function purgeIdempotencyKeys({
	database,
	clock,
}: {
	readonly database: Database;
	readonly clock: Clock;
}): Promise<number> {
	return idempotencyStore(database.knex).removeExpired(clock.now().getTime());
}
