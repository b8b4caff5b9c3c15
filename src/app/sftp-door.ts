// Opens the interface over sFTP and listens.

import { join } from 'node:path';
import type { RefusedLogin, SftpIdentity } from '../doors/sftp/identity.ts';
import { openSftpServer, type SftpServer, type SftpServerOptions } from '../doors/sftp/server.ts';
import { openHostKeys } from '../doors/sftp/ssh/host-keys.ts';
import { openFormats } from '../installation/opening/open-formats.ts';
import { cutAtEnd } from '../people/identity/credentials/cut-notice.ts';
import type { Identity } from '../people/identity/identity.ts';
import { actorOf, credentialOf, type Principal } from '../people/identity/principal.ts';
import type { Audit } from '../trail/audit.ts';
import type { FailedLogins } from '../trail/failed-logins.ts';
import { DropsView } from '../work/folders/drops-view.ts';
import { sessionGuards } from '../work/folders/guards.ts';
import { noteFetch } from '../work/jobs/fetch-store.ts';
import { openLeftAlone } from '../work/jobs/left-alone.ts';
import { openSentFiles } from '../work/jobs/sent-files.ts';
import { sftpLimits } from './daemon-limits.ts';
import type { Installation } from './open-installation.ts';
import type { Work } from './open-work.ts';
import type { Start } from './start.ts';

export interface SftpGuards extends Pick<SftpServerOptions<unknown>, 'defender' | 'logins'> {
	readonly failedLogins: Parameters<typeof sftpIdentity>[2];
}

export async function openSftpDoor(
	start: Pick<Start, 'settings' | 'logger' | 'quiet' | 'clock' | 'member'>,
	installation: Pick<Installation, 'database' | 'keyRing' | 'identity' | 'audit'>,
	{ pool, drops, intake }: Pick<Work, 'pool' | 'drops' | 'intake'>,
	{ defender, logins, failedLogins }: SftpGuards,
): Promise<SftpServer> {
	const { settings, logger, quiet, clock, member } = start;
	const { database, identity, audit } = installation;
	const hostKeys = await openHostKeys(join(settings.dataDir, 'host-keys'));
	const filters = [...(await openFormats(installation)).keys()];
	const sent = openSentFiles(database);
	return openSftpServer({
		host: settings.sftp.host,
		port: settings.sftp.port,
		hostKeys: hostKeys.privateKeys,
		identity: sftpIdentity(identity, audit, failedLogins),
		openTree: async (principal, { id, address, end }) => {
			// A user who logs in will probably send a file, so a thread is started for it.
			pool.prepare();
			const leftAlone = openLeftAlone(installation, clock);
			const isBillable = principal.permissions.has('FileTokenize');
			const standing = identity.standings.watch(principal, { isBillable });
			cutAtEnd(standing, { audit, logger }, { door: 'sftp', principal, address, id }, ({ why }) => end(why));
			const guards = sessionGuards(principal, {
				standing,
				audit,
				address,
				noteFetch: (fetch) => noteFetch(database.knex, { ...fetch, door: 'sftp' }, { clock, logger: quiet }),
			});
			const own = { principal, leftAlone, guards, now: () => clock.now() };
			return new DropsView({ drops, intake, sent, filters, ...own });
		},
		logger,
		limits: sftpLimits(settings),
		defender,
		logins,
		admission: member?.admission,
		siblings: member?.siblings,
		clock,
	});
}

/**
 * Checks sFTP logins against the accounts in `src/people/identity`. The audit trail records successful and failed logins, with
 * the id of the credential if it is one of ours.
 */
export function sftpIdentity(
	identity: Pick<Identity, 'sftpLogin' | 'accounts' | 'findApiKeyOf'>,
	audit: Pick<Audit, 'record'>,
	failedLogins: Pick<FailedLogins, 'note'>,
): SftpIdentity<Principal> {
	return {
		byPassword: (login) => identity.sftpLogin.byPassword(login),
		byPublicKey: (login) => identity.sftpLogin.byPublicKey(login),
		noteLogin: ({ principal, address }) =>
			audit.record({
				actor: { ...actorOf(principal), address },
				action: 'sftp.login',
				subject: `account ${principal.userId}`,
				details: { method: principal.method },
			}),
		noteRefusal({ address, method, reason, ...login }) {
			failedLogins.note({ door: 'sftp', address, method, reason, describe: () => describe(identity, login) });
		},
	};
}

/** The given name is recorded only if an account has it, because people type passwords there. */
async function describe(
	{ accounts, findApiKeyOf }: Pick<Identity, 'accounts' | 'findApiKeyOf'>,
	{ userName, principal, password, fingerprint }: Omit<RefusedLogin<Principal>, 'address' | 'method' | 'reason'>,
) {
	const userId = principal?.userId ?? (await accounts.find(userName))?.userId;
	if (principal) return { userId, credential: credentialOf(principal) };
	// A fingerprint tells people which of their keys an account lacks, and is no secret.
	if (fingerprint !== undefined) return { userId, credential: `unknown ssh-key ${fingerprint}` };
	const found = password === undefined ? undefined : await findApiKeyOf(password);
	return { userId: userId ?? found?.userId, credential: credentialOf({ apiKeyId: found?.apiKeyId }) };
}
