import type { Knex } from 'knex';
import type { BulkInsert } from '../database/bulk-insert.ts';
import { bulkInsert } from '../database/bulk-insert.ts';
import { countByKey } from '../database/count-by-key.ts';
import { type Dialect, forUpdateClause, rowsOf } from '../database/dialect.ts';
import type { AccountId, JobId, KeyId, PassId } from '../database/ids.ts';
import { type AnyPageOwner, passIdOf } from './page-owner.ts';
import { PAGE_KINDS, type PageKind } from './record-codec.ts';

/** A page as stored. */
export interface PageRow {
	readonly id: number;
	readonly account_id: AccountId;
	readonly creator_id: AccountId;
	readonly key_id: KeyId;
	readonly salt: Buffer;
	/** Slots it was made with. */
	readonly count: number;
	/** Slots that still hold a record. */
	readonly live: number;
	readonly sealed: Buffer;
	/** The pass that wrote it; null for direct calls. */
	readonly job_id: PassId | null;
	readonly created_at: number;
	/** Grows with every re-seal; guards concurrent changes. */
	readonly version: number;
	readonly kind: PageKind;
	/** Of the key that made the tokens of its records. */
	readonly token_generation: number;
}

/** Ids from the one after `after` up to `last`. */
export interface IdRange {
	readonly after: number;
	readonly last: number;
}

/** Every column of a page. */
export const PAGE_COLUMNS = [
	'id',
	'account_id',
	'creator_id',
	'key_id',
	'salt',
	'count',
	'live',
	'sealed',
	'job_id',
	'created_at',
	'version',
	'kind',
	'token_generation',
] as const satisfies readonly (keyof PageRow)[];

const SIDE_TABLES = ['token_refs', 'associations', 'fingerprints', 'cvvs', 'cvv_destinations'] as const;

/** Where adding up halves ends and a running sum begins. */
const PAGES_PER_RUNNING_SUM = 2048;

