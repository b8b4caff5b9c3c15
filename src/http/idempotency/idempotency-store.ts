import type { Knex } from 'knex';
import type { Clock } from '../../clock.ts';
import { isUniqueViolation, rowsOf } from '../../database/dialect.ts';
import type { AccountId, KeyId } from '../../database/ids.ts';
import type { Database } from '../../database/open.ts';
import type { PlainTransaction } from '../../database/plain-transaction.ts';
import type { Outcome } from './outcome.ts';

/** A row for an idempotency key that a caller has used; it also holds the answer that was given. */
export interface IdempotencyRow {
	readonly account_id: AccountId;
	readonly key_hash: string;
	readonly request_hash: string;
	/**
	 * The id of the present claim. Only the call that has this claim may write its answer into the row. Another call
	 * may take the claim over after `claimed_until`.
	 */
	readonly claim: string;
	readonly claimed_until: number;
	readonly key_id: KeyId | null;
	/** The first answer, sealed; null until there is one. */
	readonly sealed: Buffer | null;
	readonly expires_at: number;
	/** The kind of thing that the call has created or begun; null if it has created and begun nothing. */
	readonly outcome_kind: Outcome['kind'] | null;
	/** The id of the thing that the call has created or begun; null for a kind that has no id. */
	readonly outcome_id: string | null;
}

type Claimed = Pick<IdempotencyRow, 'account_id' | 'key_hash' | 'claim'>;

/** Each method executes a single SQL statement on the table `idempotency_keys`. */
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
		/** Inserts a claim; returns whether the key was free. */
		async insert(row: IdempotencyRow): Promise<boolean> {
			try {
				await knex('idempotency_keys').insert(row);
				return true;
			} catch (error) {
				if (isUniqueViolation(error)) return false;
				throw error;
			}
		},
		/** Replaces a claim that has expired by a new one; returns false if another call was faster. */
		async replace(before: IdempotencyRow, row: IdempotencyRow): Promise<boolean> {
			// The row must be unchanged since it was read. Even after its claim has expired, the call that owns the
			// claim may still write into the row, until another call takes the claim over.
			const { sealed, outcome_kind, outcome_id } = before;
			const query = knex('idempotency_keys').where({ ...claimed(before), outcome_kind, outcome_id });
			if (sealed === null) query.whereNull('sealed');
			return (await query.update(row)) === 1;
		},
		/**
		 * Keeps the answer of a call. If the body of the request was streamed, the hash of the request is known only
		 * now, so it is written together with the answer.
		 */
		async finish(
			row: Claimed,
			answer: { readonly key_id: KeyId; readonly sealed: Buffer; readonly request_hash?: string },
		): Promise<void> {
			await knex('idempotency_keys').where(claimed(row)).update(answer);
		},
		/**
		 * Frees the key, so that a repeated call is carried out. If the call has created something, its row stays, so
		 * that the repeated call finds what was created.
		 */
		async release(row: Claimed): Promise<void> {
			const unanswered = () => rows().where(claimed(row)).whereNull('sealed');
			const kept = unanswered().whereNotNull('outcome_kind').andWhereNot({ outcome_kind: 'sent' });
			if ((await kept.update({ claimed_until: 0 })) === 0) await unanswered().delete();
		},
		/** Frees the key and forgets the note about the call, because everything that the call did was undone. */
		async forget(row: Claimed): Promise<void> {
			await rows().where(claimed(row)).whereNull('sealed').delete();
		},
		async removeExpired(now: number): Promise<number> {
			return knex('idempotency_keys').where('expires_at', '<', now).delete();
		},
	};
}

/** Writes notes about a call into its claim while the call is in progress. */
export function claimNotes(knex: Pick<PlainTransaction, 'raw'>) {
	return {
		/** Notes the thing that the call has created or begun; returns false if another call has taken over the claim. */
		async note({ account_id, key_hash, claim }: Claimed, { kind, id }: Outcome): Promise<boolean> {
			const noted = await knex.raw(
				`update idempotency_keys set outcome_kind = ?, outcome_id = ?
				 where account_id = ? and key_hash = ? and claim = ? and sealed is null returning claim`,
				[kind, id, account_id, key_hash, claim],
			);
			return rowsOf(noted).length === 1;
		},
	};
}

/** Deletes answers that have expired; returns how many there were. */
export async function purgeIdempotencyKeys({
	database,
	clock,
}: {
	readonly database: Database;
	readonly clock: Clock;
}): Promise<number> {
	return idempotencyStore(database.knex).removeExpired(clock.now().getTime());
}
