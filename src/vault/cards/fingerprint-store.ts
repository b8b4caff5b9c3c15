import { type Dialect, isOneOf, skipLockedClause } from '../../base/database/dialect.ts';
import type { AccountId, PassId } from '../../base/database/ids.ts';
import { execute, queryRows, type SqlTarget } from '../../base/database/sql.ts';
import { EMPTIED } from '../cvvs/cvv-store.ts';
import { foreignTokenStore } from '../tokens/foreign-token-store.ts';
import { SALT_BYTES, type Salted, type TokenCipher } from '../tokens/token.ts';
import type { Fingerprints } from './fingerprint.ts';

/**
 * The first of the two numbers of the PostgreSQL advisory locks that are taken here. Its value is arbitrary, but no
 * other lock on the database server may use it.
 */
const LOCK_CLASS = 7_470_634;

/**
 * Returns an SQL condition that excludes a card if it is to be removed together with its CVV, and the CVV is already
 * destroyed or has expired. When such a card is stored again, it must not get the old token, which retention is about
 * to delete. The present time is bound to the condition.
 */
const isToStay = (alias: 'f' | 'g') =>
	`not exists (select 1 from cvvs c where c.page_id = ${alias}.page_id and c.slot = ${alias}.slot
	   and (c.uses_left = ${EMPTIED} or (c.delete_card = 1 and c.ends_at <= ?)))`;

