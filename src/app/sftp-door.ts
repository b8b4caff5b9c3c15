// Opens the interface over sFTP and listens.

import { join } from 'node:path';
import { openSftpServer, type SftpServer, type SftpServerOptions } from '../doors/sftp/server.ts';
import { openHostKeys } from '../doors/sftp/ssh/host-keys.ts';
import { openFormats } from '../installation/opening/open-formats.ts';
import { cutAtEnd } from '../people/identity/credentials/cut-notice.ts';
import { openDropsView } from '../work/folders/drops-view.ts';
import { sessionGuards } from '../work/folders/guards.ts';
import { noteFetch } from '../work/jobs/fetch-store.ts';
import { openLeftAlone } from '../work/jobs/left-alone.ts';
import { openSentFiles } from '../work/jobs/sent-files.ts';
import { sftpLimits } from './daemon-limits.ts';
import type { Installation } from './open-installation.ts';
import type { Work } from './open-work.ts';
import { sftpIdentity } from './sftp-identity.ts';
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
			return openDropsView({ drops, intake, sent, filters, ...own });
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
