// Opens all parts of a daemon in order, and closes them in reverse.

import { type Running, withReleases } from '../base/lifecycle.ts';
import type { Secret } from '../base/settings/secret.ts';
import { hasPostQuantumExchange } from '../base/ssh/ssh2.ts';
import { warnOfDescriptorLimit } from '../installation/doctor/descriptor-limit.ts';
import { addFirstUser } from '../installation/opening/configured-portal.ts';
import type { AccountWithKey } from '../people/identity/identity.ts';
import { openDoors } from './open-doors.ts';
import { openInstallation } from './open-installation.ts';
import { openWork } from './open-work.ts';
import { beginStart, type StartOptions } from './start.ts';

export interface Daemon extends Running {
	readonly sftpPort: number;
	/** The URL of the HTTP interface, without a slash at the end. */
	readonly baseUrl: string;
	/** Undefined for one of several processes, whose supervisor has the operations listener. */
	readonly opsPort: number | undefined;
	/** The SHA-256 fingerprints of the host keys, as clients show them. */
	readonly fingerprints: readonly string[];
	/** True if sFTP uses compiled cryptography instead of the slower JavaScript code. */
	readonly hasNativeBinding: boolean;
	/** The demo account, only on the start that created it, with the API key, which is shown once and never logged. */
	readonly demo: AccountWithKey | undefined;
	/** The link with which the manager of the demo account sets a password; set together with `demo`. It works once. */
	readonly portalLink: Secret | undefined;
}

/**
 * Starts a daemon: opens the installation, then everything that processes files and messages, then the listeners.
 * @throws the error that stopped the start; everything opened so far is closed again
 */
export function openDaemon(options: StartOptions): Promise<Daemon> {
	const { logger } = options;
	return withReleases(async (releases) => {
		const start = beginStart(options, releases);
		const { settings } = start;
		warnOfDescriptorLimit(settings, logger);
		const installation = await openInstallation(start);
		const work = await openWork(start, installation);
		const { sftp, http, opsPort } = await openDoors(start, installation, work);

		// The demo account is created last, because its key is shown only once: a start that fails, for example because a
		// port is taken, must not lose it.
		const { identity, database } = installation;
		const demo = settings.environment === 'sandbox' ? await identity.ensureDemoAccount() : undefined;
		const portalLink = demo && (await addFirstUser(http.portal, demo.account));
		logger.info(
			{
				environment: settings.environment,
				database: database.dialect,
				workers: settings.workers,
				http: http.baseUrl,
				sftp: { host: settings.sftp.host, port: sftp.port, fingerprints: sftp.fingerprints },
				sshExchange: hasPostQuantumExchange
					? 'post-quantum and classical'
					: 'classical only: ssh2 is not the version that our post-quantum exchange fits',
				sshCode: sftp.hasNativeBinding ? 'compiled' : 'JavaScript, slower: ssh2 has no binding for this Node',
			},
			'ready',
		);
		return {
			sftpPort: sftp.port,
			baseUrl: http.baseUrl,
			opsPort,
			fingerprints: sftp.fingerprints,
			hasNativeBinding: sftp.hasNativeBinding,
			demo,
			portalLink,
			stage: () => releases.current,
			failed: () => database.unsynced(),
			close: () => releases.release(),
		};
	});
}