/** Returns methods for the table `fingerprints`; each runs a single SQL statement. */
export function fingerprintStore(knex: SqlTarget, dialect: Dialect) {
	return {
		/**
		 * Takes a lock, so that until the transaction ends nobody else decides which cards of the account are new. In
		 * SQLite the transaction already holds the only write lock.
		 */
		async lock(accountId: AccountId): Promise<void> {
			if (dialect === 'sqlite') return;
			await execute(knex, 'select pg_advisory_xact_lock(?, (?::bigint % 2147483647)::int)', [LOCK_CLASS, accountId]);
		},

		/**
		 * Lists the records on these pages whose fingerprints were computed under generations of the key older than
		 * `generation`.
		 */
		async listOlder(pageIds: readonly number[], generation: number): Promise<{ page_id: number; slot: number }[]> {
			const [isListed, listed] = isOneOf(dialect, pageIds);
			const sql = `select page_id, slot from fingerprints where page_id ${isListed} and generation < ?`;
			return queryRows(knex, sql, [listed, generation]);
		},

		/**
		 * Locks a page until the transaction ends, unless another transaction has locked it; returns whether it did. Because it
		 * never waits, it cannot deadlock with a transaction that removes several pages. Several pages may be on several
		 * servers, and Citus locks rows of one only.
		 */
		async lockPage(pageId: number): Promise<boolean> {
			const sql = `select id from pages where id = ? ${skipLockedClause(dialect)}`;
			return (await queryRows(knex, sql, [pageId])).length > 0;
		},

		/**
		 * Deletes the fingerprints on these pages that were computed under older generations of the key. Returns the
		 * records whose fingerprints it has deleted.
		 */
		async takeOlder(pageIds: readonly number[], generation: number): Promise<{ page_id: number; slot: number }[]> {
			const [isListed, listed] = isOneOf(dialect, pageIds);
			const sql = `delete from fingerprints where page_id ${isListed} and generation < ? returning page_id, slot`;
			return queryRows(knex, sql, [listed, generation]);
		},

		/** Lists the records on these pages that duplicate elimination finds. */
		async listPlaces(pageIds: readonly number[]): Promise<{ page_id: number; slot: number }[]> {
			const [isListed, listed] = isOneOf(dialect, pageIds);
			return queryRows(knex, `select page_id, slot from fingerprints where page_id ${isListed}`, [listed]);
		},

		/** Counts the fingerprints by account and by generation of the account's key. */
		async countByGeneration(): Promise<{ account_id: AccountId; generation: number; count: number }[]> {
			const sql = 'select account_id, generation, count(*) as count from fingerprints group by account_id, generation';
			return queryRows(knex, sql);
		},

		/**
		 * Finds out which of these passes eliminate duplicates, and returns each of them with its account. Only such a pass
		 * stores fingerprints for the cards on its pages that may still be dropped.
		 */
		async listEliminating(passIds: readonly PassId[]): Promise<{ passId: PassId; accountId: AccountId }[]> {
			const result = await queryRows<{ id: PassId; account_id: AccountId }>(
				knex,
				// No subquery for each pass: Citus refuses that over a table that it spreads.
				`select b.pass_id as id, min(f.account_id) as account_id
				 from page_blocks b join fingerprints f on f.page_id between b.first and b.last
				 where b.pass_id in (${passIds.map(() => '?')}) group by b.pass_id`,
				passIds,
			);
			return result.map(({ id, account_id }) => ({ passId: id, accountId: account_id }));
		},

		/**
		 * Returns whether one of the cards that a pass has stored has a permanent token elsewhere. Only cards on pages that
		 * may still be dropped are checked.
		 */
		async isStoredElsewhere(passId: PassId, now: number): Promise<boolean> {
			const result = await queryRows(
				knex,
				// The cards of the pass are read first, because Citus joins pages only with what is beside them.
				`with own as materialized (select f.account_id, f.fingerprint
				   from page_blocks b join fingerprints f on f.page_id between b.first and b.last where b.pass_id = ?)
				 select 1 from own join fingerprints g on g.account_id = own.account_id and g.fingerprint = own.fingerprint
				 join pages p on p.id = g.page_id
				 where not exists (select 1 from page_blocks o where g.page_id between o.first and o.last)
				 and ${isToStay('g')} limit 1`,
				[passId, now],
			);
			return result.length > 0;
		},

		/**
		 * Returns the oldest token (16 bytes) of each card; the keys of the map are the values of `Fingerprints.name`.
		 * Cards on pages that may still be dropped are ignored, except on the pages of the given pass. `now` is the present
		 * time, because a card that leaves with its expired CVV is ignored too.
		 */
		async findTokens(
			tokens: TokenCipher,
			accountId: AccountId,
			cards: readonly Fingerprints[],
			{ now, passId }: { readonly now: number; readonly passId?: PassId | null },
		): Promise<Map<string, Buffer>> {
			const found = new Map<string, Buffer>();
			if (cards.length === 0) return found;
			const fingerprints = cards.flatMap(({ all }) => all);
			const names = new Map(cards.flatMap(({ all, name }) => all.map((each) => [each.toString('hex'), name] as const)));
			const [isListed, listed] = isOneOf(dialect, fingerprints);
			const result = await queryRows<Salted & { fingerprint: Buffer; id: number; slot: number }>(
				knex,
				`select f.fingerprint, p.id, f.slot, p.salt, p.token_generation
				 from fingerprints f join pages p on p.id = f.page_id
				 where f.account_id = ? and f.fingerprint ${isListed} and not exists
				   (select 1 from page_blocks b where f.page_id between b.first and b.last and b.pass_id <> ?)
				 and ${isToStay('f')} order by f.page_id, f.slot`,
				[accountId, listed, passId ?? '', now],
			);
			const foreign = tokens.hasForeign
				? await foreignTokenStore(knex, dialect).listOn(result.map(({ id }) => id))
				: [];
			const foreignAt = new Map(foreign.map(({ page_id, slot, token }) => [`${page_id}/${slot}`, token]));
			for (const row of result) {
				const name = names.get(row.fingerprint.toString('hex'))!;
				if (found.has(name)) continue;
				if (row.salt.length !== SALT_BYTES) throw new Error('internal error: a page has no proper salt');
				found.set(name, foreignAt.get(`${row.id}/${row.slot}`) ?? tokens.tokenOf(row, row.slot));
			}
			return found;
		},
	};
}
