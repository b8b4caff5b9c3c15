import { type Dialect, rowsOf } from '../database/dialect.ts';
import type { AccountId, JobId } from '../database/ids.ts';
import type { PlainTransaction } from '../database/plain-transaction.ts';
import { EMPTIED } from './cvv-store.ts';
import { SALT_BYTES, TOKEN_BYTES, type TokenCipher, writePointer } from './token.ts';

/** Any number that nothing else on the server uses as the first of an advisory lock. */
const LOCK_CLASS = 7_470_634;

/** A card that is to go with its CVV, which is gone already: whoever stores it anew must not get a token that retention takes. */
const isToStay = (alias: 'f' | 'g') =>
	`not exists (select 1 from cvvs c where c.page_id = ${alias}.page_id and c.slot = ${alias}.slot and c.uses_left = ${EMPTIED})`;

/** Single statements over `fingerprints`. */
export function fingerprintStore(knex: Pick<PlainTransaction, 'raw'>, dialect: Dialect) {
	return {
		/**
		 * Lets nobody else decide which cards of an account are new before the transaction ends. SQLite's has the write
		 * lock already.
		 */
		async lock(accountId: AccountId): Promise<void> {
			if (dialect === 'sqlite') return;
			await knex.raw('select pg_advisory_xact_lock(?, (?::bigint % 2147483647)::int)', [LOCK_CLASS, accountId]);
		},

		/** Whose fingerprints pages of a job have that may still be dropped: nobody's where duplicates stay. */
		async findAccountOfJob(jobId: JobId): Promise<AccountId | undefined> {
			const result = await knex.raw(
				`select f.account_id from page_blocks b join fingerprints f on f.page_id between b.first and b.last
				 where b.job_id = ? limit 1`,
				[jobId],
			);
			return rowsOf<{ account_id: AccountId }>(result)[0]?.account_id;
		},

		/** Whether a card among those pages has a token elsewhere that counts. */
		async isStoredElsewhere(jobId: JobId): Promise<boolean> {
			const result = await knex.raw(
				`select 1 from page_blocks b join fingerprints f on f.page_id between b.first and b.last
				 join fingerprints g on g.account_id = f.account_id and g.fingerprint = f.fingerprint
				 join pages p on p.id = g.page_id
				 where b.job_id = ? and not exists (select 1 from page_blocks o where g.page_id between o.first and o.last)
				 and ${isToStay('g')} limit 1`,
				[jobId],
			);
			return rowsOf(result).length > 0;
		},

		/**
		 * Oldest token of 16 bytes for each fingerprint, keyed by its hexadecimal form. Pages of attempts that may still
		 * be dropped do not count, unless the attempt is our own.
		 */
		async findTokens(
			tokens: TokenCipher,
			accountId: AccountId,
			fingerprints: readonly Buffer[],
			jobId: JobId | null,
		): Promise<Map<string, Buffer>> {
			const found = new Map<string, Buffer>();
			if (fingerprints.length === 0) return found;
			const condition =
				dialect === 'postgres' ? 'f.fingerprint = any(?)' : `f.fingerprint in (select unhex(value) from json_each(?))`;
			const bound =
				dialect === 'postgres' ? fingerprints : JSON.stringify(fingerprints.map((each) => each.toString('hex')));
			const result = await knex.raw(
				`select f.fingerprint, f.page_id, f.slot, p.salt from fingerprints f join pages p on p.id = f.page_id
				 where f.account_id = ? and ${condition} and not exists
				   (select 1 from page_blocks b where f.page_id between b.first and b.last and b.job_id <> ?)
				 and ${isToStay('f')} order by f.page_id, f.slot`,
				[accountId, bound as never, jobId ?? ''],
			);
			const rows = rowsOf<{ fingerprint: Buffer; page_id: number; slot: number; salt: Buffer }>(result);
			const pointer = Buffer.alloc(TOKEN_BYTES);
			for (const row of rows) {
				const name = row.fingerprint.toString('hex');
				if (found.has(name)) continue;
				if (row.salt.length !== SALT_BYTES) throw new Error('internal error: a page has no proper salt');
				writePointer(pointer, 0, row.page_id, row.slot, tokens.version, row.salt);
				found.set(name, tokens.encrypt(pointer));
			}
			return found;
		},
	};
}
