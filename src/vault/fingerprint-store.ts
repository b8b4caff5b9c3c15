import type { Knex } from 'knex';
import { type Dialect, rowsOf } from '../database/dialect.ts';
import type { AccountId, JobId } from '../database/ids.ts';
import { SALT_BYTES, TOKEN_BYTES, type TokenCipher, writePointer } from './token.ts';

/** Single statements over `fingerprints`. */
export function fingerprintStore(knex: Knex, dialect: Dialect) {
	return {
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
				 order by f.page_id, f.slot`,
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
