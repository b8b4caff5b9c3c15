import { type Dialect, forUpdateClause, skipLockedClause } from '../../base/database/dialect.ts';
import type { KeyId } from '../../base/database/ids.ts';
import { execute, queryRows, type SqlTarget, type SqlTransaction } from '../../base/database/sql.ts';
import { MAIN_ROW, rowOfLane } from './numbers.ts';

/** The end of a lane, or of the main chain: its last entry or link, signed. */
export interface HeadRow {
	readonly id: number;
	readonly seq: number;
	readonly hash: string;
	readonly key_id: KeyId;
	readonly signature: string;
	/** How many lanes there are, and the last link that the last writer of the lane has seen. */
	readonly lanes: number;
	readonly link: number;
}

/** A link of the main chain. */
export interface LinkRow {
	readonly number: number;
	readonly at: number;
	/** `LinkedEnd`s as JSON, exactly as they were hashed. */
	readonly heads: string;
	readonly previous_hash: string;
	readonly key_id: KeyId;
	readonly hash: string;
}

/** The end of a lane in a link: its number, and number and hash of its last entry. */
export type LinkedEnd = readonly [lane: number, seq: number, hash: string];

/** Of the advisory locks of PostgreSQL, those with this number say that somebody is writing in a lane. */
const WRITING = 7_470_634;

/** Lets a statement of PostgreSQL, and those after it in the transaction, wait for locks however long it takes. */
const FOR_LONG = `and set_config('lock_timeout', '0', true) is not null`;

/** Writes in lanes, within a transaction. */
export function laneWriter(transaction: SqlTransaction, dialect: Dialect) {
	return {
		/**
		 * Reads the end of a lane and locks it until the transaction ends. The next writer of the lane waits until then, however
		 * long, also in a transaction that waits for other locks only a short time: the end belongs to all writers, so one that
		 * gave up would only have to come back. With `isMarked` the same statement does what `mark` does, which takes no time of
		 * its own.
		 */
		async lockHead(lane: number, isMarked: boolean): Promise<HeadRow | undefined> {
			const row = rowOfLane(lane);
			if (dialect === 'sqlite' || !isMarked) {
				const waiting = dialect === 'sqlite' ? '' : FOR_LONG;
				const sql = `select * from audit_head where id = ? ${waiting} ${forUpdateClause(dialect)}`;
				return (await queryRows<HeadRow>(transaction, sql, [row]))[0];
			}
			const sql = `with writing as materialized (select pg_advisory_xact_lock_shared(${WRITING}, ?))
				select head.* from writing cross join audit_head head where head.id = ? ${FOR_LONG} for update of head`;
			return (await queryRows<HeadRow>(transaction, sql, [row, row]))[0];
		},
		/**
		 * Tells readers of the trail on PostgreSQL that this transaction writes in the lane: it takes a lock for which nobody
		 * waits, and `findSettled` looks at who has it. This must come before the ends of other lanes are read.
		 */
		async mark(lane: number): Promise<void> {
			if (dialect === 'sqlite') return;
			await queryRows(transaction, `select pg_advisory_xact_lock_shared(${WRITING}, ?)`, [rowOfLane(lane)]);
		},
		async findEnds(): Promise<{ highest: number; link: number }> {
			const sql = `select max(case when id <> ? then seq end) as highest, max(case when id = ? then seq end) as link
				from audit_head`;
			const [ends] = await queryRows<{ highest: number; link: number | null }>(transaction, sql, [MAIN_ROW, MAIN_ROW]);
			return { highest: ends.highest, link: ends.link ?? 0 };
		},
		async moveHead({ id, seq, hash, key_id, signature, lanes, link }: HeadRow): Promise<void> {
			const set = 'seq = ?, hash = ?, key_id = ?, signature = ?, lanes = ?, link = ?';
			const values = [seq, hash, key_id, signature, lanes, link, id];
			await execute(transaction, `update audit_head set ${set} where id = ?`, values);
		},
		async insertHead({ id, seq, hash, key_id, signature, lanes, link }: HeadRow): Promise<void> {
			const sql = `insert into audit_head (id, seq, hash, key_id, signature, lanes, link) values (?, ?, ?, ?, ?, ?, ?)`;
			await execute(transaction, sql, [id, seq, hash, key_id, signature, lanes, link]);
		},
		/** Locks the end of the main chain unless somebody else has; returns whether it did. */
		async lockMain(): Promise<boolean> {
			const sql = `select id from audit_head where id = ? ${skipLockedClause(dialect)}`;
			return (await queryRows(transaction, sql, [MAIN_ROW])).length > 0;
		},
		/** Locks all ends until the transaction ends, and waits for who is writing. Lane 0 comes first, which is always there. */
		async lockAll(): Promise<HeadRow[]> {
			const lock = forUpdateClause(dialect);
			await queryRows(transaction, `select id from audit_head where id = ? ${lock}`, [rowOfLane(0)]);
			return queryRows<HeadRow>(transaction, `select * from audit_head order by id ${lock}`);
		},
		async insertLink({ number, at, heads, previous_hash, key_id, hash }: LinkRow): Promise<void> {
			const sql = `insert into audit_links (number, at, heads, previous_hash, key_id, hash) values (?, ?, ?, ?, ?, ?)`;
			await execute(transaction, sql, [number, at, heads, previous_hash, key_id, hash]);
		},
	};
}

/** Reads lanes and links; each method is a single statement. */
export function laneStore(on: SqlTarget) {
	return {
		/** Lists the ends of the lanes and of the main chain, as they are at one moment. */
		async listHeads(): Promise<HeadRow[]> {
			return queryRows<HeadRow>(on, 'select * from audit_head order by id');
		},
		/**
		 * Lists the ends of the lanes, each with whether somebody is writing in it. The locks are looked at after the moment at
		 * which the rows are read.
		 */
		async listWriting(
			dialect: Dialect,
		): Promise<(Pick<HeadRow, 'seq' | 'lanes'> & { readonly is_writing: boolean })[]> {
			const isWriting =
				dialect === 'sqlite'
					? '0'
					: `exists (select 1 from pg_locks where locktype = 'advisory' and objsubid = 2 and classid = ${WRITING}
						and objid = head.id::oid and granted
						and database = (select oid from pg_database where datname = current_database()))`;
			const sql = `select seq, lanes, ${isWriting} as is_writing from audit_head head where id <> ?`;
			return queryRows(on, sql, [MAIN_ROW]);
		},
		async findLink(number: number): Promise<LinkRow | undefined> {
			return (await queryRows<LinkRow>(on, 'select * from audit_links where number = ?', [number]))[0];
		},
		async listLinksAfter(number: number, limit: number): Promise<LinkRow[]> {
			const sql = 'select * from audit_links where number > ? order by number limit ?';
			return queryRows<LinkRow>(on, sql, [number, limit]);
		},
	};
}
