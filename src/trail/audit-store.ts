import type { Knex } from 'knex';
import { insertRows } from '../base/database/bulk-insert.ts';
import { countByKey } from '../base/database/count-by-key.ts';
import { type Dialect, forUpdateClause } from '../base/database/dialect.ts';
import type { AccountId, KeyId } from '../base/database/ids.ts';
import { execute, queryRows, type SqlTransaction } from '../base/database/sql.ts';

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
	readonly previous_hash: string;
	readonly key_id: KeyId;
	readonly hash: string;
}

export interface HeadRow {
	readonly seq: number;
	readonly hash: string;
	readonly key_id: KeyId;
	readonly signature: string;
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

/** Adds entries to the trail, within a transaction. */
export function auditHead(transaction: SqlTransaction) {
	return {
		/** Reads the head and locks it until the transaction ends. The next writer of any daemon waits until then. */
		async lockHead(dialect: Dialect): Promise<HeadRow | undefined> {
			const sql = `select * from audit_head where id = 1 ${forUpdateClause(dialect)}`;
			return (await queryRows<HeadRow>(transaction, sql))[0];
		},
		async moveHead(head: HeadRow): Promise<void> {
			const { seq, hash, key_id, signature } = head;
			const set = 'seq = ?, hash = ?, key_id = ?, signature = ?';
			await execute(transaction, `update audit_head set ${set} where id = 1`, [seq, hash, key_id, signature]);
		},
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
		async findHead(): Promise<HeadRow | undefined> {
			return knex<HeadRow>('audit_head')
				.where({ id: 1 } as never)
				.first();
		},
		/** Inserts a head unless there is one already; returns whether it did. */
		async insertHead(head: HeadRow): Promise<boolean> {
			const made = await knex('audit_head')
				.insert({ id: 1, ...head })
				.onConflict('id')
				.ignore()
				.returning('id');
			return made.length > 0;
		},
		/** Returns the number of the last entry, or 0 if there is none. */
		async findLastSeq(): Promise<number> {
			const found = await knex<AuditRow>('audit').max({ seq: 'seq' }).first();
			return found?.seq ?? 0;
		},
		/**
		 * Returns the numbers of the first and the last entry of a range; for an empty range the last is smaller than the
		 * first.
		 */
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
		/** Lists entries of some actions about one subject, the latest first. */
		async listAbout(subject: string, actions: readonly string[], limit: number): Promise<AuditRow[]> {
			return knex<AuditRow>('audit')
				.where({ subject })
				.whereIn('action', [...actions])
				.orderBy('seq', 'desc')
				.limit(limit);
		},
		/**
		 * Finds the number of the first entry from a time on, or one beyond the last. Numbers increase with time and have no
		 * gaps, so a trail of years needs no index by time: each statement looks at entries at equal distances, and the next
		 * one between the two of them where the time is. A million entries take four statements.
		 */
		async findFirstSince(atMs: number): Promise<number> {
			let [low, high] = [1, (await this.findLastSeq()) + 1];
			while (low < high) {
				const step = Math.max(1, Math.ceil((high - low) / LOOKED_AT));
				const numbers = Array.from({ length: Math.ceil((high - low) / step) }, (_, nth) => low + nth * step);
				const rows = await knex<AuditRow>('audit').whereIn('seq', numbers).orderBy('seq').select('seq', 'at');
				const later = rows.find(({ at }) => Number(at) >= atMs);
				const earlier = rows.findLast(({ seq }) => !later || seq < later.seq);
				// Without any of them the trail has a gap, which `audit verify` tells.
				if (!later && !earlier) return high;
				if (later) high = Number(later.seq);
				low = earlier ? Number(earlier.seq) + 1 : high;
			}
			return low;
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
			const rows = (await counted) as unknown as { actor: string; action: string; calls: number }[];
			return rows.map((row) => ({ ...row, calls: Number(row.calls) }));
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
		/**
		 * Lists at most `limit` entries whose numbers are below `seq`, in descending order. If `seq` is undefined, the
		 * list begins with the newest entry.
		 */
		async listBefore(seq: number | undefined, limit: number): Promise<AuditRow[]> {
			const query = knex<AuditRow>('audit').orderBy('seq', 'desc').limit(limit);
			return seq === undefined ? query : query.where('seq', '<', seq);
		},
		/** Lists entries after a number, in order. */
		async listAfter(seq: number, limit: number): Promise<AuditRow[]> {
			return knex<AuditRow>('audit').where('seq', '>', seq).orderBy('seq').limit(limit);
		},
	};
}
