// Opens everything in order, closes in reverse; the only file that knows every room.

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { formats } from '../formats/index.ts';
import { noteAttempt } from './assembly/attempt-notes.ts';
import { auditedRun } from './assembly/audited-run.ts';
import { auditedChanges, auditedStores } from './assembly/audited-stores.ts';
import { auditedTree } from './assembly/audited-tree.ts';
import { openBrokenRows } from './assembly/broken-rows.ts';
import { countedLogins } from './assembly/counted-logins.ts';
import { defenderSettings, sftpLimits } from './assembly/daemon-limits.ts';
import { eliminationLimit } from './assembly/elimination-limit.ts';
import { openForwarders } from './assembly/forward-trail.ts';
import { checkDropStore, checkRoomForJobs } from './assembly/free-space.ts';
import { openGatewayRoom } from './assembly/gateway-room.ts';
import { openHttpDoor } from './assembly/http-door.ts';
import { httpFailures } from './assembly/http-failures.ts';
import { daysLeft } from './assembly/key-periods.ts';
import { listening } from './assembly/listening.ts';
import { warnOfLongCvvPolicies } from './assembly/long-cvv-policies.ts';
import { checkMasterKey, watchMasterKey } from './assembly/master-key-watch.ts';
import { openMetrics } from './assembly/metrics.ts';
import { notedTree } from './assembly/noted-tree.ts';
import { openDaemonRooms } from './assembly/open-rooms.ts';
import { scheduledTasks } from './assembly/scheduled-tasks.ts';
import { sftpIdentity } from './assembly/sftp-identity.ts';
import { watchedTree } from './assembly/watched-tree.ts';
import { openFailedLogins } from './audit/failed-logins.ts';
import { openHeadBook } from './audit/head-book.ts';
import { systemClock } from './clock.ts';
import { dialectOf } from './database/dialect.ts';
import { takeExclusiveLock } from './database/exclusive-lock.ts';
import { checkDatabaseWritable } from './database/write-check.ts';
import { openAllowed } from './defender/allowed.ts';
import { openLoginGuard } from './defender/login-guard.ts';
import { scoreStore } from './defender/score-store.ts';
import { openSharedDefenders } from './defender/shared-defenders.ts';
import { dropBlobs } from './drops/drop-blobs.ts';
import { Drops } from './drops/drops.ts';
import { openLoginLimiter } from './http/access/login-limiter.ts';
import { buildOpsApp } from './http/server/ops-app.ts';
import { accountStore } from './identity/account-store.ts';
import { allowanceStore } from './identity/allowance-store.ts';
import { cutAtEnd } from './identity/cut-notice.ts';
import type { AccountWithKey } from './identity/identity.ts';
import { openIntake } from './jobs/intake.ts';
import { jobStore } from './jobs/job-store.ts';
import { Pool } from './jobs/pool.ts';
import { queueAge } from './jobs/queue-age.ts';
import { recover } from './jobs/recovery.ts';
import { failureNote } from './jobs/retry-note.ts';
import { openSchedule } from './jobs/schedule.ts';
import { type Running, withReleases } from './lifecycle.ts';
import { oncePerMinute } from './log/repeated.ts';
import type { Logger } from './log.ts';
import { openOutboundClient } from './outbound/http-client.ts';
import { openBodies } from './relay/bodies/bodies.ts';
import { changedSettings, type Settings, settingsByKey } from './settings.ts';
import { openDropsView } from './sftp/drops-view.ts';
import { openHostKeys } from './sftp/host-keys.ts';
import { openSftpServer } from './sftp/server.ts';
import { dayOf } from './vault/elimination.ts';
import { eliminationStore } from './vault/elimination-store.ts';
import { openVault } from './vault/vault.ts';

export interface Daemon extends Running {
	readonly sftpPort: number;
	/** Where the interface over HTTP is, without a slash at the end. */
	readonly baseUrl: string;
	readonly opsPort: number;
	/** SHA-256 fingerprints of the host keys, as clients show them. */
	readonly fingerprints: readonly string[];
	/** Whether sFTP runs on compiled cryptography. */
	readonly hasNativeBinding: boolean;
	/** The demo account, on the start that made it. Holds its API key: shown once, never logged. */
	readonly demo: AccountWithKey | undefined;
}

/**
 * Starts in this order: settings and log are there already, then database and keys, recovery, workers, doors.
 * @throws whatever stops the start; what was opened is closed again.
 */
