// Lets users change their own access: password, second factors, language. A change of password, app or passkeys gives
// the session a new cookie and ends the other sessions of the user.

import type { Knex } from 'knex';
import { ServiceError } from '../../base/errors.ts';
import { told } from '../../base/failures.ts';
import type { RowSealer } from '../../base/keys/rows/row-seals.ts';
import { nameAlone } from '../identity/accounts/user-id.ts';
import { type Client, partyOf } from './client.ts';
import { needsFactor } from './entitled.ts';
import { factorStore, type PasskeyRow } from './factors/factor-store.ts';
import { canHavePasskeys, passkeyCreation, putPasskey, readNewPasskey } from './factors/passkeys.ts';
import { hashRecoveryCode, makeRecoveryCodes } from './factors/recovery-codes.ts';
import { removeRecoveryCodes } from './factors/remove-factors.ts';
import { findApp, findStep, makeTotpSecret, openTotpSecret, sealTotpSecret, totpSetup } from './factors/totp.ts';
import { useCode } from './factors/used-codes.ts';
import type { PortalOptions } from './options.ts';
import { sealedPortalPasskeys, sealedPortalRecoveryCodes, sealedPortalTotp } from './sealed-rows.ts';
import { CHALLENGE_MS, type FactorChecks } from './second-factors.ts';
import { acceptPassword, hashPassword, isPassword, PasswordError } from './sign-in/password.ts';
import { sessionStore } from './sign-in/session-store.ts';
import { endSessions, type NewSession, type SessionRows } from './sign-in/sessions.ts';
import { type PortalUserRow, userStore } from './user-store.ts';
import type { UserChange, UserRows } from './users.ts';
import type { Viewer } from './viewer.ts';

export type ShownFactors = Awaited<ReturnType<OwnAccess['factors']>>;

/** The data with which a user sets up an authenticator app, with a QR code as SVG. */
export type ShownApp = ReturnType<typeof totpSetup>;

/** The new session that a change of the user's access has opened in place of all others. */
export interface Renewed {
	readonly session: NewSession;
	/** The recovery codes that were made because this is the first second factor of the user. */
	readonly recoveryCodes?: readonly string[];
}

const MAX_PASSKEYS = 10;

interface OwnParts {
	readonly users: UserRows;
	readonly sessions: SessionRows;
	readonly checks: FactorChecks;
}

export type OwnAccess = ReturnType<typeof openOwnAccess>;

