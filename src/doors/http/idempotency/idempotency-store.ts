import type { Clock } from '../../../base/clock.ts';
import { firstRow } from '../../../base/database/dialect.ts';
import type { AccountId, KeyId } from '../../../base/database/ids.ts';
import type { Database } from '../../../base/database/open.ts';
import { transactUnsynced } from '../../../base/database/plain-transaction.ts';
import { execute, queryRows, type SqlTarget } from '../../../base/database/sql.ts';
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

/** What is written into the row of a call that has ended. */
interface KeptAnswer {
	readonly key_id: KeyId;
	readonly sealed: Buffer;
	/** Given if the hash of the request is known only now, because the body was streamed. */
	readonly request_hash?: string;
}

export function idempotencyStore(database: Pick<Database, 'knex' | 'dialect'>) {
	const { knex } = database;
	const rows = () => knex<IdempotencyRow>('idempotency_keys');
	const claimed = ({ account_id, key_hash, claim }: Claimed) => ({ account_id, key_hash, claim });
	return {
		async find(accountId: AccountId, keyHashes: readonly string[]): Promise<IdempotencyRow | undefined> {
			return firstRow(
				rows()
					.where({ account_id: accountId })
					.whereIn('key_hash', keyHashes as string[]),
			);
		},
		/**
		 * Inserts a claim; returns whether the key was free. It does not wait for the disk: whatever the call does is
		 * written after its claim, so once that is durable, the claim is too.
		 */
		async insert(row: IdempotencyRow): Promise<boolean> {
			const columns = Object.keys(row);
			const sql = `insert into idempotency_keys (${columns}) values (${columns.map(() => '?')})
				on conflict do nothing returning claim`;
			const inserted = await transactUnsynced(database, (transaction) =>
				queryRows(transaction, sql, Object.values(row)),
			);
			return inserted.length === 1;
		},
		async replace(before: IdempotencyRow, row: IdempotencyRow): Promise<boolean> {
			// The row must be unchanged since it was read. Even after its claim has expired, the call that owns the
			// claim may still write into the row, until another call takes the claim over.
			const { sealed, outcome_kind, outcome_id } = before;
			const query = knex('idempotency_keys').where({ ...claimed(before), outcome_kind, outcome_id });
			if (sealed === null) query.whereNull('sealed');
			return (await query.update(row)) === 1;
		},
		async finish(row: Claimed, answer: KeptAnswer): Promise<void> {
			await knex('idempotency_keys').where(claimed(row)).update(answer);
		},
		/**
		 * Keeps the answer of a call without waiting for the disk. After a power failure the answer may be gone, so this is
		 * only for a call whose row notes what it has made, because a repeated call is then answered with the same thing.
		 */
		async finishUnsynced({ account_id, key_hash, claim }: Claimed, { key_id, sealed }: KeptAnswer): Promise<void> {
			const sql = `update idempotency_keys set key_id = ?, sealed = ?
				where account_id = ? and key_hash = ? and claim = ?`;
			const bindings = [key_id, sealed, account_id, key_hash, claim];
			await transactUnsynced(database, (transaction) => execute(transaction, sql, bindings));
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
export function claimNotes(knex: SqlTarget) {
	return {
		/** Notes the thing that the call has created or begun; returns false if another call has taken over the claim. */
		async note({ account_id, key_hash, claim }: Claimed, { kind, id }: Outcome): Promise<boolean> {
			const noted = await queryRows(
				knex,
				`update idempotency_keys set outcome_kind = ?, outcome_id = ?
				 where account_id = ? and key_hash = ? and claim = ? and sealed is null returning claim`,
				[kind, id, account_id, key_hash, claim],
			);
			return noted.length === 1;
		},
	};
}

/** Deletes answers that have expired; returns how many there were. */
export async function purgeIdempotencyKeys(parts: {
	readonly database: Database;
	readonly clock: Clock;
}): Promise<number> {
	const { database, clock } = parts;
	return idempotencyStore(database).removeExpired(clock.now().getTime());
}
