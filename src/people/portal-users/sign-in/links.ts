// Manages links with which a user can set a password once: for new users, and for those who forgot their password.

import type { Knex } from 'knex';
import { badInput } from '../../../base/errors.ts';
import { told } from '../../../base/failures.ts';
import type { RowSealer } from '../../../base/keys/rows/row-seals.ts';
import { isMailLimit } from '../../../base/mail/mail-limits.ts';
import { Secret } from '../../../base/settings/secret.ts';
import type { Actor } from '../../../trail/actor.ts';
import { nameAlone } from '../../identity/accounts/user-id.ts';
import { type PortalLetter, portalMail } from '../letters.ts';
import type { PortalOptions } from '../options.ts';
import { sealedPortalLinks } from '../sealed-rows.ts';
import type { PortalUserRow } from '../user-store.ts';
import type { UserChange, UserRows } from '../users.ts';
import { hashSecret, isSecret, makeSecret } from './secret-hash.ts';
import { linkStore, type PortalLinkRow } from './session-store.ts';
import { endSessions } from './sessions.ts';

const HOUR_MS = 3_600_000;
const LINK_MS = HOUR_MS;
/** A mailed invitation is valid for three days, so that it is still valid after a weekend. */
const INVITATION_MS = 72 * HOUR_MS;
/** Whoever asks for a link in place of a forgotten password, which anybody may do. */
const ANYBODY: Actor = 'unknown';

export const LINK_PATH = '/portal/enter/';

export interface PortalLink {
	readonly url: Secret;
	readonly expiresAt: Date;
}

export interface LinkUse {
	/** The action, as the audit trail names it. */
	readonly action: string;
	readonly details: Readonly<Record<string, string>>;
	readonly change: UserChange;
	readonly work?: (transaction: Knex.Transaction, sealer: RowSealer) => Promise<void>;
}

export function openLinks(options: PortalOptions, users: UserRows) {
	const { database, keyRing, audit, clock, identity, mails, settings } = options;
	const now = () => clock.now().getTime();
	const canMail = ({ name, accountId }: { readonly name: string; readonly accountId: number | null }) =>
		mails.isOpen &&
		settings.mailFrom !== undefined &&
		accountId !== null &&
		/^[^@]+@[^@]+\.[^@]+$/.test(nameAlone(name));
	const get = async (id: number): Promise<PortalUserRow> => {
		const user = await users.findById(id);
		if (!user) throw badInput('name', 'there is no such user', told('not-there'));
		return user;
	};
	const put = async (user: PortalUserRow, actor: Actor, lifeMs: number, letter?: PortalLetter) => {
		const secret = makeSecret('pl');
		const url = `${settings.baseUrl}${LINK_PATH}${secret}`;
		const row = {
			hash: hashSecret(secret),
			account_id: user.account_id,
			user_id: user.id,
			user_version: user.version,
			created_at: now(),
			expires_at: now() + lifeMs,
		};
		const expiresAt = new Date(row.expires_at);
		const putMail = letter && (await mails.prepare());
		const owner = letter && (await identity.accounts.findById(user.account_id!));
		await keyRing.seals.transact(database, async (transaction, sealer) => {
			// Anybody can ask for a link in place of a forgotten password. It must not end an invitation or a link that
			// somebody else has made.
			if (letter !== 'forgotten') {
				await sealer.end(transaction, sealedPortalLinks, ...(await linkStore(transaction).removeOf(user.id)));
			}
			await linkStore(transaction).insert({ ...row, ...sealer.seal(sealedPortalLinks, row) });
			if (putMail) {
				const { name, language } = user;
				const mail = portalMail(letter, {
					to: nameAlone(name),
					from: settings.mailFrom!,
					url,
					expiresAt,
					language,
					hasOwnName: name !== nameAlone(name),
				});
				const ownerId = actor === ANYBODY ? null : (owner!.parentId ?? owner!.id);
				const order = { accountId: owner!.id, ownerId, about: `portal-user ${user.id}`, giveUpAt: expiresAt, mail };
				await putMail(order, transaction);
			}
			const details = { isMailed: letter !== undefined, expires: expiresAt.toISOString() };
			await audit.record(
				{ actor, action: 'portal-user.link', subject: `portal-user ${user.id}`, details },
				transaction,
			);
		});
		if (letter) mails.wake();
		return { url: new Secret(url), expiresAt };
	};

	return {
		/** Creates a link that works once, for an hour. It replaces all earlier links of the user. */
		make: async (userId: number, actor: Actor) => put(await get(userId), actor, LINK_MS),
		canMail,
		/**
		 * Mails a link to a user of an account. The name of the user must be an e-mail address.
		 * @throws ServiceError if no mail server is set, or the user cannot be mailed
		 */
		async mail(userId: number, letter: PortalLetter, actor: Actor): Promise<{ readonly expiresAt: Date }> {
			const user = await get(userId);
			if (!canMail({ name: user.name, accountId: user.account_id })) {
				const [problem, code] = mails.isOpen
					? ['expected the name of a user of an account that is an e-mail address', 'mail-address-malformed' as const]
					: ['no mail server is set (mail.host): give the link yourself', 'mail-not-set-up' as const];
				throw badInput('mail', problem, told(code));
			}
			return put(user, actor, letter === 'invitation' ? INVITATION_MS : LINK_MS, letter);
		},
		/** Mails a link to the user of this name, if there is one. The caller does not learn whether there is. */
		async forgotten(name: string): Promise<void> {
			const user = await users.findByName(name);
			if (!user || user.blocked_at !== null) return;
			if (!canMail({ name: user.name, accountId: user.account_id })) return;
			try {
				await put(user, ANYBODY, LINK_MS, 'forgotten');
			} catch (error) {
				if (!isMailLimit(error)) throw error;
			}
		},
		/** Returns the link with this secret, and its user; undefined if there is no such link or it no longer works. */
		async find(secret: string) {
			if (!isSecret('pl', secret)) return undefined;
			const hash = hashSecret(secret);
			const row = await keyRing.seals.find(sealedPortalLinks, () => linkStore(database.knex).findByHash(hash));
			if (!row || row.expires_at <= now()) return undefined;
			const user = await users.findById(row.user_id);
			return user?.version === row.user_version && user.blocked_at === null ? { row, user } : undefined;
		},
		/**
		 * Uses up a link and changes its user, whose sessions end. Returns the changed user, or undefined if the link was used
		 * before.
		 */
		use: (
			{ row, user }: { readonly row: PortalLinkRow; readonly user: PortalUserRow },
			actor: Actor,
			{ action, details, change, work }: LinkUse,
		): Promise<PortalUserRow | undefined> =>
			keyRing.seals.transact(database, async (transaction, sealer) => {
				if (!(await linkStore(transaction).take(row.hash))) return undefined;
				await sealer.end(transaction, sealedPortalLinks, row);
				if (work) await work(transaction, sealer);
				const next = await users.change(transaction, sealer, user, change);
				await endSessions(transaction, sealer, user.id);
				await audit.record({ actor, action, subject: `portal-user ${user.id}`, details }, transaction);
				return next;
			}),
	};
}

export type LinkRows = ReturnType<typeof openLinks>;
