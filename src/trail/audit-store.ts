import type { Knex } from 'knex';
import { insertRows } from '../base/database/bulk-insert.ts';
import { countByKey } from '../base/database/count-by-key.ts';
import { insertNew } from '../base/database/dialect.ts';
import type { AccountId, KeyId } from '../base/database/ids.ts';
import { queryRows, type SqlTransaction } from '../base/database/sql.ts';
import type { HeadRow } from './lanes/lane-store.ts';
import { MAIN_ROW, rowOfLane } from './lanes/numbers.ts';

export interface AuditRow {
	readonly seq: number;
	readonly at: number;
	readonly actor: string;
	readonly action: string;
	readonly subject: string;
	readonly details: string;
	/** The primary account that the entry is about, and that of the caller; null if there is none. */
	readonly account_id: AccountId | null;
	readonly by_account_id: AccountId | null;
	/** The page of the vault that has the card of the subject; null if the entry does not name it. */
	readonly page_id: number | null;
	/** The lane in which the entry was written; null in a trail of one lane. */
	readonly lane: number | null;
	readonly previous_hash: string;
	readonly key_id: KeyId;
	readonly hash: string;
}

/** Selects entries by number and by time in milliseconds. The given first and last values belong to the range. */
export interface TrailRange {
	readonly first?: number;
	readonly last?: number;
	readonly since?: number;
	readonly until?: number;
}

/** So many entries one statement looks at to find a time. */
const LOOKED_AT = 32;

export function auditHead(transaction: SqlTransaction) {
	return {
		/** Finds the primary accounts of accounts, by ids or user IDs; those that do not exist are left out. */
		async findPrimaries(accounts: readonly (AccountId | string)[]): Promise<Map<AccountId | string, AccountId>> {
			const primaries = new Map<AccountId | string, AccountId>();
			for (const account of accounts) {
				const column = typeof account === 'number' ? 'id' : 'user_id';
				const sql = `select coalesce(parent_id, id) as id from accounts where ${column} = ?`;
				const [row] = await queryRows<{ id: AccountId }>(transaction, sql, [account]);
				if (row) primaries.set(account, row.id);
			}
			return primaries;
		},
		async insert(rows: readonly AuditRow[]): Promise<void> {
			await insertRows(transaction, 'audit', rows as never);
		},
	};
}

