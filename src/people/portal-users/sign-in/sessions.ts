// Manages the sessions of the portal. A cookie is only a random text, of which the database has a hash. A session ends
// 15 minutes after the last request (spec §3), at the latest after half a day, and with each change of what its user
// may do.

import type { Knex } from 'knex';
import { makeUlid } from '../../../base/database/ulid.ts';
import type { RowSealer } from '../../../base/keys/rows/row-seals.ts';
import { Secret } from '../../../base/settings/secret.ts';
import type { Client } from '../client.ts';
import { openEntitled } from '../entitled.ts';
import type { PortalOptions, PortalSettings } from '../options.ts';
import { sealedPortalSessions } from '../sealed-rows.ts';
import type { PortalUserRow } from '../user-store.ts';
import type { UserRows } from '../users.ts';
import type { Viewer } from '../viewer.ts';
import { csrfOf, hashSecret, isSecret, makeSecret } from './secret-hash.ts';
import { type PortalSessionRow, type SessionChoice, sessionStore } from './session-store.ts';

/** A new session with its cookie, of which only a hash is stored. */
export interface NewSession {
	readonly id: string;
	readonly cookie: Secret;
}

const MINUTE_MS = 60_000;
/** Spec §3: a session of the portal ends after 15 minutes without a request. */
export const IDLE_MS = 15 * MINUTE_MS;
const LONGEST_MS = 12 * 60 * MINUTE_MS;
/** After the password, the second factor has to be entered within this time. */
const FACTOR_MS = 5 * MINUTE_MS;
/** The last request is stored at most this often, so that a page with many parts does not write for each of them. */
const NOTE_EVERY_MS = 10_000;

/** How far somebody is: the second factor is missing, or nothing is. */
type Step = 'factor' | 'open';
const KINDS = { factor: ['password', 'proven'], open: ['open', 'provider'] } as const;

/** How somebody came by a provider. */
export interface ProviderVisit {
	/** The name of the provider in its file. */
	readonly provider: string;
	/** A hash of the name of the session there; null if the provider names none. */
	readonly session: string | null;
	/** The time after which the person has to come by the provider again. */
	readonly endsAtMs: number;
}

/** Returns the visit by which a session was opened; undefined if it was opened without a provider. */
export function visitOf(
	{ kind, provider, provider_session: session, ends_at, created_at }: PortalSessionRow,
	{ providerMs }: Pick<PortalSettings, 'providerMs'>,
): ProviderVisit | undefined {
	if (kind !== 'proven' && kind !== 'provider') return undefined;
	return { provider: provider ?? '', session, endsAtMs: kind === 'provider' ? ends_at : created_at + providerMs };
}

export type SessionRows = ReturnType<typeof openSessionRows>;

/** Opens and finds sessions, for the other parts of the portal. */
export function openSessionRows(
	{ database, keyRing, clock }: Pick<PortalOptions, 'database' | 'keyRing' | 'clock'>,
	users: UserRows,
) {
	const now = () => clock.now().getTime();
	return {
		async open(
			transaction: Knex.Transaction,
			sealer: RowSealer,
			user: PortalUserRow,
			session: Client & {
				readonly step: Step;
				readonly hasSecondFactor: boolean;
				readonly visit?: ProviderVisit;
				/**
				 * The time when the user last showed the password or a second factor; now, unless the session takes the place of
				 * another one. It counts as the time at which the session was opened.
				 */
				readonly provenAtMs?: number;
			},
		): Promise<NewSession> {
			const { step, hasSecondFactor, visit, provenAtMs, address = '', agent = '' } = session;
			const cookie = makeSecret('ps');
			const at = now();
			const openedAt = provenAtMs ?? at;
			const row = {
				id: makeUlid(at),
				hash: hashSecret(cookie),
				user_id: user.id,
				account_id: user.account_id,
				user_version: user.version,
				kind: KINDS[step][visit ? 1 : 0],
				has_second_factor: hasSecondFactor,
				created_at: openedAt,
				ends_at: step === 'factor' ? at + FACTOR_MS : (visit?.endsAtMs ?? openedAt + LONGEST_MS),
				seen_at: at,
				address: address.slice(0, 64),
				agent: shownAgent(agent),
				challenge: null,
				challenge_ends_at: null,
				provider: visit?.provider ?? null,
				provider_session: visit?.session ?? null,
			};
			await sessionStore(transaction).insert({ ...row, ...sealer.seal(sealedPortalSessions, row) });
			return { id: row.id, cookie: new Secret(cookie) };
		},
		/** Returns the session of a cookie with its user; undefined if it has ended, or the user was changed or blocked. */
		async find(cookie: string | undefined, step: Step) {
			if (!isSecret('ps', cookie)) return undefined;
			const hash = hashSecret(cookie);
			const row = await keyRing.seals.find(sealedPortalSessions, () => sessionStore(database.knex).findByHash(hash));
			const isMeant = row !== undefined && (KINDS[step] as readonly string[]).includes(row.kind);
			if (!isMeant || row.ends_at <= now() || row.seen_at + IDLE_MS <= now()) return undefined;
			const user = await users.findById(row.user_id);
			const isSame = user?.version === row.user_version && user.blocked_at === null;
			return isSame ? { row, user } : undefined;
		},
	};
}

