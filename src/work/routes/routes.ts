// Manages the stored routes of accounts.

import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../base/clock.ts';
import { transact } from '../../base/database/dialect.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import { makeUlid } from '../../base/database/ulid.ts';
import { ServiceError } from '../../base/errors.ts';
import { told, type Why, why } from '../../base/failures.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { Settings } from '../../base/settings/settings.ts';
import type { Format } from '../../engine/format.ts';
import { parseOptions } from '../../engine/options.ts';
import { missingEffect } from '../../people/identity/effects.ts';
import type { Actor } from '../../trail/actor.ts';
import type { Audit } from '../../trail/audit.ts';
import { merchantOf } from '../jobs/format-options.ts';
import { listNames } from '../pgp/pgp-keys.ts';
import type { Destinations } from '../relay/partners/destinations.ts';
import { parseRoute, parseStoredRoute, type RouteScope, routeNameProblem } from './document/read-route.ts';
import { type Route, timeZoneOf } from './document/route.ts';
import { routeDocument } from './document/route-document.ts';
import { ledgerStore } from './ledger/ledger-store.ts';
import { type RouteRow, routeStore, routeSubject, sealedRoutes } from './route-store.ts';
import { expectedTimes, nextRunAt } from './times/next-run-at.ts';

/** The account of a route. Destinations belong to its primary account, the `ownerId`. */
export interface RouteOwner {
	readonly accountId: AccountId;
	readonly ownerId: AccountId;
	readonly userId: string;
	/** Options that override those of the document, because of the permissions of who puts it. */
	readonly ownOptions?: Readonly<Record<string, unknown>>;
	/** False if who puts it may not give cards to another account than the present route does. Operators may. */
	readonly mayGiveCards?: boolean;
}

/** A stored route with what is known of it beside its document. */
export type StoredRoute = Awaited<ReturnType<Routes['get']>>;

const MAX_ROUTES = 500;

/** This error means that somebody else has saved or removed the route meanwhile, or that there is one of its name. */
export class RouteChangedError extends Error {
	override readonly name = 'RouteChangedError';
}

export type Routes = ReturnType<typeof openRoutes>;

/** Gives access to the stored routes; the database must be migrated. */
export function openRoutes(options: {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly audit: Pick<Audit, 'record'>;
	readonly destinations: Pick<Destinations, 'list'>;
	readonly clock: Clock;
	readonly formats: ReadonlyMap<string, Format>;
	/** The folders of the server that routes may use. */
	readonly folders: readonly string[];
}) {
	const { database, keyRing, audit, destinations, clock, formats, folders } = options;
	const store = routeStore(database.knex);

	const scopeOf = async ({ ownerId }: Pick<RouteOwner, 'ownerId'>): Promise<RouteScope> => ({
		keys: {
			own: await listNames(options, ownerId, 'own'),
			partner: await listNames(options, ownerId, 'partner'),
		},
		destinations: (await destinations.list(ownerId)).map(({ name }) => name),
		folders,
		filters: [...formats.keys()],
		optionsProblem(filter, options) {
			try {
				parseOptions(formats.get(filter)!, options);
			} catch (error) {
				return (error as Error).message;
			}
		},
	});
	const opened = async (rows: readonly RouteRow[]) => {
		const running = rows.length === 0 ? new Set() : await store.listRunning(rows.map(({ id }) => id));
		return rows.map((row) => {
			const route = routeOf(row);
			return { row, route, listed: listedRoute(row, route, running.has(row.id)) };
		});
	};
	const get = async (accountId: AccountId, name: string) => {
		// A text that is no name may be one that the database cannot even compare.
		const isName = routeNameProblem(name) === undefined;
		const row = isName ? await keyRing.seals.find(sealedRoutes, () => store.find(accountId, name)) : undefined;
		if (row) return (await opened([row]))[0];
		throw new ServiceError('uri-not-found', { field: 'name', problem: 'the account has no route with this name' });
	};
	const change = async (
		owner: RouteOwner,
		name: string,
		{ actor, action }: { readonly actor: Actor; readonly action: 'pause' | 'resume' },
		changesOf: (stored: Awaited<ReturnType<typeof get>>) => Partial<RouteRow>,
	) => {
		const stored = await get(owner.accountId, name);
		await transact(database, async (transaction) => {
			await routeStore(transaction).update(stored.row.id, {}, changesOf(stored));
			const entry = { actor, action: `route.${action}`, subject: routeSubject(owner.userId, name) };
			await audit.record({ ...entry, account: { within: owner.accountId } }, transaction);
		});
		return get(owner.accountId, name);
	};

	return {
		scope: scopeOf,
		/** Reads a document for an account and checks it as a whole. @throws RouteError with every fault */
		async read(owner: RouteOwner, text: string): Promise<Route> {
			return parseRoute(text, await scopeOf(owner));
		},
		/**
		 * Saves a route in place of the one with its name, whose ledger and history it keeps. `version` is the `updated_at`
		 * of the one that somebody has seen and changes; null if there must be none.
		 * @throws RouteError, RouteChangedError, ServiceError also if its options give cards away and the owner may not
		 */
		async put(owner: RouteOwner, route: Route, actor: Actor, version?: number | null) {
			const { accountId, userId, ownOptions, mayGiveCards = true } = owner;
			const now = clock.now();
			const isExisting = (await store.find(accountId, route.name)) !== undefined;
			if (!isExisting && (await store.count(accountId)) >= MAX_ROUTES) {
				const moreInfo = `an account has at most ${MAX_ROUTES} routes`;
				throw new ServiceError('bad-input-data', { moreInfo, told: told('at-most', { limit: MAX_ROUTES }) });
			}
			await keyRing.seals.transact(database, async (transaction, sealer) => {
				const within = routeStore(transaction);
				const existing = await within.find(accountId, route.name);
				const found = existing ? existing.updated_at : null;
				if (version !== undefined && found !== version) throw new RouteChangedError();
				const merchant = merchantOf(route.do.options);
				if (merchant !== undefined && !mayGiveCards) {
					const isIntact = existing !== undefined && sealer.isIntact(sealedRoutes, existing);
					if (!isIntact || merchantOf(routeOf(existing).do.options) !== merchant) throw missingEffect('gives-away');
				}
				const id = existing?.id ?? makeUlid(now.getTime());
				const hasFiles = existing !== undefined && (await ledgerStore(transaction).findNextTry(id)) !== undefined;
				const row = {
					account_id: accountId,
					name: route.name,
					id,
					document: JSON.stringify(routeDocument(route)),
					own_options: ownOptions === undefined ? null : JSON.stringify(ownOptions),
					...timesOf(route, now, hasFiles),
					...(existing && expectsAlike(existing, route) ? alarmOf(existing) : expectationOf(route, now)),
					stopped_reason: null,
					last_success_at: null,
					created_at: now.getTime(),
					updated_at: now.getTime(),
				};
				await within.put(await sealer.renew(transaction, sealedRoutes, row));
				const { operation, filter } = route.do;
				const details = { operation, filter: filter ?? null, paused: route.paused };
				const entry = { actor, action: 'route.put', subject: routeSubject(userId, route.name), details };
				await audit.record({ ...entry, account: { within: accountId } }, transaction);
			});
			return get(accountId, route.name);
		},
		list: async (accountId: AccountId) => opened(await keyRing.seals.list(sealedRoutes, () => store.list(accountId))),
		/** @throws ServiceError if the account has no route with this name */
		get,
		async remove({ accountId, userId }: RouteOwner, name: string, actor: Actor): Promise<boolean> {
			if (routeNameProblem(name) !== undefined) return false;
			return keyRing.seals.transact(database, async (transaction, sealer) => {
				const within = routeStore(transaction);
				const row = await within.remove(accountId, name);
				if (!row) return false;
				await within.removeBeside(row.id);
				await sealer.end(transaction, sealedRoutes, row);
				const entry = { actor, action: 'route.remove', subject: routeSubject(userId, name) };
				await audit.record({ ...entry, account: { within: accountId } }, transaction);
				return true;
			});
		},
		/** Keeps a route from running by its times. */
		pause: (owner: RouteOwner, name: string, actor: Actor) =>
			change(owner, name, { actor, action: 'pause' }, () => ({ paused: true, next_run_at: null, retry_at: null })),
		/** Lets a paused or stopped route run again. */
		resume: (owner: RouteOwner, name: string, actor: Actor) =>
			change(owner, name, { actor, action: 'resume' }, ({ route }) => ({
				...timesOf({ ...route, paused: false }, clock.now(), true),
				stopped_reason: null,
				failed_logins: 0,
				failed_runs: 0,
			})),
	};
}

