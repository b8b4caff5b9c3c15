// This is the last step of a start: it opens the listeners for sFTP, HTTP and operations.

import { openAllowed } from '../base/defender/allowed.ts';
import { openLoginGuard } from '../base/defender/login-guard.ts';
import { openSharedDefenders } from '../base/defender/shared-defenders.ts';
import { openLoginLimiter, type TriedLogin } from '../doors/http/access/login-limiter.ts';
import type { OnAnswered } from '../doors/http/server/access-log.ts';
import { openInstallationView } from '../installation/doctor/installation-view.ts';
import { openConfiguredPortal } from '../installation/opening/configured-portal.ts';
import type { Identity } from '../people/identity/identity.ts';
import { credentialOf } from '../people/identity/principal.ts';
import { openProviders } from '../people/portal-users/sso/providers.ts';
import { type FailedLogins, openFailedLogins, UNKNOWN_KEY } from '../trail/failed-logins.ts';
import type { Statistics } from '../work/statistics/statistics.ts';
import { defenderSettings } from './daemon-limits.ts';
import { openHttpDoor } from './http-door.ts';
import { listening } from './listening.ts';
import type { Installation } from './open-installation.ts';
import type { Work } from './open-work.ts';
import { openOpsDoor } from './ops-door.ts';
import { openSftpDoor } from './sftp-door.ts';
import type { Start } from './start.ts';
import type { Metrics } from './watches/metrics/metrics.ts';

/**
 * Opens the listeners.
 * @throws whatever stops the start, such as a port that is taken or a provider that is not declared well
 */
export async function openDoors(start: Start, installation: Installation, work: Work) {
	const { settings, logger, quiet, clock, member, releases, drainMs, opened } = start;
	const { database, keyRing, identity, audit } = installation;
	const { figures, statistics } = work;
	const { metrics } = figures;
	const limits = defenderSettings(settings);
	const siblings = member?.siblings;
	const defenders = opened('defender', await openSharedDefenders({ database, clock, logger, doors: limits, siblings }));
	const ranges = settings.defender.allow?.split(',') ?? [];
	const allowed = opened('allowed addresses', await openAllowed({ database, logger, ranges }));
	const logins = openLoginGuard({
		defender: defenders.sftp,
		clock,
		settings: limits.sftp,
		allowed,
		siblings,
	});
	const failedLogins = countedLogins(
		opened('failed logins', openFailedLogins({ audit, logger: quiet, clock })),
		metrics,
	);

	const guards = { defender: defenders.sftp, logins, failedLogins };
	const sftp = await listening('sftp', openSftpDoor(start, installation, work, guards));
	releases.add('sftp', () => sftp.close(drainMs()));
	figures.watchSftp(sftp);

	let publicUrl = () => '';
	const { providersDir } = settings.portal;
	const providers = opened(
		'providers',
		openProviders(providersDir, settings.environment, () => publicUrl()),
	);
	const http = await listening(
		'http',
		openHttpDoor(start, installation, work, {
			// If an address has failed so many logins over HTTP that it is limited, its further failures are also reported to
			// the defender of sFTP.
			loginLimiter: openLoginLimiter(defenders.http, logins, httpFailures(identity, failedLogins)),
			installation: openInstallationView(
				{ database, keyRing, identity, audit, clock, blobs: work.blobs, forwarders: installation.forwarders },
				settings,
			),
			openPortal(baseUrl) {
				publicUrl = baseUrl;
				const { mails } = work.cardPages;
				return openConfiguredPortal(
					{ database, keyRing, audit, identity, mails, clock, guard: logins, failedLogins, providers },
					settings,
					baseUrl,
				);
			},
			onAnswered(seen) {
				metrics.observeRequest(seen);
				noteCall(statistics, seen);
			},
			onCalled: (seen) => metrics.observeTargetCall(seen),
		}),
	);
	work.notePublicUrl(http.baseUrl);
	releases.add('http', () => http.close(drainMs()));

	const opsPort = await openOpsDoor(start, installation, work);
	return { sftp, http, opsPort };
}

/** Counts an answered call in the statistics of its account, and a refused card if it was to store one card. */
function noteCall(statistics: Statistics, seen: Parameters<OnAnswered>[0]): void {
	const { call, accountId, seconds, status } = seen;
	if (!call || accountId === undefined) return;
	const hasRefusedCard = status === 400 && call.name === 'storeACard';
	statistics.noteCall({ accountId, ms: seconds * 1000, hasRefusedCard });
}

/**
 * Returns a recorder that counts each failed login under its listener, and each offer of an unknown key, for the metrics,
 * and then records it in the trail.
 */
function countedLogins(
	failedLogins: FailedLogins,
	{ loginFailures, unknownKeys }: Pick<Metrics, 'loginFailures' | 'unknownKeys'>,
): Pick<FailedLogins, 'note'> {
	return {
		note(login) {
			if (login.reason === UNKNOWN_KEY) unknownKeys.inc();
			else loginFailures.inc({ door: login.door });
			failedLogins.note(login);
		},
	};
}

/** Records failed HTTP logins in the trail. A request without any credential is not a login. */
export function httpFailures(
	{ findApiKeyOf }: Pick<Identity, 'findApiKeyOf'>,
	failedLogins: Pick<FailedLogins, 'note'>,
): (address: string, tried: TriedLogin) => void {
	return (address, { kind, secret }) =>
		failedLogins.note({
			door: 'http',
			address,
			method: kind,
			reason: 'wrong credential',
			async describe() {
				const found = secret === undefined ? undefined : await findApiKeyOf(secret);
				return { userId: found?.userId, credential: credentialOf({ apiKeyId: found?.apiKeyId }) };
			},
		});
}
