import type { Knex } from 'knex';
import { rowsOf } from '../database/dialect.ts';
import type { Database } from '../database/open.ts';
import { type PlainTransaction, transactUnsynced } from '../database/plain-transaction.ts';
import { type AnyPageOwner, passIdOf } from './page-owner.ts';

/**
 * Takes ids from the counter and notes whose they are. The counter is locked until the commit, so this is a single statement
 * that does not wait for the disk.
 */
const RESERVE_SQL = `
	with taken as (
		update counters set next = next + ?
		where name = 'pages' and set_config('synchronous_commit', 'off', true) is not null
		returning next
	), noted as (
		insert into page_blocks (job_id, begun_at, first, last)
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
		const answer = await database.knex.raw(RESERVE_SQL, [count, begunAt, count, passId] as Knex.RawBinding[]);
		const [taken] = rowsOf<{ next: number }>(answer);
		if (taken) return taken.next - count;
	}
	return transactUnsynced(database, async (transaction) => {
		const first = await takeFromCounter(transaction, 'pages', count);
		if (passId !== null) {
			const block = [passId, begunAt, first, first + count - 1];
			await transaction.raw('insert into page_blocks (job_id, begun_at, first, last) values (?, ?, ?, ?)', block);
		}
		return first;
	});
}

async function takeFromCounter(transaction: PlainTransaction, name: string, count: number): Promise<number> {
	const take = async () => {
		const sql = 'update counters set next = next + ? where name = ? returning next';
		const [row] = rowsOf<{ next: unknown }>(await transaction.raw(sql, [count, name]));
		return row && Number(row.next) - count;
	};
	const taken = await take();
	if (taken !== undefined) return taken;
	await transaction.raw('insert into counters (name, next) values (?, 1) on conflict (name) do nothing', [name]);
	return (await take())!;
}
