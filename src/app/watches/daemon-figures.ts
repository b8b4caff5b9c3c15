// Collects the values that a daemon shows as metrics.

import type { BlobStore } from '../../base/blobs/blob-store.ts';
import { scoreStore } from '../../base/defender/score-store.ts';
import { logLines } from '../../base/log/log.ts';
import type { SftpServer } from '../../doors/sftp/server.ts';
import { daysLeft } from '../../installation/keys/key-periods.ts';
import { accountStore } from '../../people/identity/accounts/account-store.ts';
import { allowanceStore } from '../../people/identity/accounts/allowance-store.ts';
import { dayOf } from '../../vault/cards/elimination.ts';
import { eliminationStore } from '../../vault/cards/elimination-store.ts';
import { jobStore } from '../../work/jobs/job-store.ts';
import type { Pool } from '../../work/jobs/queue/pool.ts';
import { queueAge } from '../../work/jobs/queue/queue-age.ts';
import { routeStore } from '../../work/routes/route-store.ts';
import type { Installation } from '../open-installation.ts';
import type { Start } from '../start.ts';
import { type Metrics, openMetrics } from './metrics.ts';

type SftpFigures = Pick<SftpServer, 'sessions' | 'heldBytes'>;

export interface Figures {
	readonly metrics: Metrics;
	/** Connects the sFTP listener, which opens later than the metrics. Until then they show no sessions. */
	watchSftp(server: SftpFigures): void;
}

export function openFigures(
	{ settings, clock }: Pick<Start, 'settings' | 'clock'>,
	{ database, keyRing, forwarders }: Pick<Installation, 'database' | 'keyRing' | 'forwarders'>,
	{ pool, blobs }: { readonly pool: Pick<Pool, 'runningJobs'>; readonly blobs: Pick<BlobStore, 'space'> },
): Figures {
	const { knex } = database;
	let sftp: SftpFigures | undefined;
	const metrics = openMetrics({
		sftpSessions: () => sftp?.sessions() ?? 0,
		sftpHeldBytes: () => sftp?.heldBytes() ?? 0,
		runningJobs: () => pool.runningJobs.length,
		queuedJobs: async () => (await jobStore(knex).countByState()).queued,
		cardsRetired: () => accountStore(knex).sumCardsRetired(),
		eliminationLimits: () => eliminationStore(database).countClosed(dayOf(clock.now())),
		keyDaysLeft: () => daysLeft({ keyRing }, settings.keys, clock.now().getTime()),
		droppedLogLines: () => logLines.dropped,
		freeBytes: async () => (await blobs.space()).free,
		auditBehind: () =>
			Promise.all(forwarders.map(async (each) => ({ target: each.target.kind, entries: await each.countBehind() }))),
		queueAgeSeconds: () => queueAge(database, clock),
		bannedAddresses: async () => (await scoreStore(knex).listBans(clock.now().getTime())).length,
		allowances: (most) => allowanceStore(knex).listFullest(most),
		routes: async (most) =>
			(await routeStore(knex).listFigures(most)).map((each) => ({
				route: `${each.user_id}/${each.name}`,
				sinceSuccess: (clock.now().getTime() - Number(each.last_success_at ?? each.created_at)) / 1_000,
				deadFiles: each.dead,
				isMissing: each.missing_since !== null,
				isStopped: each.stopped_reason !== null,
			})),
	});
	return { metrics, watchSftp: (server) => void (sftp = server) };
}
