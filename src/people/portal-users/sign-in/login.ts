// Logs people in: by name and password, then by a second factor if they have one. Every failure gets the same answer
// after the same time, whether the name, the password or the state of the user was the reason.

import { setTimeout as sleep } from 'node:timers/promises';
import { defaultDefenderSettings, openDefender } from '../../../base/defender/defender.ts';
import { userKey } from '../../../base/defender/login-guard.ts';
import { nameAlone } from '../../identity/accounts/user-id.ts';
import { type Client, partyOf } from '../client.ts';
import type { PortalOptions } from '../options.ts';
import type { FactorChecks } from '../second-factors.ts';
import { type PortalUserRow, TRIES, type Tried, userStore } from '../user-store.ts';
import { nameOf, type UserRows } from '../users.ts';
import type { Viewer } from '../viewer.ts';
import { type Entry, REFUSED } from './entry.ts';
import type { LinkRows } from './links.ts';
import { acceptPassword, hashPassword, isOutdated, isPassword } from './password.ts';
import { type LoginWay, loginStore } from './session-store.ts';
import { type NewSession, type SessionRows, visitOf } from './sessions.ts';

export type LoginAnswer =
	| { readonly state: 'in'; readonly session: NewSession }
	/** The password was correct, but the second factor is still missing. The session can only be used to enter it. */
	| { readonly state: 'factor'; readonly session: NewSession }
	| { readonly state: 'refused' };

export interface FactorWays {
	readonly hasApp: boolean;
	readonly hasPasskeys: boolean;
}

/** What a user who is signed in shows, to prove that it is still them. */
export type Proof =
	| { readonly way: 'password' | 'app'; readonly secret: string }
	| { readonly way: 'passkey'; readonly answer: unknown };

/** The proof of a user is valid for this time (PCI DSS 8.3.3). */
export const PROOF_MS = 10 * 60_000;

interface LoginParts {
	readonly users: UserRows;
	readonly sessions: SessionRows;
	readonly links: LinkRows;
	readonly factors: FactorChecks;
	readonly entry: Entry;
}

