import type { Knex } from 'knex';
import { deleteRows } from '../../../base/database/dialect.ts';
import type { JobId } from '../../../base/database/ids.ts';
import { countUpTo, type ListPage, readListPage } from '../../../base/database/list-page.ts';
import type { WhyColumns } from '../../../base/failures.ts';

/**
 * `seen`: the file was listed and is not ready yet, or no run has taken it. `claimed`: a run has taken it; the lease of the
 * run is that of its files. With a reason and no next try it was taken to be given up. `done`: it was delivered. `dead`: it was given up.
 */
export type LedgerState = 'seen' | 'claimed' | 'done' | 'dead';

export interface LedgerRow extends WhyColumns {
	readonly id: number;
	readonly route_id: string;
	readonly path: string;
	readonly size: number;
	readonly modified_at: number;
	readonly state: LedgerState;
	readonly seen_at: number;
	readonly sha256: string | null;
	readonly run_id: string | null;
	readonly tries: number;
	readonly next_try_at: number | null;
	readonly seq: number | null;
	readonly claimed_at: number | null;
	readonly moved_to: string | null;
	readonly job_id: JobId | null;
	readonly held_id: number | null;
	readonly intent: string | null;
	readonly delivered_as: string | null;
	readonly delivered_at: number | null;
	readonly ended_at: number | null;
}

export type SeenFile = Pick<LedgerRow, 'route_id' | 'path' | 'size' | 'modified_at' | 'seen_at'>;

/** Selects files of the ledger of a route. */
export interface FileQuestion {
	readonly state?: LedgerState;
}

/** Which files of the ledger of a route are looked at, youngest first. */
export interface FilesAsked extends FileQuestion, ListPage<number> {
	/** So many of the youngest are left out. */
	readonly offset?: number;
}

/** Each method is a single statement over the ledger of a route. `knex` may be a transaction. */
export function ledgerStore(knex: Knex) {
	const files = () => knex<LedgerRow>('route_files');
	const filesOf = (routeId: string, { state }: FileQuestion) => {
		const query = files().where({ route_id: routeId });
		return state === undefined ? query : query.andWhere({ state });
	};
	return {
		/** Returns what is known of these paths, so that a listing is compared as a set and never by the newest time. */
		async listByPaths(routeId: string, paths: readonly string[]): Promise<LedgerRow[]> {
			return (await files()
				.where({ route_id: routeId })
				.whereIn('path', paths as string[])) as LedgerRow[];
		},
		async insertSeen(seen: readonly SeenFile[]): Promise<LedgerRow[]> {
			return (await files()
				.insert(seen.map((file) => ({ ...file, state: 'seen' })))
				.returning('*')) as LedgerRow[];
		},
		async removeSeen(ids: readonly number[]): Promise<void> {
			await files()
				.where({ state: 'seen' })
				.whereIn('id', ids as number[])
				.delete();
		},
		/** Claims a file that was seen; returns whether it did. */
		async claim(id: number, claim: Pick<LedgerRow, 'run_id' | 'claimed_at' | 'seq' | 'reason' | 'told'>) {
			const changes = { state: 'claimed' as const, ...claim };
			return (await files().where({ id, state: 'seen' }).update(changes)) === 1;
		},
		/** Lists the claimed files whose next try is due, in the order in which they were claimed. */
		async listDue(routeId: string, now: number): Promise<LedgerRow[]> {
			return (await files()
				.where({ route_id: routeId })
				.whereRaw(`state = 'claimed'`)
				.andWhere((due) => due.whereNull('next_try_at').orWhere('next_try_at', '<=', now))
				.orderBy('seq')) as LedgerRow[];
		},
		async findNextTry(routeId: string): Promise<number | undefined> {
			const claimed = files().where({ route_id: routeId }).whereRaw(`state = 'claimed'`);
			const row = await claimed.min({ at: knex.raw('coalesce(next_try_at, 0)') }).first();
			return row?.at ?? undefined;
		},
		async findById(id: number): Promise<LedgerRow | undefined> {
			return files().where({ id }).first();
		},
		async hasContent(routeId: string, path: string, sha256: string): Promise<boolean> {
			return (await files().where({ route_id: routeId, path, sha256, state: 'done' }).first('id')) !== undefined;
		},
		/** Lists the ledger in the order in which files were first seen, newest first. */
		async list(routeId: string, { after, before, limit, offset = 0, ...question }: FilesAsked): Promise<LedgerRow[]> {
			return readListPage<LedgerRow>(filesOf(routeId, question).offset(offset), 'id', { after, before, limit });
		},
		/** Counts the files of the ledger that fit, up to `most`. */
		async count(routeId: string, question: FileQuestion, most: number): Promise<number> {
			return countUpTo(knex, filesOf(routeId, question), most);
		},
		async countDead(routeIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
			const rows = await files()
				.whereIn('route_id', routeIds as string[])
				.whereRaw(`state = 'dead'`)
				.groupBy('route_id')
				.select('route_id')
				.count({ count: '*' });
			return new Map(rows.map(({ route_id, count }) => [String(route_id), Number(count)]));
		},
		async listDead(routeId: string, filter: { path?: string; runId?: string } = {}): Promise<LedgerRow[]> {
			const query = files().where({ route_id: routeId }).whereRaw(`state = 'dead'`);
			if (filter.path !== undefined) query.andWhere({ path: filter.path });
			if (filter.runId !== undefined) query.andWhere({ run_id: filter.runId });
			return (await query.orderBy('id')) as LedgerRow[];
		},
		/** Changes a file if it still has the state and run of `row`; returns whether it did. */
		async update({ id, state, run_id }: LedgerRow, changes: Partial<LedgerRow>): Promise<boolean> {
			return (await files().where({ id, state, run_id }).update(changes)) === 1;
		},
		async handOver(routeId: string, runId: string): Promise<void> {
			await files().where({ route_id: routeId }).whereRaw(`state = 'claimed'`).update({ run_id: runId });
		},
		/** Removes the files of a path, so that it may come again; returns their rows. */
		async remove(routeId: string, path: string): Promise<LedgerRow[]> {
			const rows = await this.listByPaths(routeId, [path]);
			const ended = rows.filter(({ state }) => state !== 'claimed');
			const ids = ended.map(({ id }) => id);
			await files().whereIn('id', ids).whereNot({ state: 'claimed' }).delete();
			return ended;
		},
		/**
		 * Removes the files of the path that were given up, in whose place one was delivered; returns their rows. Otherwise
		 * nothing would remove them but `route forget`, which would let the delivered one come again.
		 */
		async removeReplaced({ id, route_id, path }: Pick<LedgerRow, 'id' | 'route_id' | 'path'>): Promise<LedgerRow[]> {
			const dead = files().where({ route_id, path }).whereRaw(`state = 'dead'`).whereNot({ id });
			return deleteRows<LedgerRow>(knex, dead);
		},
		/** Counts the files that were delivered in a period. Those whose source is not cleared up yet are among them. */
		async countDelivered(routeId: string, fromMs: number, toMs: number): Promise<number> {
			const delivered = () =>
				files().where({ route_id: routeId }).whereBetween('delivered_at', [fromMs, toMs]).select('id');
			// A file ends after its delivery, so the index of ends leads to those of the period. The others are claimed still.
			const ended = delivered().where('ended_at', '>=', fromMs);
			const both = ended.unionAll(delivered().whereRaw(`state = 'claimed'`));
			const [{ count }] = await knex.from(both.as('delivered')).count({ count: '*' });
			return Number(count);
		},
	};
}