/** Single statements over pages and their id blocks. `knex` may be a transaction. */
export function pageStore(knex: Knex, dialect: Dialect) {
	return {
		/** A prepared way in for many pages; see `BulkInsert`. */
		bulkInsert: (): BulkInsert => bulkInsert(knex, dialect, 'pages', PAGE_COLUMNS),

		async findPages(ids: readonly number[]): Promise<PageRow[]> {
			if (dialect === 'postgres') {
				const { rows } = await knex.raw('select * from pages where id = any(?)', [ids as never]);
				return rows;
			}
			// One bound value whatever the number of ids: the statement stays the same and stays prepared.
			return knex.raw('select * from pages where id in (select value from json_each(?))', [JSON.stringify(ids)]);
		},

		/** A page, locked until the transaction ends. */
		async findForUpdate(id: number): Promise<PageRow | undefined> {
			const result = await knex.raw(`select * from pages where id = ? ${forUpdateClause(dialect)}`, [id]);
			return rowsOf<PageRow>(result)[0];
		},

		/** Pages of an account and kind with ids in a range, in their order. */
		async listPages(accountId: AccountId, kind: PageKind, { after, last }: IdRange, limit: number): Promise<PageRow[]> {
			return knex<PageRow>('pages')
				.where({ account_id: accountId, kind })
				.andWhere('id', '>', after)
				.andWhere('id', '<=', last)
				.orderBy('id')
				.limit(limit) as never;
		},

		/** Where an account has pages that count: all ids but those of its attempts that may still be dropped. */
		async listCountedRanges(accountId: AccountId, kind: PageKind): Promise<IdRange[]> {
			const result = await knex.raw(
				`select b.first, b.last from page_blocks b where exists
				   (select 1 from pages p where p.account_id = ? and p.kind = ? and p.id between b.first and b.last)
				 order by b.first`,
				[accountId, kind],
			);
			const blocks = rowsOf<{ first: number; last: number }>(result);
			const ranges: IdRange[] = [];
			let after = 0;
			for (const { first, last } of blocks) {
				if (first > after + 1) ranges.push({ after, last: first - 1 });
				after = last;
			}
			return [...ranges, { after, last: Number.MAX_SAFE_INTEGER }];
		},

		/**
		 * An id after which the `from`-th token of an account in a range stands, and how many come up to it. Adds up index
		 * entries, 32 tokens each: halves of the id range while they are long, so that each is added up about once, then
		 * page by page.
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
				return rowsOf<any>(await knex.raw(sql, [accountId, kind, ...values] as never))[0];
			};
			const inRange = [range.after, range.last];
			const lowest = await first(`select min(id) as id ${mine} and id > ? and id <= ?`, inRange);
			const highest = await first(`select max(id) as id ${mine} and id > ? and id <= ?`, inRange);
			if (lowest.id === null) return { page: range.after, skipped: 0 };
			let after = Number(lowest.id) - 1;
			let last = Number(highest.id);
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
			return row ? { page: Number(row.id), skipped: skipped + Number(row.running) } : { page: after, skipped };
		},

		/** Pages sealed under older keys than `keyId`, in id order: keys are numbered as they are made. */
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

		/** Replaces a page's content if nobody did so since it was read; says whether it did. */
		async replaceSealed(page: PageRow, sealed: Buffer, keyId: KeyId, live: number): Promise<boolean> {
			const changed = await knex('pages')
				.where({ id: page.id, version: page.version })
				.update({ sealed, key_id: keyId, live, version: page.version + 1 });
			return changed === 1;
		},

		/** Removes a page whose last record goes, under the same guard. */
		async removePage(page: PageRow): Promise<boolean> {
			return (await knex('pages').where({ id: page.id, version: page.version }).delete()) === 1;
		},

		/** Everything that stands beside one record. */
		async removeBeside(pageId: number, slot: number): Promise<void> {
			for (const table of SIDE_TABLES) await knex(table).where({ page_id: pageId, slot }).delete();
		},

		/** What stands beside a whole page once its last record is gone. */
		async removeBesidePage(pageId: number): Promise<void> {
			for (const table of SIDE_TABLES) await knex(table).where({ page_id: pageId }).delete();
		},

		/** Pages of cards of an account that were stored before, oldest first. */
		async listOlder(accountId: AccountId, before: number, limit: number): Promise<number[]> {
			const older = knex('pages').where({ account_id: accountId, kind: PAGE_KINDS.cards });
			return older.andWhere('created_at', '<', before).orderBy('id').limit(limit).pluck('id');
		},

		/** Removes pages with all that stands beside them; says how many records were still in them. */
		async removePages(ids: readonly number[]): Promise<number> {
			const isListed = dialect === 'postgres' ? '= any(?)' : 'in (select value from json_each(?))';
			const listed = (dialect === 'postgres' ? ids : JSON.stringify(ids)) as never;
			const removed = await knex.raw(`delete from pages where id ${isListed} returning live`, [listed]);
			for (const table of SIDE_TABLES)
				await knex(table)
					.whereIn('page_id', ids as number[])
					.delete();
			return rowsOf<{ live: number }>(removed).reduce((sum, { live }) => sum + live, 0);
		},

		/** Reserves `count` page ids and returns the first; a pass's reservation is remembered until it is adopted. */
		async reserveIds(count: number, owner: AnyPageOwner): Promise<number> {
			const first = await takeFromCounter(knex, 'pages', count);
			const passId = passIdOf(owner);
			const block = { job_id: passId, begun_at: owner.pass?.begunAt ?? null, first, last: first + count - 1 };
			if (passId !== null) await knex('page_blocks').insert(block);
			return first;
		},

		/** The id that the next reservation begins with. */
		async findNextId(): Promise<number | undefined> {
			const row = await knex('counters').where({ name: 'pages' }).first('next');
			return row && Number(row.next);
		},

		async listBlocks(passId: PassId): Promise<{ first: number; last: number }[]> {
			return knex('page_blocks').where({ job_id: passId }).select('first', 'last').orderBy('first');
		},

		/** Jobs that have reserved page ids and were not adopted. */
		async listReservingJobs(): Promise<JobId[]> {
			const rows = await knex('page_blocks').whereNull('begun_at').distinct('job_id').orderBy('job_id');
			return rows.map((row) => row.job_id);
		},

		/** Passes that are no job, have reserved page ids, were not adopted and began before. */
		async listLonePasses(before: number): Promise<PassId[]> {
			const rows = await knex('page_blocks').where('begun_at', '<', before).distinct('job_id').orderBy('job_id');
			return rows.map((row) => row.job_id);
		},

		/** Drops every page of a range that belongs to the pass, with all that stands beside them. */
		async removeRange(passId: PassId, first: number, last: number): Promise<number> {
			for (const table of SIDE_TABLES) await knex(table).whereBetween('page_id', [first, last]).delete();
			return knex('pages').where({ job_id: passId }).whereBetween('id', [first, last]).delete();
		},

		/** Makes a pass's pages with ids below `end` permanent; those from there on may still be dropped. */
		async settleBlocks(passId: PassId, end: number): Promise<void> {
			const blocks = () => knex('page_blocks').where({ job_id: passId });
			await blocks().andWhere('last', '<', end).delete();
			await blocks().andWhere('first', '<', end).update({ first: end });
		},

		async forgetBlocks(passId: PassId): Promise<void> {
			await knex('page_blocks').where({ job_id: passId }).delete();
		},

		/** How many pages have tokens of each generation. */
		async countByTokenGeneration(): Promise<{ generation: number; count: number }[]> {
			const rows = await knex('pages').select('token_generation').count('* as count').groupBy('token_generation');
			return rows.map((row) => ({ generation: Number(row.token_generation), count: Number(row.count) }));
		},

		/** How many pages each key seals, for `key status`. */
		async countByKey(): Promise<{ key_id: KeyId; count: number }[]> {
			return countByKey(knex('pages'));
		},
	};
}

async function takeFromCounter(knex: Knex, name: string, count: number): Promise<number> {
	const take = async () => {
		const rows = await knex('counters').where({ name }).increment('next', count).returning('next');
		return rows.length === 0 ? undefined : Number(rows[0].next) - count;
	};
	const taken = await take();
	if (taken !== undefined) return taken;
	await knex('counters').insert({ name, next: 1 }).onConflict('name').ignore();
	return (await take())!;
}
