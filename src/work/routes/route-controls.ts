// What people do with a stored route, whichever door they come through: run it, take files again, try it, and look at its
// runs and its ledger.

import type { Clock } from '../../base/clock.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { mayCause } from '../../people/identity/effects.ts';
import { requirePermission } from '../../people/identity/permissions.ts';
import type { Principal } from '../../people/identity/principal.ts';
import type { Actor } from '../../trail/actor.ts';
import type { Audit } from '../../trail/audit.ts';
import type { Drops } from '../drops/drops.ts';
import { ownOptionsOf } from '../jobs/format-options.ts';
import type { Intake } from '../jobs/intake.ts';
import type { PgpKeys } from '../pgp/pgp-keys.ts';
import { letsNumbersOut, type Route } from './document/route.ts';
import { type FileQuestion, type FilesAsked, ledgerStore } from './ledger/ledger-store.ts';
import { forgetFile, retryFiles } from './ledger/take-again.ts';
import type { EndParts } from './places/open-ends.ts';
import { type RouteRow, routeStore, routeSubject } from './route-store.ts';
import type { RouteOwner } from './routes.ts';
import { askForRun } from './runs/begin-runs.ts';
import { type CheckedRoute, checkRoute, shownCheck } from './runs/check-route.ts';
import { listFiles, listRuns, listToldRuns } from './runs/history.ts';
import { type RunQuestion, type RunRow, type RunsAsked, runStore } from './runs/run-store.ts';
import { listUsers, type NamedThing } from './uses.ts';

/** The account of a route, and who acts for it. */
export interface RouteUser {
	readonly accountId: AccountId;
	readonly userId: string;
	readonly actor: Actor;
}

/** The account whose route is tried, and for how long. */
type Checker = Pick<RouteOwner, 'accountId' | 'ownerId'> & { readonly signal: AbortSignal };

export type RouteControls = ReturnType<typeof openRouteControls>;

export function openRouteControls(parts: {
	readonly database: Database;
	readonly keyRing: Pick<KeyRing, 'seals'>;
	readonly audit: Pick<Audit, 'record'>;
	readonly clock: Clock;
	readonly drops: Drops;
	readonly intake: Pick<Intake, 'retry'>;
	readonly ends: EndParts;
	readonly pgpKeys: Pick<PgpKeys, 'list'>;
}) {
	const { database, audit, clock } = parts;
	const asked = ({ userId, actor }: RouteUser, row: RouteRow) => {
		return { row, subject: routeSubject(userId, row.name), actor };
	};
	const check = async (owner: Checker, route: Route): Promise<CheckedRoute> => {
		const stored = await routeStore(database.knex).find(owner.accountId, route.name);
		return checkRoute(parts, owner, route, stored?.id);
	};
	return {
		/** Lists what names something of a primary account, and fails without it. */
		usersOf: (ownerId: AccountId, thing: NamedThing) => listUsers(parts, ownerId, thing),
		/** Asks for a run, which a daemon then carries out. @throws ServiceError if the route runs already or is stopped */
		async run(user: RouteUser, row: RouteRow, trigger: 'hand' | 'http'): Promise<RunRow> {
			const run = await askForRun({ database, clock }, row, trigger);
			const entry = { actor: user.actor, action: 'route.ask', subject: routeSubject(user.userId, row.name) };
			await audit.record({ ...entry, account: { within: user.accountId }, details: { run: run.id } });
			return run;
		},
		async retry(user: RouteUser, row: RouteRow, which: { path?: string; runId?: string }): Promise<string[]> {
			return retryFiles(parts, asked(user, row), which);
		},
		/** Lets a file come again, as if it had never come; returns how many files were forgotten. */
		async forget(user: RouteUser, row: RouteRow, path: string): Promise<number> {
			return forgetFile(parts, asked(user, row), path);
		},
		/** Tries a route without writing anything. The ledger of the stored one of its name, which it would keep, counts. */
		check: async (owner: Checker, route: Route) => shownCheck(await check(owner, route)),
		toldCheck: check,
		runs: (row: RouteRow, filter: RunsAsked) => listRuns(database, row, filter),
		toldRuns: (row: RouteRow, filter: RunsAsked) => listToldRuns(database, row, filter),
		countRuns: ({ id }: RouteRow, question: RunQuestion, most: number) =>
			runStore(database.knex).count(id, question, most),
		files: (row: RouteRow, filter: FilesAsked) => listFiles(database, row, filter),
		countFiles: ({ id }: RouteRow, question: FileQuestion, most: number) =>
			ledgerStore(database.knex).count(id, question, most),
		/** Counts, by the ids of routes, the files that were given up. Routes without one are left out. */
		async countDead(rows: readonly Pick<RouteRow, 'id'>[]): Promise<ReadonlyMap<string, number>> {
			return rows.length === 0 ? new Map() : ledgerStore(database.knex).countDead(rows.map(({ id }) => id));
		},
	};
}

/** Returns the account that a caller puts routes for. */
export function routeOwnerOf(principal: Principal): RouteOwner {
	const { accountId, ownerId, userId } = principal;
	const mayGiveCards = mayCause(principal, 'gives-away');
	return { accountId, ownerId, userId, ownOptions: ownOptionsOf(principal, 'tokenize'), mayGiveCards };
}

/** A route through which card numbers leave needs the permission that two operators grant together. */
export function requireRouteWork(principal: Principal, route: Route): void {
	if (letsNumbersOut(route)) requirePermission(principal, 'FileDetokenize');
	const { from, do: work, to } = route;
	const isOfTokens = [from.place, to.place].some(({ kind }) => kind === 'drop');
	if (work.operation === 'tokenize' || isOfTokens) requirePermission(principal, 'FileTokenize');
}
