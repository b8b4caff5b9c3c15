import type { Knex } from 'knex';
import { countByKey } from '../../base/database/count-by-key.ts';
import { type Dialect, forUpdateClause, isOneOf } from '../../base/database/dialect.ts';
import type { AccountId, JobId, KeyId, PassId } from '../../base/database/ids.ts';
import { execute, queryRows } from '../../base/database/sql.ts';
import { PAGE_KINDS, type PageKind } from './record-codec.ts';

export interface PageRow {
	readonly id: number;
	readonly account_id: AccountId;
	readonly creator_id: AccountId;
	readonly key_id: KeyId;
	readonly salt: Buffer;
	/** The number of records that the page had when it was created. */
	readonly count: number;
	/** The number of slots that still hold a record. */
	readonly live: number;
	readonly sealed: Buffer;
	/** The id of the job or of the pass without a job that wrote the page; null if the page has cards of direct calls. */
	readonly written_by: JobId | PassId | null;
	readonly created_at: number;
	/**
	 * The version of the page, which increases whenever the page is sealed again, so that concurrent changes are noticed.
	 */
	readonly version: number;
	readonly kind: PageKind;
	/** The generation of the key that created the tokens of the page's records. */
	readonly token_generation: number;
}

/** A range of ids that begins after `after` and ends with `last`. */
export interface IdRange {
	readonly after: number;
	readonly last: number;
}

export interface PageBlock {
	readonly passId: PassId;
	/** The job at which the pass is an attempt; null for a pass without a job. */
	readonly jobId: JobId | null;
	readonly first: number;
	readonly last: number;
}

export const PAGE_COLUMNS = [
	'id',
	'account_id',
	'creator_id',
	'key_id',
	'salt',
	'count',
	'live',
	'sealed',
	'written_by',
	'created_at',
	'version',
	'kind',
	'token_generation',
] as const satisfies readonly (keyof PageRow)[];

const SELECT_BLOCKS = 'select pass_id as "passId", job_id as "jobId", first, last from page_blocks';

/** The rows of these tables belong to a page, whose id they contain. */
export const SIDE_TABLES = [
	...(['token_refs', 'associations', 'fingerprints', 'foreign_tokens', 'cvvs', 'cvv_destinations'] as const),
] as const;

/**
 * A range of ids with at most this many pages is searched with one query that adds up the tokens page by page. To halve
 * such a range further would cost more.
 */
const PAGES_PER_RUNNING_SUM = 2048;

