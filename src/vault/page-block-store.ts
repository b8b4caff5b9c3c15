import type { Knex } from 'knex';
import { rowsOf } from '../database/dialect.ts';
import type { Database } from '../database/open.ts';
import { transactUnsynced } from '../database/plain-transaction.ts';
import { type AnyPageOwner, passIdOf } from './page-owner.ts';

/** Takes ids from the counter, and begins it if there is none. `where` belongs to the update. */
const takeSql = (where = '') => `
	insert into counters (name, next) values ('pages', 1 + ?)
	on conflict (name) do update set next = counters.next + ? ${where} returning next`;

const INSERT_BLOCK_SQL = 'insert into page_blocks (job_id, begun_at, first, last)';

/**
 * Does both on PostgreSQL. The counter is locked until the commit, and every writer waits for it, so this is one statement
 * whose commit does not wait for the disk.
 */
const RESERVE_SQL = `
	with taken as (${takeSql(`where set_config('synchronous_commit', 'off', true) is not null`)}),
	noted as (
		${INSERT_BLOCK_SQL}
		select pass.id, cast(? as bigint), next - ?, next - 1
		from taken, (select cast(? as text) as id) pass where pass.id is not null
	)
	select next from taken`;

/**
 * Reserves `count` page ids and returns the first. The reservation of a pass is remembered until the pass is adopted. It is
 * durable no later than the pages are.
 */
export async function reservePageIds(database: Database, count: number, owner: AnyPageOwner): Promise<number> {
	const passId = passIdOf(owner);
	const begunAt = owner.pass?.begunAt ?? null;
	if (database.dialect === 'postgres') {
		const bindings = [count, count, begunAt, count, passId] as Knex.RawBinding[];
		return firstOf(await database.knex.raw(RESERVE_SQL, bindings), count);
	}
	return transactUnsynced(database, async (transaction) => {
		const first = firstOf(await transaction.raw(takeSql(), [count, count]), count);
		if (passId !== null) {
			await transaction.raw(`${INSERT_BLOCK_SQL} values (?, ?, ?, ?)`, [passId, begunAt, first, first + count - 1]);
		}
		return first;
	});
}

/** Returns the first of the ids that a statement has taken. */
function firstOf(answer: unknown, count: number): number {
	const [{ next }] = rowsOf<{ next: number }>(answer);
	return next - count;
}
