// Opens the portal over real parts, without a listener, and signs people in.

import type { ExecutionContext } from 'ava';
import type { LightMyRequestResponse } from 'fastify';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { type CallLog, openCallLog } from '../../src/doors/http/server/call-log.ts';
import { type Operators, openOperators } from '../../src/people/operators/operators.ts';
import type { Role } from '../../src/people/operators/roles.ts';
import type { Portal } from '../../src/people/portal-users/portal.ts';
import type { PortalRole } from '../../src/people/portal-users/rights.ts';
import { sessionStore } from '../../src/people/portal-users/sign-in/session-store.ts';
import { openSessionRows } from '../../src/people/portal-users/sign-in/sessions.ts';
import { openUserRows, type PortalUser } from '../../src/people/portal-users/users.ts';
import type { Viewer } from '../../src/people/portal-users/viewer.ts';
import { type Caller, type HttpApp, type HttpAppOptions, openHttpApp } from './http-app.ts';

export interface SignedIn {
	readonly viewer: Viewer;
	/** The header `Cookie` of the browser: `__Host-tokendrop=…`. */
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

export interface PortalApp extends HttpApp {
	readonly portal: Portal;
	readonly operators: Operators;
	readonly callLog: CallLog;
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
	/** The role of an operator; `operate` unless given. */
	readonly operatorRole?: Role;
}

export async function openPortalApp(
	t: ExecutionContext<unknown>,
	dialect: Dialect = 'sqlite',
	options: HttpAppOptions = {},
): Promise<PortalApp> {
	const opened = await openHttpApp(t, dialect, { portal: {}, ...options });
	const portal = opened.portal!;
	const { database, keyRing, audit, clock } = opened;
	const operators = openOperators({ database, keyRing, audit, clock });
	const callLog = openCallLog(opened);
	t.teardown(() => callLog.close());
	const parts = { ...opened, portal, operators, callLog };
	const callers = new Map<string, Promise<Caller>>();
	let users = 0;

	const callerOf = (name: string) => {
		let caller = callers.get(name);
		if (!caller) callers.set(name, (caller = opened.createCaller(name)));
		return caller;
	};
	const addOperator = async (role: Role): Promise<string> => {
		if ((await operators.standing()).length === 0)
			await operators.add({ name: 'first', role: 'keys' }, 'operator test');
		const { operator } = await operators.add({ name: `operator${users}`, role }, 'operator test');
		return operator.name;
	};
	return {
		...parts,
		async signIn(role, options = {}) {
			users++;
			const { account = 'agency', language = null, hasSecondFactor = true, operatorRole = 'operate' } = options;
			const caller = role === 'operator' ? undefined : await callerOf(account);
			const of = caller ? { accountId: caller.account.id, role } : { operator: await addOperator(operatorRole) };
			const user = await portal.users.add({ name: options.name ?? `${role}${users}`, of, language }, 'operator test');
			return signedIn(parts, user, { hasSecondFactor, caller });
		},
	};
}

async function signedIn(
	parts: Omit<PortalApp, 'signIn'>,
	user: PortalUser,
	{ hasSecondFactor, caller }: { readonly hasSecondFactor: boolean; readonly caller: Caller | undefined },
): Promise<SignedIn> {
	const { app, portal, database, keyRing } = parts;
	const rows = openUserRows(parts);
	const sessions = openSessionRows(parts, rows);
	const row = (await rows.findById(user.id))!;
	const store = sessionStore(database.knex);
	const { id, cookie: secret } = await keyRing.seals.transact(database, (transaction, sealer) =>
		sessions.open(transaction, sealer, row, {
			...{ step: 'open', hasSecondFactor, address: '127.0.0.1', agent: 'test' },
		}),
	);
	const session = (await store.findById(id))!;
	const viewer: Viewer = (await portal.sessions.find(secret.reveal(), '127.0.0.1'))!;
	const isHttps = app.isHttps({ protocol: 'http' });
	const cookie = `${isHttps ? '__Host-' : ''}tokendrop=${secret.reveal()}`;
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
			await store.end(user.id, { only: id });
		},
		async signInAgain() {
			await store.insert(session);
		},
	};
}

/** Returns the token that the forms of a page have. */
export function tokenOn(page: string): string {
	return /name="_csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
}
