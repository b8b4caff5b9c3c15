import type { Knex } from 'knex';
import type { AccountId, JobId } from '../../../base/database/ids.ts';
import { countUpTo, keepMadeWithin, type ListPage, readListPage } from '../../../base/database/list-page.ts';
import type { WhyColumns } from '../../../base/failures.ts';

export interface RunRow extends WhyColumns {
	readonly id: string;
	readonly route_id: string;
	readonly account_id: AccountId;
	readonly trigger: RunTrigger;
	readonly state: RunState;
	readonly started_at: number;
	readonly ended_at: number | null;
	readonly claimed_by: string | null;
	readonly lease_until: number | null;
}

/** What became of a file in a run. */
export interface RunFileRow extends WhyColumns {
	readonly run_id: string;
	readonly path: string;
	readonly size: number;
	readonly state: 'delivered' | 'skipped' | 'failed' | 'dead';
	readonly job_id: JobId | null;
	readonly cards: number | null;
	readonly refused: number | null;
	readonly delivered_as: string | null;
	readonly tries: number;
}

/** Who carries out a run, and until when others leave it alone. */
export interface RunLease {
	readonly daemonId: string;
	readonly leaseUntil: number;
}

/** Selects runs of a route that fit everything that is given. */
export interface RunQuestion {
	readonly state?: RunState;
	readonly fromMs?: number;
	readonly toMs?: number;
}

/** Which runs of a route are looked at, youngest first. */
export interface RunsAsked extends RunQuestion, ListPage<string> {
	/** So many of the youngest are left out. */
	readonly offset?: number;
}

/** Each method is a single statement over runs and what became of their files. `knex` may be a transaction. */
export function runStore(knex: Knex) {
	const runs = () => knex<RunRow>('route_runs');
	const runsOf = (routeId: string, { state, ...period }: RunQuestion) => {
		const query = runs().where({ route_id: routeId });
		if (state !== undefined) void query.andWhere({ state });
		keepMadeWithin(query, period, { column: 'started_at' });
		return query;
	};
	return {
		async insert(row: RunRow): Promise<void> {
			await knex('route_runs').insert(row);
		},
		async findById(id: string): Promise<RunRow | undefined> {
			return runs().where({ id }).first();
		},
		/** Lists the runs that nobody carries out: those just asked for, and those whose lease has ended. */
		async listUnclaimed(now: number, limit: number): Promise<RunRow[]> {
			return (await runs()
				.whereRaw(`state = 'running'`)
				.andWhere((free) => free.whereNull('claimed_by').orWhere('lease_until', '<', now))
				.orderBy('id')
				.limit(limit)) as RunRow[];
		},
		/** Takes a run over; returns whether nobody else did so first. */
		async take({ id, claimed_by, lease_until }: RunRow, { daemonId, leaseUntil }: RunLease): Promise<boolean> {
			const expected = { id, state: 'running' as const, claimed_by, lease_until };
			return (await runs().where(expected).update({ claimed_by: daemonId, lease_until: leaseUntil })) === 1;
		},
		/** Renews the leases of runs, and returns those that are still the daemon's own. */
		async renew(ids: readonly string[], { daemonId, leaseUntil }: RunLease): Promise<Set<string>> {
			const own = runs()
				.whereIn('id', ids as string[])
				.where({ state: 'running', claimed_by: daemonId });
			const rows = (await own.update({ lease_until: leaseUntil }).returning('id')) as { id: string }[];
			return new Set(rows.map(({ id }) => id));
		},
		/** Locks a run until the transaction ends; returns whether the daemon still has it. */
		async isOurs(id: string, daemonId: string): Promise<boolean> {
			const own = runs().where({ id, state: 'running', claimed_by: daemonId });
			return (await own.forUpdate().first('id')) !== undefined;
		},
		/** Gives up the leases of daemons that have ended. Those of commands stay. */
		async releaseDaemons(): Promise<void> {
			await runs()
				.whereRaw(`state = 'running'`)
				.whereNot('claimed_by', 'like', 'command:%')
				.update({ claimed_by: null, lease_until: null });
		},
		async release(id: string, daemonId: string): Promise<void> {
			await runs()
				.where({ id, state: 'running', claimed_by: daemonId })
				.update({ claimed_by: null, lease_until: null });
		},
		/** Ends a run that the daemon has; returns whether it did. */
		async end(id: string, daemonId: string, end: Pick<RunRow, 'state' | 'reason' | 'told' | 'ended_at'>) {
			const changes = { ...end, claimed_by: null, lease_until: null };
			return (await runs().where({ id, state: 'running', claimed_by: daemonId }).update(changes)) === 1;
		},
		async list(routeId: string, { after, before, limit, offset = 0, ...question }: RunsAsked): Promise<RunRow[]> {
			const query = runsOf(routeId, question).offset(offset);
			return readListPage<RunRow>(query, 'id', { after, before, limit });
		},
		async count(routeId: string, question: RunQuestion, most: number): Promise<number> {
			return countUpTo(knex, runsOf(routeId, question), most);
		},
		/** Says what became of a file in a run, in the place of what was said before. */
		async putFile(row: RunFileRow): Promise<void> {
			await knex('route_run_files').insert(row).onConflict(['run_id', 'path']).merge();
		},
		async listFiles(runIds: readonly string[]): Promise<RunFileRow[]> {
			return (await knex<RunFileRow>('route_run_files')
				.whereIn('run_id', runIds as string[])
				.orderBy(['run_id', 'path'])) as RunFileRow[];
		},
		async removeEnded(before: number, limit: number): Promise<number> {
			const ids: string[] = await runs().where('ended_at', '<', before).orderBy('ended_at').limit(limit).pluck('id');
			await knex('route_run_files').whereIn('run_id', ids).delete();
			return runs().whereIn('id', ids).delete();
		},
	};
}

/** What began a run. */
export type RunTrigger = 'cron' | 'every' | 'arrival' | 'hand' | 'http' | 'missed';

/**
 * The state of a run. `partly`: some files were delivered and others not. `stopped`: the route was stopped during the run,
 * because its login was refused too often.
 */
export type RunState = 'running' | 'done' | 'partly' | 'failed' | 'stopped';
