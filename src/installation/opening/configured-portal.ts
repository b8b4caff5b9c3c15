// Opens the portal for the daemon and for commands.

import { type Clock, systemClock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import type { LoginGuard } from '../../base/defender/login-guard.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { Logger } from '../../base/log/log.ts';
import { type MailQueue, openMailQueue } from '../../base/mail/mail-queue.ts';
import type { Secret } from '../../base/settings/secret.ts';
import type { Settings } from '../../base/settings/settings.ts';
import type { Account } from '../../people/identity/accounts/accounts.ts';
import type { Identity } from '../../people/identity/identity.ts';
import { type Operators, openOperators } from '../../people/operators/operators.ts';
import type { FailedPortalLogin } from '../../people/portal-users/options.ts';
import { openPortal, type Portal } from '../../people/portal-users/portal.ts';
import type { Providers } from '../../people/portal-users/sso/providers.ts';
import type { Audit } from '../../trail/audit.ts';
import type { FailedLogins } from '../../trail/failed-logins.ts';

const REFUSED_AFTER_MS = 400;

/** Refuses every login. Commands use it, because nobody logs in through them. */
const noGuard: Pick<LoginGuard, 'mayTry' | 'failed' | 'succeeded'> = {
	mayTry: () => false,
	failed() {},
	succeeded() {},
};

export function openConfiguredPortal(
	parts: {
		readonly database: Database;
		readonly keyRing: KeyRing;
		readonly audit: Audit;
		readonly identity: Identity;
		readonly mails: Pick<MailQueue, 'isOpen' | 'prepare' | 'wake'>;
		readonly clock?: Clock;
		readonly guard?: Pick<LoginGuard, 'mayTry' | 'failed' | 'succeeded'>;
		readonly failedLogins?: Pick<FailedLogins, 'note'>;
		readonly operators?: Pick<Operators, 'standing'>;
		readonly providers?: Pick<Providers, 'list' | 'find'>;
	},
	settings: Pick<Settings, 'environment' | 'mail' | 'portal'>,
	/** This function returns the public URL; a daemon knows it once it listens. */
	baseUrl: () => string,
): Portal {
	const { failedLogins, guard = noGuard, clock = systemClock, operators = openOperators(parts) } = parts;
	const { environment, mail, portal } = settings;
	const note = ({ address, way, reason, account, userId }: FailedPortalLogin) =>
		failedLogins?.note({
			door: 'portal',
			address,
			method: way,
			reason,
			describe: async () => ({
				...(account !== undefined && { userId: account }),
				credential: userId === undefined ? null : `portal-user ${userId}`,
			}),
		});
	return openPortal({
		...parts,
		guard,
		clock,
		operators,
		onFailed: note,
		settings: {
			environment,
			mailFrom: mail.from ?? undefined,
			secondFactor: portal.secondFactor,
			refusedAfterMs: REFUSED_AFTER_MS,
			providerMs: portal.providerMinutes * 60_000,
			get baseUrl() {
				return baseUrl();
			},
		},
	});
}

/** Adds a manager for the account of the first start, and returns the link with which this person sets a password. */
export async function addFirstUser({ users, links }: Portal, { id, userId }: Account): Promise<Secret> {
	const user = await users.add({ name: userId, of: { accountId: id, role: 'manager' } }, 'daemon');
	return (await links.make(user.id, 'daemon')).url;
}

/** Opens the queue of mails for a command, which can only add mails. A daemon sends them within a minute. */
export function openCommandMails(
	{ database, keyRing }: { database: Database; keyRing: KeyRing },
	{ mail }: Pick<Settings, 'mail'>,
	logger: Logger,
): Pick<MailQueue, 'isOpen' | 'prepare' | 'wake'> {
	const queue = openMailQueue({ database, keyRing, clock: systemClock, logger, sender: undefined, limits: mail });
	return { isOpen: mail.host !== null, prepare: queue.prepare, wake() {} };
}
