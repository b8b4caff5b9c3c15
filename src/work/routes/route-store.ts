import type { Knex } from 'knex';
import { beginsWith, byteOrdered, type Dialect } from '../../base/database/dialect.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { RowSeal, RowShape } from '../../base/keys/rows/row-seals.ts';
import { namedRows } from '../../people/identity/accounts/named-rows-store.ts';
import type { RunState } from './runs/run-store.ts';

export interface RouteRow extends RowSeal {
	readonly account_id: AccountId;
	readonly name: string;
	readonly id: string;
	readonly document: string;
	readonly own_options: string | null;
	readonly paused: boolean | number;
	readonly stopped_reason: string | null;
	readonly failed_logins: number;
	readonly failed_runs: number;
	readonly next_run_at: number | null;
	readonly retry_at: number | null;
	readonly last_run_at: number | null;
	readonly last_outcome: Exclude<RunState, 'running'> | null;
	readonly last_success_at: number | null;
	readonly files: number;
	readonly expect_at: number | null;
	readonly expect_from: number | null;
	readonly missing_since: number | null;
	readonly created_at: number;
	readonly updated_at: number;
}

/** The columns of a route that a put document sets. */
export type PutRoute = Omit<RouteRow, 'failed_logins' | 'failed_runs' | 'files' | 'last_run_at' | 'last_outcome'>;

export interface RouteFigures
	extends Pick<RouteRow, 'name' | 'last_success_at' | 'created_at' | 'missing_since' | 'stopped_reason'> {
	readonly user_id: string;
	readonly dead: number;
}

export function routeStore(knex: Knex) {
	const routes = () => knex<RouteRow>('routes');
	const named = namedRows<RouteRow>(knex, 'routes', 'name');
	return {
		...named,
		async findById(id: string): Promise<RouteRow | undefined> {
			return routes().where({ id }).first();
		},
		async listNamed(dialect: Dialect, accountId: AccountId, text: string, limit: number): Promise<string[]> {
			return routes()
				.where({ account_id: accountId })
				.whereRaw(...beginsWith(dialect, 'name', text))
				.orderByRaw(byteOrdered(dialect, 'name'))
				.limit(limit)
				.pluck('name');
		},
		async listRunning(ids: readonly string[]): Promise<Set<string>> {
			const rows = knex('route_runs').whereRaw(`state = 'running'`);
			return new Set(await rows.whereIn('route_id', ids as string[]).pluck('route_id'));
		},
		/** Replaces the document of the route with the same name; ledger, history and counts stay. */
		put: (row: PutRoute) => named.put(row as RouteRow, ['created_at', 'id', 'last_success_at']),
		async update(id: string, expected: Partial<RouteRow>, changes: Partial<RouteRow>): Promise<boolean> {
			return (
				(await routes()
					.where({ ...expected, id })
					.update(changes as never)) === 1
			);
		},
		/** Counts further files of a route, and returns the number of the first of them. */
		async countFiles(id: string, count: number): Promise<number> {
			const changed = routes()
				.where({ id })
				.update({ files: knex.raw('files + ?', [count]) } as never);
			const [{ files }] = (await changed.returning('files')) as { files: number }[];
			return files - count + 1;
		},
		/**
		 * Lists routes whose time has come: by their times, or to try again. A stopped or paused route has neither time, and
		 * one that runs now waits until the run has ended.
		 */
		async listDue(now: number, limit: number): Promise<RouteRow[]> {
			const running = knex('route_runs').whereRaw(`state = 'running' and route_id = routes.id`).select(knex.raw('1'));
			return (await routes()
				.where((due) => due.where('next_run_at', '<=', now).orWhere('retry_at', '<=', now))
				.whereNotExists(running)
				.orderBy('id')
				.limit(limit)) as RouteRow[];
		},
		/** Lists routes by whose time files are expected, and those whose alarm is raised. */
		async listExpecting(now: number, limit: number): Promise<RouteRow[]> {
			const due = routes().where('expect_at', '<=', now).orWhereNotNull('missing_since');
			return (await due.orderBy('id').limit(limit)) as RouteRow[];
		},
		async listFigures(most: number): Promise<RouteFigures[]> {
			const dead = knex('route_files').whereRaw(`state = 'dead' and route_id = routes.id`).count('*');
			return (await knex('routes')
				.join('accounts', 'accounts.id', 'routes.account_id')
				.orderBy('routes.id')
				.limit(most)
				.select('accounts.user_id', 'routes.name', 'routes.last_success_at', 'routes.created_at')
				.select('routes.missing_since', 'routes.stopped_reason', { dead })) as RouteFigures[];
		},
		async removeBeside(id: string): Promise<void> {
			await knex('route_run_files')
				.whereIn('run_id', knex('route_runs').where({ route_id: id }).select('id'))
				.delete();
			await knex('route_runs').where({ route_id: id }).delete();
			await knex('route_files').where({ route_id: id }).delete();
		},
	};
}

/** Names a route in the audit trail. */
export function routeSubject(userId: string, name: string): string {
	return `route ${userId}/${name}`;
}

/** The seal covers everything that decides where files go, and how they are processed. */
export const sealedRoutes: RowShape = {
	table: 'routes',
	id: ['account_id', 'name'],
	columns: ['id', 'document', 'own_options', 'updated_at'],
	freshness: { by: 'ended-rows', generation: 'updated_at' },
};
