import { gathered, perDatabase } from '../../base/database/gather.ts';
import type { Database } from '../../base/database/open.ts';
import { transactUnsynced } from '../../base/database/plain-transaction.ts';
import { execute, queryRows } from '../../base/database/sql.ts';
import type { AnyPageOwner } from './page-owner.ts';

interface Request {
	readonly count: number;
	readonly owner: AnyPageOwner;
}

/**
 * A block of `count` page ids that a pass reserves. One statement takes the ids for several passes: the first `skipped`
 * of them come before this block.
 */
type Block = readonly [passId: string, jobId: string | null, begunAt: number | null, skipped: number, count: number];

/**
 * Returns the SQL that takes page ids from the counter. It creates the counter if there is none yet. `where` is a
 * condition that is added to the update of the counter.
 */
const takeSql = (where = '') => `
	insert into counters (name, next) values ('pages', 1 + ?)
	on conflict (name) do update set next = counters.next + ? ${where} returning next`;

/**
 * Whether the commit waits for the disk: not where the pages come later in the same log. With Citus they are on other
 * servers, and a counter that went back there would give ids that are in use.
 */
const WAITS = `case when to_regclass('pg_dist_partition') is null then 'off' else 'on' end`;

const INSERT_BLOCKS_SQL = 'insert into page_blocks (pass_id, job_id, begun_at, first, last)';

/**
 * Reserves `count` consecutive page ids and returns the first. If the ids are for a pass, the reservation is stored
 * until the pass is adopted, and it becomes durable no later than the pages do. If several writers reserve ids at the
 * same moment, one statement serves them all.
 */
export async function reservePageIds(database: Database, count: number, owner: AnyPageOwner): Promise<number> {
	return (await reservationsOf(database)({ count, owner }))!;
}

const reservationsOf = perDatabase((database: Database) =>
	gathered((requests: readonly Request[]) => reserveAll(database, requests)),
);

/** Reserves page ids for several writers, and returns the first id that each of them gets. */
async function reserveAll(database: Database, requests: readonly Request[]): Promise<Map<Request, number>> {
	const blocks: Block[] = [];
	let total = 0;
	for (const { count, owner } of requests) {
		const { pass } = owner;
		if (pass) blocks.push([pass.id, pass.jobId ?? null, pass.begunAt ?? null, total, count]);
		total += count;
	}
	let first = await (database.dialect === 'postgres' ? takeInPostgres : takeInSqlite)(database, total, blocks);
	const firsts = new Map<Request, number>();
	for (const request of requests) {
		firsts.set(request, first);
		first += request.count;
	}
	return firsts;
}

/**
 * Takes page ids and stores which pass each block belongs to. All writers wait while the counter is locked, and it is
 * locked until the commit. Therefore all of this is a single statement, and its commit does not wait for the disk (`WAITS`).
 */
async function takeInPostgres({ knex }: Database, total: number, blocks: readonly Block[]): Promise<number> {
	const take = takeSql(`where set_config('synchronous_commit', ${WAITS}, true) is not null`);
	if (blocks.length === 0) return firstOf(await queryRows(knex, take, [total, total]), total);
	const values = blocks.map(
		() => '(cast(? as text), cast(? as text), cast(? as bigint), cast(? as bigint), cast(? as bigint))',
	);
	const taken = await queryRows<Taken>(
		knex,
		`with taken as (${take}), noted as (
			${INSERT_BLOCKS_SQL}
			select pass_id, job_id, begun_at, start + skipped, start + skipped + count - 1
			from (select next - cast(? as bigint) as start from taken) taken, (values ${values}) block (pass_id, job_id, begun_at, skipped, count)
		)
		select next from taken`,
		[total, total, total, ...blocks.flat()],
	);
	return firstOf(taken, total);
}

function takeInSqlite(database: Database, total: number, blocks: readonly Block[]): Promise<number> {
	return transactUnsynced(database, async (transaction) => {
		const first = firstOf(await queryRows(transaction, takeSql(), [total, total]), total);
		if (blocks.length === 0) return first;
		const rows = blocks.map(([passId, jobId, begunAt, skipped, count]) => {
			const start = first + skipped;
			return [passId, jobId, begunAt, start, start + count - 1];
		});
		await execute(transaction, `${INSERT_BLOCKS_SQL} values ${rows.map(() => '(?, ?, ?, ?, ?)')}`, rows.flat());
		return first;
	});
}

/** The counter of page ids after a statement has taken some. */
interface Taken {
	readonly next: number;
}

function firstOf([{ next }]: readonly Taken[], total: number): number {
	return next - total;
}