/** Returns methods that read and change pages and their blocks of ids, within a transaction if `knex` is one. */
export function pageStore(knex: Knex, dialect: Dialect) {
	return {
		async findPages(ids: readonly number[]): Promise<PageRow[]> {
			const [isListed, listed] = isOneOf(dialect, ids);
			return queryRows(knex, `select * from pages where id ${isListed}`, [listed]);
		},

		/** Returns a page and locks it until the transaction ends. */
		async findForUpdate(id: number): Promise<PageRow | undefined> {
			const sql = `select * from pages where id = ? ${forUpdateClause(dialect)}`;
			return (await queryRows<PageRow>(knex, sql, [id]))[0];
		},

		/** Returns pages of an account and kind whose ids are in a range, in the order of their ids. */
		async listPages(accountId: AccountId, kind: PageKind, { after, last }: IdRange, limit: number): Promise<PageRow[]> {
			return knex<PageRow>('pages')
				.where({ account_id: accountId, kind })
				.andWhere('id', '>', after)
				.andWhere('id', '<=', last)
				.orderBy('id')
				.limit(limit) as never;
		},

		/**
		 * Returns the ranges of page ids in which an account's pages are permanent. Ids outside these ranges belong to
		 * passes whose pages may still be dropped.
		 */
		async listCountedRanges(accountId: AccountId, kind: PageKind): Promise<IdRange[]> {
			const blocks = await queryRows<{ first: number; last: number }>(
				knex,
				// A join and not `exists`: Citus refuses a subquery over `pages` for each row of a table that is not distributed.
				// `cross join` keeps SQLite from reading all pages of the account.
				`select distinct b.first, b.last from page_blocks b cross join pages p
				 where p.account_id = ? and p.kind = ? and p.id between b.first and b.last order by b.first`,
				[accountId, kind],
			);
			const ranges: IdRange[] = [];
			let after = 0;
			for (const { first, last } of blocks) {
				if (first > after + 1) ranges.push({ after, last: first - 1 });
				after = last;
			}
			return [...ranges, { after, last: Number.MAX_SAFE_INTEGER }];
		},

		/**
		 * Finds the page on which an account's first `from` tokens in a range of ids end. Returns an id after which that
		 * page follows, and the number of tokens up to that id. A long range is halved again and again, and only the tokens
		 * of the lower half are added up each time; a short range is read page by page. An index has the number of tokens
		 * of each page.
		 */
		async findPageBefore(
			accountId: AccountId,
			kind: PageKind,
			from: number,
			range: IdRange,
		): Promise<{ page: number; skipped: number }> {
			if (from === 0) return { page: range.after, skipped: 0 };
			const mine = 'from pages where account_id = ? and kind = ?';
			const first = async (sql: string, values: readonly unknown[]) => {
				// biome-ignore lint/suspicious/noExplicitAny: each statement has columns of its own
				return (await queryRows<any>(knex, sql, [accountId, kind, ...values]))[0];
			};
			const inRange = [range.after, range.last];
			const lowest = await first(`select min(id) as id ${mine} and id > ? and id <= ?`, inRange);
			const highest = await first(`select max(id) as id ${mine} and id > ? and id <= ?`, inRange);
			if (lowest.id === null) return { page: range.after, skipped: 0 };
			let after = lowest.id - 1;
			let last = highest.id;
			let skipped = 0;
			while (last - after > PAGES_PER_RUNNING_SUM) {
				const middle = after + Math.floor((last - after) / 2);
				const { live } = await first(`select sum(live) as live ${mine} and id > ? and id <= ?`, [after, middle]);
				if (skipped + Number(live ?? 0) <= from) {
					skipped += Number(live ?? 0);
					after = middle;
				} else last = middle;
			}
			const row = await first(
				`select id, running from
				   (select id, sum(live) over (order by id) as running ${mine} and id > ? and id <= ?) as totals
				 where running <= ? order by id desc limit 1`,
				[after, last, from - skipped],
			);
			return row ? { page: row.id, skipped: skipped + Number(row.running) } : { page: after, skipped };
		},

		/**
		 * Returns pages sealed by a key older than `keyId`, in the order of their ids. Key ids increase, so an older key
		 * has a smaller id.
		 */
		async listPagesUnderOldKeys(
			accountId: AccountId,
			kind: PageKind,
			keyId: KeyId,
			afterId: number,
			limit: number,
		): Promise<PageRow[]> {
			return knex<PageRow>('pages')
				.where({ account_id: accountId, kind })
				.andWhere('id', '>', afterId)
				.andWhere('key_id', '<', keyId)
				.orderBy('id')
				.limit(limit) as never;
		},

		/** Replaces a page's content unless the page was changed since it was read; returns whether it was replaced. */
		async replaceSealed(page: PageRow, sealed: Buffer, keyId: KeyId, live: number): Promise<boolean> {
			const changed = await knex('pages')
				.where({ id: page.id, version: page.version })
				.update({ sealed, key_id: keyId, live, version: page.version + 1 });
			return changed === 1;
		},

		/** Removes a page with its last record unless it was changed since it was read; returns whether it was removed. */
		async removePage(page: PageRow): Promise<boolean> {
			return (await knex('pages').where({ id: page.id, version: page.version }).delete()) === 1;
		},

		/** Removes every row that belongs to one record, for example its references. */
		async removeBeside(pageId: number, slot: number): Promise<void> {
			for (const table of SIDE_TABLES) await knex(table).where({ page_id: pageId, slot }).delete();
		},

		/** Removes the rows that belong to a whole page after its last record was deleted. */
		async removeBesidePage(pageId: number): Promise<void> {
			for (const table of SIDE_TABLES) await knex(table).where({ page_id: pageId }).delete();
		},

		/** Returns the ids of an account's pages with cards that were stored before the given time, oldest first. */
		async listOlder(accountId: AccountId, before: number, limit: number): Promise<number[]> {
			const older = knex('pages').where({ account_id: accountId, kind: PAGE_KINDS.cards });
			return older.andWhere('created_at', '<', before).orderBy('id').limit(limit).pluck('id');
		},

		/** Removes pages with all rows that belong to them; returns how many records they still held. */
		async removePages(ids: readonly number[]): Promise<number> {
			const [isListed, listed] = isOneOf(dialect, ids);
			const sql = `delete from pages where id ${isListed} returning live`;
			const removed = await queryRows<{ live: number }>(knex, sql, [listed]);
			for (const table of SIDE_TABLES) await execute(knex, `delete from ${table} where page_id ${isListed}`, [listed]);
			return removed.reduce((sum, { live }) => sum + live, 0);
		},

		/** Returns the page id with which the next block to be reserved will begin. */
		async findNextId(): Promise<number | undefined> {
			const row = await knex('counters').where({ name: 'pages' }).first('next');
			return row?.next;
		},

		/** Returns the ranges of page ids that a pass has reserved and not adopted yet, in ascending order. */
		async listBlocks(passId: PassId): Promise<PageBlock[]> {
			return queryRows<PageBlock>(knex, `${SELECT_BLOCKS} where pass_id = ? order by first`, [passId]);
		},

		/** Returns, for each job, the ranges of page ids that attempts at it have reserved and not adopted. */
		async listAttemptBlocks(jobIds: readonly JobId[]): Promise<Map<JobId, PageBlock[]>> {
			const sql = `${SELECT_BLOCKS} where job_id in (${jobIds.map(() => '?')}) order by first`;
			const rows = await queryRows<PageBlock>(knex, sql, jobIds);
			return Map.groupBy(rows, ({ jobId }) => jobId!);
		},

		/** Lists attempts at jobs with reserved page ids that are not adopted yet, each with its job. */
		async listReservingAttempts(): Promise<{ passId: PassId; jobId: JobId }[]> {
			const rows = await knex('page_blocks').whereNotNull('job_id').distinct('pass_id', 'job_id').orderBy('pass_id');
			return rows.map(({ pass_id, job_id }) => ({ passId: pass_id, jobId: job_id }));
		},

		/** Lists passes without a job that began before the given time and whose reserved page ids are not adopted yet. */
		async listLonePasses(before: number): Promise<PassId[]> {
			const rows = await knex('page_blocks').where('begun_at', '<', before).distinct('pass_id').orderBy('pass_id');
			return rows.map((row) => row.pass_id);
		},

		/** Drops the pages of a pass whose ids are in a block, with all rows that belong to these pages. */
		async removeBlock({ passId, jobId, first, last }: PageBlock): Promise<void> {
			for (const table of SIDE_TABLES) await knex(table).whereBetween('page_id', [first, last]).delete();
			const writer = jobId ?? passId;
			await knex('pages').where({ written_by: writer }).whereBetween('id', [first, last]).delete();
		},

		/** Makes the pages of a pass with ids below `end` permanent; the others may still be dropped. */
		async settleBlocks(passId: PassId, end: number): Promise<void> {
			const blocks = () => knex('page_blocks').where({ pass_id: passId });
			await blocks().andWhere('last', '<', end).delete();
			await blocks().andWhere('first', '<', end).update({ first: end });
		},

		/** Makes all pages of these passes permanent. */
		async forgetBlocks(passIds: readonly PassId[]): Promise<void> {
			await execute(knex, `delete from page_blocks where pass_id in (${passIds.map(() => '?')})`, passIds);
		},

		/** Returns, for each generation of the token key, how many pages have tokens that it created. */
		async countByTokenGeneration(): Promise<{ generation: number; count: number }[]> {
			const rows = await knex('pages').select('token_generation').count('* as count').groupBy('token_generation');
			return rows.map((row) => ({ generation: Number(row.token_generation), count: Number(row.count) }));
		},

		/** Returns, for each key, how many pages it seals; `key status` shows these numbers. */
		async countByKey(): Promise<{ key_id: KeyId; count: number }[]> {
			return countByKey(knex('pages'));
		},
	};
}
