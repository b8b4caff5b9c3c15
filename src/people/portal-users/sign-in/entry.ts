// Lets people in once they have proven who they are, and notes who was refused, by whatever means they came.

import { defendedAddress } from '../../../base/defender/defender.ts';
import type { Caller } from '../../../trail/actor.ts';
import type { Account } from '../../identity/accounts/accounts.ts';
import type { Client } from '../client.ts';
import { openEntitled } from '../entitled.ts';
import type { PortalOptions } from '../options.ts';
import { type PortalUserRow, userStore } from '../user-store.ts';
import type { UserRows } from '../users.ts';
import type { Viewer } from '../viewer.ts';
import type { LoginAnswer } from './login.ts';
import { type LoginOutcome, type LoginWay, loginStore } from './session-store.ts';
import { endSessions, type ProviderVisit, type SessionRows, shownAgent } from './sessions.ts';

export type Entry = ReturnType<typeof openEntry>;

interface Proven {
	readonly way: LoginWay;
	readonly hasSecondFactor: boolean;
	readonly provenAtMs?: number;
}

export const REFUSED = { state: 'refused' } as const;

export function openEntry(
	options: PortalOptions,
	{ users, sessions }: { readonly users: UserRows; readonly sessions: SessionRows },
) {
	const { database, keyRing, audit, clock, guard, identity, onFailed } = options;
	const logins = loginStore(database.knex);
	const entitled = openEntitled(options);
	const now = () => clock.now().getTime();

	const note = async (user: PortalUserRow, { address, agent }: Client, way: LoginWay, result: LoginOutcome) =>
		logins.insert({
			user_id: user.id,
			account_id: user.account_id,
			at: now(),
			way,
			result,
			address: (address ?? '').slice(0, 64),
			agent: shownAgent(agent ?? ''),
		});
	const accountOf = async ({ account_id: id }: PortalUserRow): Promise<Account | undefined> =>
		id === null ? undefined : identity.accounts.findById(id);

	const entry = {
		/** Tells whether a login for a name is looked at, or there were too many that failed. */
		mayTry: (name: string, { address }: Client) =>
			address === undefined || guard.mayTry({ address: defendedAddress(address), userName: `portal ${name}` }),
		/** Tells whether a user is not blocked, and the account or operator to which they belong may still use the portal. */
		mayEnter: async (user: PortalUserRow) =>
			user.blocked_at === null &&
			(await entitled.find(user, { hasSecondFactor: false, address: undefined, endsAtMs: now() })) !== undefined,
		/** Reports a failed login to the login guard, to `onFailed` and to the user's list of logins. */
		async failed(
			user: PortalUserRow | undefined,
			{ name, secret, way }: { readonly name: string; readonly secret: string; readonly way: LoginWay },
			client: Client,
			result: LoginOutcome,
		): Promise<LoginAnswer> {
			const { address } = client;
			if (address !== undefined) {
				guard.failed({ address: defendedAddress(address), userName: `portal ${name}`, secret });
				const account = user && (await accountOf(user))?.userId;
				onFailed?.({ address, way, reason: `portal: ${result}`, account, userId: user?.id });
			}
			if (user) await note(user, client, way, result);
			return REFUSED;
		},
		/** Opens the session of a user who has passed every factor that is required. */
		async letIn(
			user: PortalUserRow,
			client: Client,
			login: Proven & { readonly endsSession?: string; readonly visit?: ProviderVisit },
		): Promise<LoginAnswer> {
			const { way, hasSecondFactor, endsSession, visit, provenAtMs } = login;
			const actor = await entry.actorIn(user, client);
			const session = await keyRing.seals.transact(database, async (transaction, sealer) => {
				if (endsSession !== undefined && !(await endSessions(transaction, sealer, user.id, { only: endsSession })))
					return undefined;
				const opening = { ...client, step: 'open', hasSecondFactor, visit, provenAtMs } as const;
				const made = await sessions.open(transaction, sealer, user, opening);
				const details = { way, secondFactor: hasSecondFactor, ...(visit && { provider: visit.provider }) };
				await audit.record({ actor, action: 'portal.login', subject: `portal-user ${user.id}`, details }, transaction);
				return made;
			});
			if (!session) return REFUSED;
			await note(user, client, way, 'in');
			await userStore(database.knex).noteLogin(user.id, now());
			if (client.address !== undefined) {
				guard.succeeded({ address: defendedAddress(client.address), userName: `portal ${user.name}` });
			}
			return { state: 'in', session };
		},
		/** Opens a session in which the user can only enter the second factor. */
		async askFactor(user: PortalUserRow, client: Client, visit?: ProviderVisit): Promise<LoginAnswer> {
			const session = await keyRing.seals.transact(database, (transaction, sealer) =>
				sessions.open(transaction, sealer, user, { ...client, step: 'factor', hasSecondFactor: false, visit }),
			);
			return { state: 'factor', session };
		},
		/** Opens a session in place of the one of somebody who has just proven again who they are. */
		async confirm(
			{ user: { id }, session: { id: sessionId }, actor }: Viewer,
			client: Client,
			{ way, ...proven }: Proven & Pick<Viewer['session'], 'visit'>,
		): Promise<LoginAnswer> {
			const user = await users.findById(id);
			if (!user) return REFUSED;
			const session = await keyRing.seals.transact(database, async (transaction, sealer) => {
				if (!(await endSessions(transaction, sealer, id, { only: sessionId }))) return undefined;
				const entry = { actor, action: 'portal.confirm', subject: `portal-user ${id}`, details: { way } };
				await audit.record(entry, transaction);
				return sessions.open(transaction, sealer, user, { ...client, step: 'open', ...proven });
			});
			return session ? { state: 'in', session } : REFUSED;
		},
		/** Returns a user who is about to have a session, as the audit trail names them. */
		async actorIn(user: PortalUserRow, { address }: Client): Promise<Caller> {
			const account = await accountOf(user);
			return {
				userId: account?.userId ?? `operator ${user.operator}`,
				accountId: account && (account.parentId ?? account.id),
				credential: `portal-user ${user.id}`,
				person: user.name,
				address,
			};
		},
	};
	return entry;
}