/** Removes everything but printable ASCII characters from the name of a browser, because a client can send anything. */
export function shownAgent(agent: string): string {
	return agent.replace(/[^\x20-\x7e]/g, '').slice(0, 255);
}

export function openSessions(options: PortalOptions, rows: SessionRows) {
	const { database, keyRing, audit, clock } = options;
	const store = sessionStore(database.knex);
	const entitled = openEntitled(options);
	const now = () => clock.now().getTime();
	/** Ends sessions of the viewer, with an entry in the audit trail if there were any; returns how many. */
	const end = ({ user, actor }: Viewer, which: SessionChoice, isOwn: boolean): Promise<number> =>
		keyRing.seals.transact(database, async (transaction, sealer) => {
			const sessions = await endSessions(transaction, sealer, user.id, which);
			const entry = { actor, action: 'portal.session-end', subject: `portal-user ${user.id}` };
			if (sessions > 0) await audit.record({ ...entry, details: { sessions, isOwn } }, transaction);
			return sessions;
		});

	return {
		/**
		 * Returns the user of a session and extends its idle time; undefined if the session has ended or its user may no
		 * longer use the portal. Requests that a page sends without its user do not extend the idle time, because the user
		 * may have left.
		 */
		async find(
			cookie: string | undefined,
			address: string | undefined,
			parts: {
				/** True for a request that a page sends without its user, which does not extend the idle time. */
				readonly isByItself?: boolean;
				/** The `X-Request-Id` of the request, which the audit trail names. */
				readonly requestId?: string;
			} = {},
		): Promise<Viewer | undefined> {
			const { isByItself = false, requestId } = parts;
			const found = await rows.find(cookie, 'open');
			if (!found) return undefined;
			const { row, user } = found;
			const hasSecondFactor = Boolean(row.has_second_factor);
			const who = await entitled.find(user, { hasSecondFactor, address, requestId, endsAtMs: row.ends_at });
			if (!who) return undefined;
			const isNoted = !isByItself && now() - row.seen_at >= NOTE_EVERY_MS;
			const seenAtMs = isNoted ? now() : row.seen_at;
			if (isNoted) await store.see(row.id, seenAtMs, (address ?? '').slice(0, 64));
			const idleEndsAtMs = Math.min(seenAtMs + IDLE_MS, row.ends_at);
			const { mustAddFactor, ...viewer } = who;
			return {
				...viewer,
				session: {
					id: row.id,
					csrf: csrfOf(cookie!),
					idleEndsAtMs,
					hasSecondFactor,
					mustAddFactor,
					provenAtMs: row.created_at,
					visit: visitOf(row, options.settings),
				},
			};
		},
		/** Lists the open sessions of a user, the newest first. */
		async list({ user }: Viewer) {
			const rows = (await keyRing.seals.list(sealedPortalSessions, () => store.listOf(user.id))).filter(
				({ kind, ends_at, seen_at }) =>
					(KINDS.open as readonly string[]).includes(kind) && ends_at > now() && seen_at + IDLE_MS > now(),
			);
			return rows.map(({ id, address, agent, created_at, seen_at, has_second_factor }) => ({
				id,
				address,
				agent,
				hasSecondFactor: Boolean(has_second_factor),
				createdAt: new Date(created_at),
				seenAt: new Date(seen_at),
			}));
		},
		async logOut(viewer: Viewer): Promise<void> {
			await end(viewer, { only: viewer.session.id }, true);
		},
		/** Ends one of the viewer's sessions; returns whether there was such a session. */
		end: async (viewer: Viewer, id: string) => (await end(viewer, { only: id }, false)) > 0,
		/** Ends all sessions of the viewer but the one they use now; returns how many. */
		endOthers: (viewer: Viewer) => end(viewer, { except: viewer.session.id }, false),
	};
}

/** Ends sessions of a user, so that none of them works again if somebody puts its row back; returns how many. */
export async function endSessions(
	transaction: Knex.Transaction,
	sealer: RowSealer,
	userId: number,
	which: SessionChoice = {},
): Promise<number> {
	const ended = await sessionStore(transaction).end(userId, which);
	await sealer.end(transaction, sealedPortalSessions, ...ended);
	return ended.length;
}