export function openLogin(options: PortalOptions, { users, sessions, links, factors, entry }: LoginParts) {
	const { database, keyRing, clock, identity, settings } = options;
	const { mayTry, mayEnter, failed, letIn, askFactor } = entry;
	const logins = loginStore(database.knex);
	const store = userStore(database.knex);
	const now = () => clock.now().getTime();
	const countTry = (user: PortalUserRow, tried: Tried) => store.countTry(user.id, tried, now());
	/** A name that nobody has is locked like that of a user. Otherwise the lock would tell which names are users. */
	const strangers = openDefender(clock, {
		...defaultDefenderSettings,
		scores: { ...defaultDefenderSettings.scores, 'login-failed': 1 },
		scoreLimit: TRIES.most,
		windowMs: TRIES.windowMs,
		banMs: TRIES.windowMs,
	});
	const countStranger = (name: string) => {
		const key = userKey('', name);
		if (strangers.isBanned(key)) return false;
		strangers.report(key, 'login-failed');
		return true;
	};
	const afterPassword = (user: PortalUserRow, client: Client, way: LoginWay) =>
		user.has_factor ? askFactor(user, client) : letIn(user, client, { way, hasSecondFactor: false });
	const rehash = async (user: PortalUserRow, password: string, client: Client): Promise<PortalUserRow> => {
		const password_hash = await hashPassword(password, partyOf(user.name, client));
		return keyRing.seals.transact(database, (transaction, sealer) =>
			users.change(transaction, sealer, user, { password_hash }),
		);
	};
	/** Counts an attempt with a second factor, and logs the user in if the factor is correct. */
	const bySecondFactor = async (
		cookie: string | undefined,
		client: Client,
		way: LoginWay,
		check: (user: PortalUserRow, sessionId: string) => Promise<boolean>,
	): Promise<LoginAnswer> => {
		const found = await sessions.find(cookie, 'factor');
		if (!found) return REFUSED;
		const { user, row } = found;
		const tried = { name: user.name, secret: '', way };
		if (!mayTry(user.name, client) || !(await countTry(user, 'code'))) return failed(user, tried, client, 'locked');
		if (!(await check(user, row.id))) return failed(user, tried, client, 'wrong');
		await store.forgetTries(user.id, 'code');
		return letIn(user, client, { way, hasSecondFactor: true, endsSession: row.id, visit: visitOf(row, settings) });
	};

	const isProof = (user: PortalUserRow, sessionId: string, proof: Proof, client: Client): Promise<boolean> => {
		if ('answer' in proof) return factors.usePasskey(user, sessionId, proof.answer);
		if (proof.way === 'app') return factors.useAppCode(user, proof.secret);
		return isPassword(proof.secret, user.password_hash, partyOf(user.name, client));
	};

	/** Delays the answer to a refused login, so that its time does not tell the reason. */
	const atLeast =
		<Given extends unknown[]>(login: (...given: Given) => Promise<LoginAnswer>) =>
		async (...given: Given): Promise<LoginAnswer> => {
			const startedAt = performance.now();
			const answer = await login(...given);
			const leftMs = settings.refusedAfterMs - (performance.now() - startedAt);
			if (answer.state === 'refused' && leftMs > 0) await sleep(leftMs);
			return answer;
		};

	const login = {
		async byPassword(typed: string, password: string, client: Client): Promise<LoginAnswer> {
			const name = nameOf(typed);
			const tried = { name, secret: password, way: 'password' } as const;
			const user = await users.findByName(name);
			// Nothing is hashed for a login that is locked: hashing is what costs, and others wait for it.
			const isAllowed = mayTry(name, client) && (user ? await countTry(user, 'password') : countStranger(name));
			if (!isAllowed) return failed(user, tried, client, 'locked');
			const isRight = await isPassword(password, user?.password_hash, partyOf(name, client));
			if (!user || !isRight) return failed(user, tried, client, 'wrong');
			if (!(await mayEnter(user))) return failed(user, tried, client, 'blocked');
			await store.forgetTries(user.id, 'password');
			const current = isOutdated(user.password_hash!) ? await rehash(user, password, client) : user;
			return afterPassword(current, client, 'password');
		},
		/**
		 * Returns the second factors that can be used to complete the login to which a cookie belongs. Undefined if the
		 * cookie is not from a login that still needs its second factor.
		 */
		async findWays(cookie: string | undefined): Promise<FactorWays | undefined> {
			const found = await sessions.find(cookie, 'factor');
			return found && factors.waysOf(found.user);
		},
		/** Logs in with a code of the authenticator app, or with a recovery code. */
		byCode: (cookie: string | undefined, code: string, client: Client) => {
			const way = /^[\d\s]*$/.test(code.normalize('NFKC')) ? 'app' : 'recovery';
			return bySecondFactor(cookie, client, way, (user) =>
				way === 'app' ? factors.useAppCode(user, code) : factors.useRecoveryCode(user, code),
			);
		},
		/**
		 * Returns the options with which the browser uses a passkey. Undefined if the cookie is not from a login that still
		 * needs its second factor.
		 */
		async passkeyRequest(cookie: string | undefined): Promise<object | undefined> {
			const found = await sessions.find(cookie, 'factor');
			return found && factors.requestPasskey(found.user, found.row.id);
		},
		byPasskey: (cookie: string | undefined, answer: unknown, client: Client) =>
			bySecondFactor(cookie, client, 'passkey', (user, sessionId) => factors.usePasskey(user, sessionId, answer)),
		/** Returns the second factors of a user who is signed in. */
		async waysOf({ user }: Viewer) {
			const row = await users.findById(user.id);
			return { ...(await factors.waysOf(user)), hasPassword: row !== undefined && row.password_hash !== null };
		},
		/** Returns the options with which the browser of a user who is signed in uses a passkey. */
		proofRequest: ({ user, session }: Viewer) => factors.requestPasskey(user, session.id),
		/**
		 * Checks the password or a second factor of a user who is signed in, and opens a session in place of the one they have.
		 * Wrong ones count as failed logins.
		 */
		async prove(viewer: Viewer, proof: Proof, client: Client): Promise<LoginAnswer> {
			const { id: sessionId, hasSecondFactor, visit } = viewer.session;
			const user = await users.findById(viewer.user.id);
			if (!user) return REFUSED;
			const tried = { name: user.name, secret: proof.way === 'password' ? proof.secret : '', way: proof.way };
			const counted = proof.way === 'password' ? 'password' : 'code';
			const isAllowed = mayTry(user.name, client) && (await countTry(user, counted));
			if (!isAllowed) return failed(user, tried, client, 'locked');
			if (!(await isProof(user, sessionId, proof, client))) return failed(user, tried, client, 'wrong');
			await store.forgetTries(user.id, counted);
			return entry.confirm(viewer, client, { hasSecondFactor, visit, way: proof.way });
		},
		/** Returns the user for whom a link was created; undefined if the link no longer works. */
		async findLink(secret: string): Promise<{ readonly name: string; readonly isNew: boolean } | undefined> {
			const found = await links.find(secret);
			return found && { name: found.user.name, isNew: found.user.password_hash === null };
		},
		/**
		 * Sets the password with a link, which can be used once.
		 * @throws PasswordError, after which the link still works
		 */
		async byLink(secret: string, password: string, client: Client): Promise<LoginAnswer> {
			const found = await links.find(secret);
			if (!found) return REFUSED;
			const { user } = found;
			if (!(await mayEnter(user))) return REFUSED;
			const account = user.account_id === null ? undefined : await identity.accounts.findById(user.account_id);
			await acceptPassword(password, [nameAlone(user.name), account?.userId ?? '']);
			const password_hash = await hashPassword(password, partyOf(user.name, client));
			const changed = await links.use(found, await entry.actorIn(user, client), {
				action: 'portal-user.password',
				details: { by: 'link' },
				change: { password_hash },
			});
			if (!changed) return REFUSED;
			await store.forgetTries(user.id, 'password');
			return afterPassword(changed, client, 'link');
		},
		async history({ user }: Viewer, { limit, before }: { readonly limit: number; readonly before?: number }) {
			const rows = await logins.listOf(user.id, limit, before);
			return rows.map(({ id, at, address, agent, way, result }) => ({
				id,
				address,
				agent,
				way,
				result,
				at: new Date(at),
			}));
		},
	};
	return {
		...login,
		byPassword: atLeast(login.byPassword),
		byCode: atLeast(login.byCode),
		byPasskey: atLeast(login.byPasskey),
		prove: atLeast(login.prove),
	};
}
