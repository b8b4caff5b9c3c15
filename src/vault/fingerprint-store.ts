import { type Dialect, rowsOf } from '../database/dialect.ts';
import type { AccountId, PassId } from '../database/ids.ts';
import type { PlainTransaction } from '../database/plain-transaction.ts';
import { EMPTIED } from './cvv-store.ts';
import type { Fingerprints } from './fingerprint.ts';
import { SALT_BYTES, type Salted, type TokenCipher } from './token.ts';

/**
 * The first key of all PostgreSQL advisory locks of this program. The value is arbitrary, but nothing else on the
 * database server may use it.
 */
const LOCK_CLASS = 7_470_634;

/**
 * Returns an SQL condition that excludes cards to be removed together with a CVV that is already destroyed. If such a
 * card is stored again, it must not get the token that retention is about to delete.
 */
const isToStay = (alias: 'f' | 'g') =>
	`not exists (select 1 from cvvs c where c.page_id = ${alias}.page_id and c.slot = ${alias}.slot and c.uses_left = ${EMPTIED})`;

/** Returns methods for the table `fingerprints`; each runs a single SQL statement. */
export function fingerprintStore(knex: Pick<PlainTransaction, 'raw'>, dialect: Dialect) {
	const isListed = dialect === 'postgres' ? '= any(?)' : 'in (select value from json_each(?))';
	const listed = (ids: readonly number[]) => (dialect === 'postgres' ? ids : JSON.stringify(ids)) as never;
	return {
		/**
		 * Takes a lock so that only this transaction decides which cards of the account are new. In SQLite the transaction
		 * already holds the write lock.
		 */
		async lock(accountId: AccountId): Promise<void> {
			if (dialect === 'sqlite') return;
			await knex.raw('select pg_advisory_xact_lock(?, (?::bigint % 2147483647)::int)', [LOCK_CLASS, accountId]);
		},

		/** Lists the fingerprints of cards on these pages that were computed under older generations of the key. */
		async listOlder(pageIds: readonly number[], generation: number): Promise<{ page_id: number; slot: number }[]> {
			const result = await knex.raw(
				`select page_id, slot from fingerprints where page_id ${isListed} and generation < ?`,
				[listed(pageIds), generation],
			);
			return rowsOf<{ page_id: number; slot: number }>(result);
		},

		/** Deletes the fingerprints of older generations on these pages, and returns those that still existed. */
		async takeOlder(pageIds: readonly number[], generation: number): Promise<{ page_id: number; slot: number }[]> {
			const result = await knex.raw(
				`delete from fingerprints where page_id ${isListed} and generation < ? returning page_id, slot`,
				[listed(pageIds), generation],
			);
			return rowsOf<{ page_id: number; slot: number }>(result);
		},

		/** Counts the fingerprints by account and by generation of the account's key. */
		async countByGeneration(): Promise<{ account_id: AccountId; generation: number; count: number }[]> {
			const result = await knex.raw(
				'select account_id, generation, count(*) as count from fingerprints group by account_id, generation',
			);
			return rowsOf<{ account_id: AccountId; generation: number; count: number | string }>(result).map((row) => ({
				...row,
				count: Number(row.count),
			}));
		},

		/**
		 * Returns those of the passes that eliminate duplicates, each with its account. Such a pass is recognised by the
		 * fingerprints of the cards on its pages that may still be dropped.
		 */
		async listEliminating(passIds: readonly PassId[]): Promise<{ passId: PassId; accountId: AccountId }[]> {
			const result = await knex.raw(
				`with passes (id) as (values (cast(? as text))${', (?)'.repeat(passIds.length - 1)}),
				 eliminating (id, account_id) as (select id, (
					select f.account_id from page_blocks b join fingerprints f on f.page_id between b.first and b.last
					where b.job_id = passes.id limit 1) from passes)
				 select id, account_id from eliminating where account_id is not null`,
				passIds,
			);
			const rows = rowsOf<{ id: PassId; account_id: AccountId }>(result);
			return rows.map(({ id, account_id }) => ({ passId: id, accountId: account_id }));
		},

		/**
		 * Returns whether a card that a pass has stored, on a page that may still be dropped, has a permanent token
		 * elsewhere.
		 */
		async isStoredElsewhere(passId: PassId): Promise<boolean> {
			const result = await knex.raw(
				`select 1 from page_blocks b join fingerprints f on f.page_id between b.first and b.last
				 join fingerprints g on g.account_id = f.account_id and g.fingerprint = f.fingerprint
				 join pages p on p.id = g.page_id
				 where b.job_id = ? and not exists (select 1 from page_blocks o where g.page_id between o.first and o.last)
				 and ${isToStay('g')} limit 1`,
				[passId],
			);
			return rowsOf(result).length > 0;
		},

		/**
		 * Returns the oldest token (16 bytes) of each card, by `Fingerprints.name`. Pages of passes that may still be
		 * dropped are ignored, except those of the given pass.
		 */
		async findTokens(
			tokens: TokenCipher,
			accountId: AccountId,
			cards: readonly Fingerprints[],
			passId: PassId | null,
		): Promise<Map<string, Buffer>> {
			const found = new Map<string, Buffer>();
			if (cards.length === 0) return found;
			const fingerprints = cards.flatMap(({ all }) => all);
			const names = new Map(cards.flatMap(({ all, name }) => all.map((each) => [each.toString('hex'), name] as const)));
			const condition =
				dialect === 'postgres' ? 'f.fingerprint = any(?)' : `f.fingerprint in (select unhex(value) from json_each(?))`;
			const bound =
				dialect === 'postgres' ? fingerprints : JSON.stringify(fingerprints.map((each) => each.toString('hex')));
			const result = await knex.raw(
				`select f.fingerprint, p.id, f.slot, p.salt, p.token_generation from fingerprints f join pages p on p.id = f.page_id
				 where f.account_id = ? and ${condition} and not exists
				   (select 1 from page_blocks b where f.page_id between b.first and b.last and b.job_id <> ?)
				 and ${isToStay('f')} order by f.page_id, f.slot`,
				[accountId, bound as never, passId ?? ''],
			);
			for (const row of rowsOf<Salted & { fingerprint: Buffer; id: number; slot: number }>(result)) {
				const name = names.get(row.fingerprint.toString('hex'))!;
				if (found.has(name)) continue;
				if (row.salt.length !== SALT_BYTES) throw new Error('internal error: a page has no proper salt');
				found.set(name, tokens.tokenOf(row, row.slot));
			}
			return found;
		},
	};
}
