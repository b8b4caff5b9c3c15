// Collects the values that a daemon shows as metrics.

import type { BlobStore } from '../../base/blobs/blob-store.ts';
import { scoreStore } from '../../base/defender/score-store.ts';
import { logLines } from '../../base/log/log.ts';
import { hasPostQuantumExchange } from '../../base/ssh/ssh2.ts';
import type { SftpServer } from '../../doors/sftp/server.ts';
import { daysLeft } from '../../installation/keys/key-periods.ts';
import { readDuties } from '../../installation/upkeep/backup-age.ts';
import { listExpiring } from '../../installation/upkeep/expiry.ts';
import { accountStore } from '../../people/identity/accounts/account-store.ts';
import { allowanceStore } from '../../people/identity/accounts/allowance-store.ts';
import { dayOf } from '../../vault/cards/elimination.ts';
import { eliminationStore } from '../../vault/cards/elimination-store.ts';
import { deliveryStore } from '../../work/events/delivery-store.ts';
import { jobStore } from '../../work/jobs/job-store.ts';
import type { Pool } from '../../work/jobs/queue/pool.ts';
import { queueAge } from '../../work/jobs/queue/queue-age.ts';
import { routeStore } from '../../work/routes/route-store.ts';
import { listSilent } from '../../work/statistics/silence.ts';
import type { Installation } from '../open-installation.ts';
import type { Start } from '../start.ts';
import { openMetrics } from './metrics/metrics.ts';

const DAY_MS = 86_400_000;
/** What changes by the day and takes many statements to find out is read again after this time. */
const SELDOM_MS = 600_000;

type SftpFigures = Pick<SftpServer, 'sessions' | 'heldBytes' | 'exchanges'>;

export type Figures = ReturnType<typeof openFigures>;

export function openFigures(
	{ settings, clock, member }: Pick<Start, 'settings' | 'clock' | 'member'>,
	installation: Pick<Installation, 'database' | 'keyRing' | 'identity' | 'forwarders' | 'masterKeyWatch'>,
	{ pool, blobs }: { readonly pool: Pick<Pool, 'runningJobs'>; readonly blobs: Pick<BlobStore, 'space'> },
) {
	const { database, identity, forwarders, masterKeyWatch } = installation;
	const { knex } = database;
	let sftp: SftpFigures | undefined;
	const metrics = openMetrics({
		process: member?.number,
		sftpSessions: () => sftp?.sessions() ?? 0,
		sftpExchanges: () => sftp?.exchanges() ?? { postQuantum: 0, classical: 0 },
		hasPostQuantumExchange,
		sftpHeldBytes: () => sftp?.heldBytes() ?? 0,
		runningJobs: () => pool.runningJobs.length,
		queuedJobs: async () => (await jobStore(knex).countByState()).queued,
		cardsRetired: () => accountStore(knex).sumCardsRetired(),
		eliminationLimits: () => eliminationStore(database).countClosed(dayOf(clock.now())),
		keyDaysLeft: () => daysLeft(installation, settings.keys, clock.now().getTime()),
		isKeyServiceAway: () => masterKeyWatch.isAway(),
		droppedLogLines: () => logLines.dropped,
		freeBytes: async () => (await blobs.space()).free,
		auditBehind: () =>
			Promise.all(forwarders.map(async (each) => ({ target: each.target.kind, entries: await each.countBehind() }))),
		queueAgeSeconds: () => queueAge(database, clock),
		bannedAddresses: async () => (await scoreStore(knex).listBans(clock.now().getTime())).length,
		allowances: (most) => allowanceStore(knex).listFullest(most),
		expiring: seldom(clock, async (now) => {
			const ends = await listExpiring(installation, settings, now);
			// The keys of the vault have a figure of their own.
			const shown = ends.filter(({ kind, term }) => kind !== 'key' && term !== 'running');
			return shown.map(({ kind, name, endsAtMs }) => ({ kind, name, days: (endsAtMs - now) / DAY_MS }));
		}),
		overdue: async () =>
			(await readDuties(database, settings, clock.now().getTime())).flatMap(({ duty, overdueDays }) =>
				overdueDays === undefined ? [] : [{ duty, days: overdueDays }],
			),
		silent: seldom(clock, async (now) => {
			const found = await listSilent(knex, now);
			const users = await identity.accounts.userIdsOf(found.map(({ accountId }) => accountId));
			return found.map(({ accountId, days }) => ({ account: users.get(accountId) ?? String(accountId), days }));
		}),
		events: async () => {
			const { waiting, oldestAt, disabled } = await deliveryStore(database).figures();
			const oldestSeconds = oldestAt === null ? 0 : Math.max(0, (clock.now().getTime() - oldestAt) / 1_000);
			return { waiting, oldestSeconds, disabledEndpoints: disabled };
		},
		routes: async (most) =>
			(await routeStore(knex).listFigures(most)).map((each) => ({
				route: `${each.user_id}/${each.name}`,
				sinceSuccess: (clock.now().getTime() - Number(each.last_success_at ?? each.created_at)) / 1_000,
				deadFiles: each.dead,
				isMissing: each.missing_since !== null,
				isStopped: each.stopped_reason !== null,
			})),
	});
	return {
		metrics,
		/** Connects the sFTP listener, which opens later than the metrics. Until then they show no sessions. */
		watchSftp: (server: SftpFigures) => void (sftp = server),
	};
}

/** Returns a function that gives the last value for ten minutes, and then reads it again. */
function seldom<T>({ now }: Start['clock'], read: (now: number) => Promise<T>): () => Promise<T> {
	let last: { readonly atMs: number; readonly value: T } | undefined;
	return async () => {
		const atMs = now().getTime();
		if (!last || atMs - last.atMs >= SELDOM_MS) last = { atMs, value: await read(atMs) };
		return last.value;
	};
}