export function openDaemon(options: {
	readonly settings: Settings;
	readonly logger: Logger;
	/** The file of `--config`: worker threads read settings themselves. */
	readonly configPath?: string;
}): Promise<Daemon> {
	const { settings, logger } = options;
	const clock = systemClock;
	const quiet = oncePerMinute(logger);
	const daemonId = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;

	return withReleases(async (releases) => {
		// The embedded database has one daemon; on PostgreSQL several may even share the data directory.
		if (dialectOf(settings.databaseUrl) === 'sqlite') {
			releases.opened('data directory', takeExclusiveLock(join(settings.dataDir, 'daemon.lock')));
		}
		const opened = <T extends { close(): Promise<void> | void }>(name: string, resource: T) =>
			releases.opened(name, resource);
		const brokenRows = opened('broken rows', openBrokenRows(logger));
		const { database, keyRing, audit, identity } = await openDaemonRooms({ settings, opened }, brokenRows);
		opened('book of heads', await openHeadBook({ ...settings.audit, database, keyRing, logger, clock }));
		const forwarders = await openForwarders({ database, clock, logger: quiet }, settings.audit, daemonId);
		for (const forwarder of forwarders) opened('sending of the audit trail', forwarder);
		const run = {
			dataDir: settings.dataDir,
			shown: settingsByKey(settings),
			changed: changedSettings(settings),
			logger,
		};
		opened('entry of the run', await auditedRun(audit, daemonId, run));
		opened('watch over the master key', watchMasterKey({ keyRing, logger }));
		const onStored = auditedStores(audit);
		const elimination = eliminationLimit({ database, audit, logger }, settings);
		const vault = await openVault({
			...{ database, keyRing, clock, elimination, onStored },
			onChanged: auditedChanges(audit),
		});
		await warnOfLongCvvPolicies({ database, clock, logger }, settings);

		const blobs = dropBlobs(settings);
		const spool = { blobs, keyRing };
		await recover({ ...spool, database, clock, logger });

		const pool = new Pool({
			rooms: { ...spool, database, clock, maxAttempts: settings.jobs.maxAttempts, onFailed: failureNote(audit) },
			daemonId,
			workers: settings.workers,
			start: {
				roomsModule: new URL('./assembly/worker-rooms.ts', import.meta.url).href,
				setup: { configPath: options.configPath ?? null },
			},
			leaseMs: settings.jobs.leaseSeconds * 1000,
			logger,
			onSettled: (jobId, state) => void noteAttempt({ database, metrics, logger }, jobId, state),
		});
		const drainMs = drainTime(settings.shutdown.drainSeconds * 1000);
		releases.add('workers', () => pool.close(drainMs()));
		const metrics = openMetrics({
			sftpSessions: () => sftp.sessions(),
			sftpHeldBytes: () => sftp.heldBytes(),
			runningJobs: () => pool.runningJobs.length,
			queuedJobs: async () => (await jobStore(database.knex).countByState()).queued,
			cardsRetired: () => accountStore(database.knex).sumCardsRetired(),
			eliminationLimits: () => eliminationStore(database).countClosed(dayOf(clock.now())),
			keyDaysLeft: () => daysLeft({ keyRing }, settings.keys, clock.now().getTime()),
			freeBytes: async () => (await blobs.space()).free,
			auditBehind: async () =>
				Promise.all(forwarders.map(async (each) => ({ target: each.target.kind, entries: await each.countBehind() }))),
			queueAgeSeconds: () => queueAge(database, clock),
			bannedAddresses: async () => (await scoreStore(database.knex).listBans(clock.now().getTime())).length,
			allowances: (most) => allowanceStore(database.knex).listFullest(most),
		});

		brokenRows.countBy((labels) => metrics.brokenRows.inc(labels));

		const drops = new Drops({
			...spool,
			database,
			daemonId,
			clock,
			maxFileBytes: settings.transfer.maxFileBytes ?? undefined,
			quotas: settings.drops,
		});
		releases.opened('drops', drops);
		const intake = openIntake({ database, drops, clock, onAccepted: () => pool.wake() });
		// One for all rooms, so that limits and connections count together. Payments cut off here have an unknown outcome.
		const outbound = opened('calls to third parties', openOutboundClient(settings.relay));
		const bodies = opened('threads for bodies', openBodies(settings.relay));
		const gateway = openGatewayRoom(
			{
				...{ database, keyRing, vault, audit, clock, logger, outbound },
				onCall: (seen) => metrics.observeGatewayCall(seen),
			},
			settings,
		);
		opened(
			'schedule',
			openSchedule({
				database,
				daemonId,
				tasks: scheduledTasks({ database, keyRing, vault, identity, audit, blobs, clock, logger, settings, gateway }),
				clock,
				logger,
			}),
		);

		const doors = defenderSettings(settings);
		const defenders = opened('defender', await openSharedDefenders({ database, clock, logger, doors }));
		const ranges = settings.defender.allow?.split(',') ?? [];
		const allowed = opened('allowed addresses', await openAllowed({ database, logger, ranges }));
		const logins = openLoginGuard({ defender: defenders.sftp, clock, settings: doors.sftp, allowed });
		const failedLogins = countedLogins(
			opened('failed logins', openFailedLogins({ audit, logger: quiet, clock })),
			metrics.loginFailures,
		);
		const hostKeys = await openHostKeys(join(settings.dataDir, 'host-keys'));
		const sftp = await listening(
			'sftp',
			openSftpServer({
				host: settings.sftp.host,
				port: settings.sftp.port,
				hostKeys: hostKeys.privateKeys,
				identity: sftpIdentity(identity, audit, failedLogins),
				openTree: async (principal, { id, address, end }) => {
					// Who logs in is about to bring a file.
					pool.prepare();
					const view = openDropsView({
						drops,
						intake,
						filters: [...formats.keys()],
						principal,
						now: () => clock.now(),
					});
					const standing = identity.standings.watch(principal, {
						isBillable: principal.permissions.has('FileTokenize'),
					});
					cutAtEnd(standing, { audit, logger }, { door: 'sftp', principal, address, id }, ({ why }) => end(why));
					const noted = notedTree(view, principal.userId, { knex: database.knex, clock, logger: quiet });
					return watchedTree(auditedTree(noted, audit, principal, address), standing);
				},
				logger,
				limits: sftpLimits(settings),
				defender: defenders.sftp,
				logins,
				clock,
			}),
		);
		releases.add('sftp', () => sftp.close(drainMs()));

		const http = await listening(
			'http',
			openHttpDoor({
				...{ database, keyRing, identity, audit, vault, drops, intake, clock, logger, settings },
				...{ gateway, outbound, bodies },
				// Who fails on and on here is known at the other door.
				loginLimiter: openLoginLimiter(defenders.http, logins, httpFailures(identity, failedLogins)),
				observe: (seen) => metrics.observeRequest(seen),
				onCalled: (seen) => metrics.observeTargetCall(seen),
			}),
		);
		releases.add('http', () => http.close(drainMs()));

		const ops = buildOpsApp({
			checks: [
				['database', () => checkDatabaseWritable(database, clock.now())],
				['keys', () => checkMasterKey(keyRing)],
				['drops', () => checkDropStore(blobs)],
				['jobs', () => checkRoomForJobs(blobs, async () => (await jobStore(database.knex).countByState()).queued)],
			],
			metrics: async () => ({
				contentType: metrics.registry.contentType,
				text: await metrics.registry.metrics(),
			}),
		});
		releases.add('operations listener', () => ops.close());
		await listening('ops', ops.listen({ host: settings.ops.host, port: settings.ops.port }));

		// Last, since its key is shown once: a start that fails, as when a port is taken, must not lose it.
		const demo = settings.environment === 'sandbox' ? await identity.ensureDemoAccount() : undefined;
		logger.info(
			{
				environment: settings.environment,
				database: database.dialect,
				workers: settings.workers,
				http: http.baseUrl,
				sftp: { host: settings.sftp.host, port: sftp.port, fingerprints: sftp.fingerprints },
				sshCode: sftp.hasNativeBinding ? 'compiled' : 'JavaScript, slower: ssh2 has no binding for this Node',
			},
			'ready',
		);
		return {
			sftpPort: sftp.port,
			baseUrl: http.baseUrl,
			opsPort: (ops.server.address() as { port: number }).port,
			fingerprints: sftp.fingerprints,
			hasNativeBinding: sftp.hasNativeBinding,
			demo,
			stage: () => releases.current,
			close: () => releases.release(),
		};
	});
}

/** What is left of the time for work under way: it is one for all rooms, and runs from the first that asks. */
function drainTime(totalMs: number): () => number {
	let endsAt: number | undefined;
	return () => {
		endsAt ??= performance.now() + totalMs;
		return Math.max(0, endsAt - performance.now());
	};
}