/** Returns why a route was stopped; null for one that is not. Only logins that a partner refuses stop one. */
export function whyStopped({ stopped_reason: reason }: Pick<RouteRow, 'stopped_reason'>): Why | null {
	return reason === null ? null : why(reason, 'route-stopped');
}

/** Reads the document of a stored route, which was checked when it was put. */
export function routeOf(row: Pick<RouteRow, 'document'>): Route {
	return parseStoredRoute(row.document);
}

/** Returns the columns that say when a route runs next. One that may have files under way goes on with them at once. */
function timesOf({ when, paused }: Route, now: Date, hasFiles: boolean) {
	const isWatched = !paused && (hasFiles || (when !== undefined && 'arrival' in when));
	return {
		paused,
		next_run_at: paused || when === undefined ? null : (nextRunAt(when, now)?.getTime() ?? null),
		retry_at: isWatched ? now.getTime() : null,
	};
}

/** Returns the columns of the alarm for missing files. It also watches a route that is paused. */
function expectationOf({ expect }: Route, now: Date) {
	const times = expect && expectedTimes(expect, now);
	return { expect_at: times?.at ?? null, expect_from: times?.from ?? null, missing_since: null };
}

/** Tells whether a route expects its files as the one in whose place it is put. */
function expectsAlike(before: RouteRow, { expect }: Route): boolean {
	try {
		return isDeepStrictEqual(routeOf(before).expect, expect);
	} catch {
		// A document that somebody has altered in the database is replaced like any other.
		return false;
	}
}

/** Returns the columns of an alarm as they stand: one that is raised is cleared when the files come, and not by a change. */
function alarmOf({ expect_at, expect_from, missing_since }: RouteRow) {
	return { expect_at, expect_from, missing_since };
}

function listedRoute(row: RouteRow, route: Route, isRunning: boolean) {
	const { name, next_run_at, last_run_at, last_outcome } = row;
	const timeText = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
	return {
		name,
		state: stateOf(row, isRunning),
		nextRunAt: timeText(next_run_at),
		lastRunAt: timeText(last_run_at),
		lastOutcome: last_outcome,
		timeZone: timeZoneOf(route),
	};
}

function stateOf(row: RouteRow, isRunning: boolean): 'waiting' | 'running' | 'paused' | 'failing' | 'stopped' {
	const { stopped_reason, paused, last_outcome } = row;
	if (isRunning) return 'running';
	if (stopped_reason !== null) return 'stopped';
	if (paused) return 'paused';
	return last_outcome === 'failed' || last_outcome === 'partly' ? 'failing' : 'waiting';
}

/** Returns the folders of the server that routes may use. */
export function routeFolders({ routes }: Pick<Settings, 'routes'>): readonly string[] {
	return routes.folders === null ? [] : routes.folders.split(',').map((folder) => folder.trim());
}