/** Each method is a single statement over the trail, except `findFirstSince`. */
export function auditStore(knex: Knex) {
	return {
		/** Returns the end of the lane with the highest number, which is the end of the trail. */
		async findHead(): Promise<HeadRow | undefined> {
			return knex<HeadRow>('audit_head').whereNot({ id: MAIN_ROW }).orderBy('seq', 'desc').first();
		},
		async findHeadOf(lane: number): Promise<HeadRow | undefined> {
			return knex<HeadRow>('audit_head')
				.where({ id: rowOfLane(lane) })
				.first();
		},
		/** Inserts a head unless there is one already; returns whether it did. */
		async insertHead(head: HeadRow): Promise<boolean> {
			return insertNew(knex('audit_head'), head, 'id');
		},
		/** Returns the number of the last entry, or 0 if there is none. */
		async findLastSeq(): Promise<number> {
			const found = await knex<AuditRow>('audit').max({ seq: 'seq' }).first();
			return found?.seq ?? 0;
		},
		/** Returns the numbers of the first and the last entry of a range; if it is empty, the last is the smaller one. */
		async findRange({ first, last, since, until }: TrailRange): Promise<{ first: number; last: number }> {
			const within = knex<AuditRow>('audit').modify((query) => {
				if (first !== undefined) query.where('seq', '>=', first);
				if (last !== undefined) query.where('seq', '<=', last);
				if (since !== undefined) query.where('at', '>=', since);
				if (until !== undefined) query.where('at', '<=', until);
			});
			const found: { first?: number; last?: number } | undefined = await within
				.min({ first: 'seq' })
				.max({ last: 'seq' } as never)
				.first();
			return { first: found?.first ?? 1, last: found?.last ?? 0 };
		},
		async countByKey(): Promise<{ key_id: KeyId; count: number }[]> {
			return countByKey(knex('audit'));
		},
		/** Lists entries of some actions about one subject that is no card, the latest first. */
		async listAbout(subject: string, actions: readonly string[], limit: number): Promise<AuditRow[]> {
			return knex<AuditRow>('audit')
				.where({ subject, page_id: null })
				.whereIn('action', [...actions])
				.orderBy('seq', 'desc')
				.limit(limit);
		},
		/**
		 * Finds the number of the first entry from a time on, or one beyond the last. Numbers increase with time, so a trail of
		 * years needs no index by time: each statement looks at entries at equal distances, and the next one between the two
		 * of them where the time is. A million entries take four statements.
		 */
		async findFirstSince(atMs: number): Promise<number> {
			let [low, high] = [1, (await this.findLastSeq()) + 1];
			while (low < high) {
				const step = Math.max(1, Math.ceil((high - low) / LOOKED_AT));
				const numbers = Array.from({ length: Math.ceil((high - low) / step) }, (_, nth) => low + nth * step);
				const rows = (await this.listFirstFrom(numbers)).filter(({ seq }) => seq < high);
				const later = rows.find(({ at }) => at >= atMs);
				const earlier = rows.findLast(({ seq }) => !later || seq < later.seq);
				// Without any of them there is no entry in between.
				if (!later && !earlier) return high;
				if (later) high = later.seq;
				low = earlier ? earlier.seq + 1 : high;
			}
			return low;
		},
		/** For each of some numbers finds the first entry that has it or a higher one; lists them in order. */
		async listFirstFrom(numbers: readonly number[]): Promise<Pick<AuditRow, 'seq' | 'at'>[]> {
			const values = numbers.map(() => '(cast(? as bigint))').join(', ');
			return queryRows(
				knex,
				`with wanted (number) as (values ${values})
				 select audit.seq, audit.at from wanted
				 join audit on audit.seq = (select min(seq) from audit where seq >= wanted.number) order by audit.seq`,
				numbers,
			);
		},
		/** Counts the entries of some actions by actor within a range of numbers. */
		async countByActor(
			actions: readonly string[],
			{ first, last }: { readonly first: number; readonly last: number },
			actor?: string,
		): Promise<{ actor: string; action: string; calls: number }[]> {
			const query = knex('audit')
				.whereBetween('seq', [first, last])
				.whereIn('action', [...actions]);
			if (actor !== undefined) query.where({ actor });
			const counted = query.groupBy('actor', 'action').select('actor', 'action').count({ calls: '*' });
			return (await counted) as unknown as { actor: string; action: string; calls: number }[];
		},
		/**
		 * Counts the entries of an action within a range of numbers, by actor and hour. Entries whose details contain
		 * `mark` are counted separately.
		 */
		async countByHour(
			action: string,
			mark: string,
			{ first, last }: { readonly first: number; readonly last: number },
		): Promise<{ actor: string; atMs: number; isMarked: boolean; entries: number }[]> {
			const counted = await queryRows<Record<string, unknown>>(
				knex,
				`select actor, at_hour, is_marked, count(*) as entries from (
				   select actor, at - at % 3600000 as at_hour, case when details like ? then 1 else 0 end as is_marked
				   from audit where seq between ? and ? and action = ?) as singles
				 group by actor, at_hour, is_marked`,
				[`%${mark}%`, first, last, action],
			);
			return counted.map(({ actor, at_hour, is_marked, entries }) => {
				return {
					actor: String(actor),
					atMs: Number(at_hour),
					isMarked: Number(is_marked) === 1,
					entries: Number(entries),
				};
			});
		},
		/** Lists entries of some actions within a range of numbers, in order. */
		async listOfActions(
			actions: readonly string[],
			{ first, last }: { readonly first: number; readonly last: number },
			actor: string | undefined,
			limit: number,
		): Promise<AuditRow[]> {
			const query = knex<AuditRow>('audit')
				.whereBetween('seq', [first, last])
				.whereIn('action', [...actions]);
			if (actor !== undefined) query.where({ actor });
			return query.orderBy('seq').limit(limit);
		},
		async listAfter(seq: number, limit: number): Promise<AuditRow[]> {
			return knex<AuditRow>('audit').where('seq', '>', seq).orderBy('seq').limit(limit);
		},
		async countBetween(after: number, last: number): Promise<number> {
			const sql = 'select count(*) as entries from audit where seq > ? and seq <= ?';
			const [{ entries }] = await queryRows<{ entries: number | string }>(knex, sql, [after, last]);
			return Number(entries);
		},
	};
}
