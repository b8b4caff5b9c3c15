// The portal over real rooms, without a listener, and people who are signed in.

import { randomBytes } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import type { LightMyRequestResponse } from 'fastify';
import type { Dialect } from '../../src/database/dialect.ts';
import { actorOf, type Principal } from '../../src/identity/principal.ts';
import type { Portal } from '../../src/portal/portal.ts';
import { type PortalRole, permissionsOf, type Right, rightsOf } from '../../src/portal/rights.ts';
import type { Viewer } from '../../src/portal/viewer.ts';
import { type Caller, type HttpRoomsOptions, type HttpTestRooms, openHttpRooms } from './http-rooms.ts';

/** Sessions of the portal end after so long without a request. */
const IDLE_MS = 15 * 60_000;

export interface SignedIn {
	readonly viewer: Viewer;
	/** The header `Cookie` of the browser: `tokendrop=…`. */
	readonly cookie: string;
	readonly caller: Caller | undefined;
	get(path: string, headers?: Readonly<Record<string, string>>): Promise<LightMyRequestResponse>;
	/** Sends a form with the token of the session. */
	post(path: string, form?: Readonly<Record<string, string>>): Promise<LightMyRequestResponse>;
	/** Ends the session. */
	end(): Promise<void>;
	/** Signs the same person in again after the session has ended; the cookie stays. */
	signInAgain(): Promise<void>;
}

export interface PortalTestRooms extends HttpTestRooms {
	/**
	 * Signs a new user in: of the account `agency`, or of another one by its name. An operator belongs to none. Sessions have
	 * a second factor unless told otherwise.
	 */
	signIn(role: PortalRole, options?: SignInOptions): Promise<SignedIn>;
}

export interface SignInOptions {
	readonly account?: string;
	readonly language?: string;
	readonly hasSecondFactor?: boolean;
	readonly name?: string;
}

export async function openPortalRooms(
	t: ExecutionContext<unknown>,
	dialect: Dialect = 'sqlite',
	options: HttpRoomsOptions = {},
): Promise<PortalTestRooms> {
	const viewers = new Map<string, Viewer>();
	const portal: Portal = { sessions: { find: async (cookie) => viewers.get(cookie ?? '') } };
	const rooms = await openHttpRooms(t, dialect, { ...options, portal });
	const callers = new Map<string, Promise<Caller>>();
	let users = 0;

	const callerOf = (name: string) => {
		let caller = callers.get(name);
		if (!caller) callers.set(name, (caller = rooms.createCaller(name)));
		return caller;
	};
	return {
		...rooms,
		async signIn(role, { account = 'agency', language = null, hasSecondFactor = true, name } = {}) {
			users++;
			const caller = role === 'operator' ? undefined : await callerOf(account);
			const cookie = randomBytes(16).toString('hex');
			const user = { id: users, name: name ?? `${role} ${users}`, language };
			const rights = rightsOf(role, { hasSecondFactor });
			const principal = caller && principalOf(caller, users, rights);
			viewers.set(cookie, {
				...{ user, role, principal },
				...(role === 'operator' && { operatorRole: 'operate' as const }),
				account: caller && { id: caller.account.id, userId: caller.account.userId, kind: caller.account.kind },
				actor: principal ? actorOf(principal) : { userId: user.name, credential: `portal-user ${users}` },
				session: {
					...{ id: cookie, csrf: randomBytes(16).toString('hex'), hasSecondFactor, mustAddFactor: false },
					idleEndsAtMs: rooms.clock.now().getTime() + IDLE_MS,
				},
				has: (right) => rights.has(right),
			});
			return signedIn(rooms, viewers, cookie, caller);
		},
	};
}

function principalOf({ account }: Caller, portalUserId: number, rights: ReadonlySet<Right>): Principal {
	const { id: accountId, userId, kind } = account;
	return {
		...{ accountId, userId, kind, portalUserId, ownerId: accountId, method: 'portal' },
		permissions: permissionsOf(rights),
		cvvRetention: false,
	};
}

function signedIn(
	{ app }: Pick<HttpTestRooms, 'app'>,
	viewers: Map<string, Viewer>,
	id: string,
	caller: Caller | undefined,
): SignedIn {
	const viewer = viewers.get(id)!;
	const cookie = `tokendrop=${id}`;
	return {
		...{ viewer, cookie, caller },
		get: (url, headers) => app.inject({ method: 'GET', url, headers: { cookie, ...headers } }),
		async post(url, form = {}) {
			const page = await app.inject({ method: 'GET', url: '/portal', headers: { cookie } });
			const token = tokenOn(page.body);
			return app.inject({
				...{ method: 'POST', url },
				headers: { cookie, 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
				payload: new URLSearchParams({ _csrf: token, ...form }).toString(),
			});
		},
		async end() {
			viewers.delete(id);
		},
		async signInAgain() {
			viewers.set(id, viewer);
		},
	};
}

/** Returns the token that the forms of a page have. */
export function tokenOn(page: string): string {
	return /name="_csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
}