export function openOwnAccess(options: PortalOptions, { users, sessions, checks }: OwnParts) {
	const { database, keyRing, audit, clock, settings } = options;
	const store = factorStore(database.knex);
	const now = () => clock.now().getTime();
	const issuer = () => `Tokendrop ${new URL(settings.baseUrl).host}`;

	type Transaction = Knex.Transaction;
	type Work = (transaction: Transaction, sealer: RowSealer) => Promise<boolean>;

	/** Carries out a change of a user's access, and opens a new session in place of all others, in one transaction. */
	const change = async (
		viewer: Viewer,
		client: Client,
		plan: {
			readonly action: string;
			readonly change: (user: PortalUserRow) => UserChange | Promise<UserChange>;
			readonly hasSecondFactor?: boolean;
			readonly work?: Work;
			readonly details?: object;
			/** True if the user has shown the password for this change. */
			readonly isProven?: true;
		},
	): Promise<Renewed | undefined> => {
		const user = await users.findById(viewer.user.id);
		if (!user) return undefined;
		const changes = await plan.change(user);
		const { hasSecondFactor = viewer.session.hasSecondFactor } = plan;
		return keyRing.seals.transact(database, async (transaction, sealer) => {
			if (plan.work && !(await plan.work(transaction, sealer))) return undefined;
			const next = await users.change(transaction, sealer, user, changes);
			await endSessions(transaction, sealer, user.id);
			const { actor } = viewer;
			const subject = `portal-user ${user.id}`;
			await audit.record({ actor, action: plan.action, subject, details: { ...plan.details } }, transaction);
			const provenAtMs = plan.isProven ? undefined : viewer.session.provenAtMs;
			const isFirst = changes.has_factor === true && !user.has_factor;
			const recoveryCodes = isFirst ? await putRecoveryCodes(transaction, sealer, viewer) : undefined;
			const { visit } = viewer.session;
			const opening = { ...client, step: 'open', hasSecondFactor, visit, provenAtMs } as const;
			return { session: await sessions.open(transaction, sealer, next, opening), recoveryCodes };
		});
	};
	const putRecoveryCodes = async (transaction: Transaction, sealer: RowSealer, { user, actor, account }: Viewer) => {
		const codes = makeRecoveryCodes();
		const rows = codes.map((code) => {
			const hash = hashRecoveryCode(user.id, code)!;
			const row = { user_id: user.id, hash, account_id: account?.id ?? null, created_at: now() };
			return { ...row, ...sealer.seal(sealedPortalRecoveryCodes, row) };
		});
		await removeRecoveryCodes(transaction, sealer, user.id);
		await factorStore(transaction).insertCodes(rows);
		const subject = `portal-user ${user.id}`;
		await audit.record({ actor, action: 'portal-user.recovery-codes', subject, details: {} }, transaction);
		return codes;
	};
	const shownApp = (secret: Uint8Array, viewer: Viewer) => totpSetup(secret, viewer.user.name, issuer());
	/** Removes a second factor, unless it is the last one of a user who must have one. */
	const remove = async (viewer: Viewer, client: Client, what: 'app' | 'passkey', work: Work) => {
		const { hasApp, passkeys } = await own.factors(viewer);
		const isLast = (hasApp ? 1 : 0) + passkeys.length <= 1;
		const plan = {
			action: 'portal-user.factor-remove',
			details: { factor: what },
			work: async (transaction: Transaction, sealer: RowSealer) => {
				if (!(await work(transaction, sealer))) return false;
				if (isLast) await removeRecoveryCodes(transaction, sealer, viewer.user.id);
				return true;
			},
		};
		return change(viewer, client, {
			...plan,
			change(user) {
				if (isLast && needsFactor(user, settings)) {
					const moreInfo = 'this is the last second factor, and your role needs one: add another first';
					throw new ServiceError('bad-input-data', { moreInfo, told: told('last-factor') });
				}
				return { has_factor: !isLast };
			},
			hasSecondFactor: !isLast && viewer.session.hasSecondFactor,
		});
	};

	const own = {
		async factors({ user }: Viewer) {
			const { hasApp } = await checks.waysOf(user);
			const passkeys = await checks.listPasskeys(user.id);
			const row = await users.findById(user.id);
			const hasPassword = row !== undefined && row.password_hash !== null;
			return {
				/** False if the user comes by a provider or a passkey alone. */
				hasPassword,
				hasApp,
				passkeys: passkeys.map(shownPasskey),
				recoveryCodesLeft: await store.countCodes(user.id),
			};
		},
		/**
		 * Changes the password; returns undefined if the present one is wrong, or was wrong too often.
		 * @throws PasswordError if the new one is not accepted
		 */
		async setPassword(viewer: Viewer, present: string, next: string, client: Client): Promise<Renewed | undefined> {
			const user = await users.findById(viewer.user.id);
			const mayTry = await userStore(database.knex).countTry(viewer.user.id, 'password', now());
			const party = partyOf(`${viewer.user.id}`, client);
			if (!mayTry || !(await isPassword(present, user?.password_hash, party))) return undefined;
			await userStore(database.knex).forgetTries(viewer.user.id, 'password');
			await acceptPassword(next, [nameAlone(viewer.user.name), viewer.account?.userId ?? '']);
			if (next.normalize('NFC') === present.normalize('NFC'))
				throw new PasswordError('same', 'expected another than the present one');
			const password_hash = await hashPassword(next, party);
			const details = { by: 'user' };
			const plan = {
				action: 'portal-user.password',
				details,
				change: () => ({ password_hash }),
				isProven: true,
			} as const;
			return change(viewer, client, plan);
		},
		/**
		 * Creates a secret for an authenticator app, which becomes a second factor when its first code is confirmed. Returns
		 * undefined if the user already has such an app.
		 */
		async beginApp(viewer: Viewer): Promise<ShownApp | undefined> {
			const { id } = viewer.user;
			const secret = makeTotpSecret();
			const accountId = viewer.account?.id ?? null;
			const sealed = await sealTotpSecret(keyRing, id, secret);
			const row = {
				user_id: id,
				account_id: accountId,
				...sealed,
				confirmed_at: null,
				last_step: 0,
				created_at: now(),
			};
			const isPut = await keyRing.seals.transact(database, async (transaction, sealer) => {
				const within = factorStore(transaction);
				const before = await within.findTotp(id);
				// A row that somebody has altered is no app, and gives way to a new one.
				if (before && before.confirmed_at !== null && sealer.isIntact(sealedPortalTotp, before)) return false;
				if (before) await within.removeTotp(id);
				const created_at = Math.max(row.created_at, before?.created_at ?? 0);
				return within.insertTotp(await sealer.renew(transaction, sealedPortalTotp, { ...row, created_at }));
			});
			return isPut ? shownApp(secret, viewer) : undefined;
		},
		async pendingApp(viewer: Viewer): Promise<ShownApp | undefined> {
			const row = await findApp(options, viewer.user.id);
			if (!row || row.confirmed_at !== null) return undefined;
			return shownApp(await openTotpSecret(keyRing, row), viewer);
		},
		async confirmApp(viewer: Viewer, code: string, client: Client): Promise<Renewed | undefined> {
			const { id } = viewer.user;
			const row = await findApp(options, id);
			if (!row || row.confirmed_at !== null) return undefined;
			const step = findStep(await openTotpSecret(keyRing, row), code, now());
			if (step === undefined) return undefined;
			return change(viewer, client, {
				action: 'portal-user.factor-add',
				details: { factor: 'app' },
				hasSecondFactor: true,
				change: () => ({ has_factor: true }),
				work: async (transaction, sealer) => {
					const confirmed = { ...row, confirmed_at: now() };
					const renewed = await sealer.renew(transaction, sealedPortalTotp, confirmed);
					const { user_id, confirmed_at, created_at, seal_key, seal } = renewed;
					const within = factorStore(transaction);
					const isFirst = await within.confirmTotp({ user_id, confirmed_at, created_at, seal_key, seal });
					return isFirst && useCode({ transaction, sealer, seals: keyRing.seals }, id, step);
				},
			});
		},
		/** Tells whether passkeys can be created, which requires a host name in the public URL of the installation. */
		canHavePasskeys: () => canHavePasskeys(settings),
		async beginPasskey({ user, session }: Viewer): Promise<object> {
			const known = await checks.listPasskeys(user.id);
			const options = await passkeyCreation(settings, { ...user, known });
			await sessionStore(database.knex).putChallenge(session.id, options.challenge, now() + CHALLENGE_MS);
			return options;
		},
		async addPasskey(viewer: Viewer, answer: unknown, label: string, client: Client): Promise<Renewed | undefined> {
			const { user, session } = viewer;
			const sessionsOf = sessionStore(database.knex);
			const challenge = (await sessionsOf.findById(session.id))?.challenge ?? undefined;
			if (challenge === undefined || !(await sessionsOf.takeChallenge(session.id, challenge, now()))) return undefined;
			const made = await readNewPasskey(settings, challenge, answer);
			if (!made || (await store.listPasskeys(user.id)).length >= MAX_PASSKEYS) return undefined;
			const account_id = viewer.account?.id ?? null;
			const passkey = { ...made, user_id: user.id, account_id, label, created_at: now() };
			return change(viewer, client, {
				action: 'portal-user.factor-add',
				details: { factor: 'passkey' },
				hasSecondFactor: true,
				change: () => ({ has_factor: true }),
				work: async (transaction, sealer) => {
					await putPasskey(transaction, sealer, passkey);
					return true;
				},
			});
		},
		/**
		 * Removes the authenticator app. Neither `removeApp` nor `removePasskey` removes the last second factor of a user who
		 * must have one.
		 * @throws ServiceError if it is the last one
		 */
		removeApp: (viewer: Viewer, client: Client) =>
			remove(viewer, client, 'app', async (transaction, sealer) => {
				const rows = await factorStore(transaction).removeTotp(viewer.user.id);
				await sealer.end(transaction, sealedPortalTotp, ...rows);
				return rows.some(({ confirmed_at }) => confirmed_at !== null);
			}),
		removePasskey: (viewer: Viewer, id: number, client: Client) =>
			remove(viewer, client, 'passkey', async (transaction, sealer) => {
				const row = await factorStore(transaction).removePasskey(id, viewer.user.id);
				if (row) await sealer.end(transaction, sealedPortalPasskeys, row);
				return row !== undefined;
			}),
		/** Creates ten new recovery codes; the earlier ones no longer work. */
		makeRecoveryCodes: (viewer: Viewer) =>
			keyRing.seals.transact(database, (transaction, sealer) => putRecoveryCodes(transaction, sealer, viewer)),
		setLanguage: ({ user }: Viewer, language: string | null) => userStore(database.knex).setLanguage(user.id, language),
	};
	return own;

	function shownPasskey({ id, label, created_at, used_at }: PasskeyRow) {
		return { id, label, createdAt: new Date(created_at), usedAt: used_at === null ? null : new Date(used_at) };
	}
}
