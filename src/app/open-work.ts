// This is the second step of a start: it opens everything that processes files, messages and payments: blobs, workers,
// drops, outgoing calls and the schedule.

import type { BlobStore } from '../base/blobs/blob-store.ts';
import { logLines } from '../base/log/log.ts';
import { type OutboundClient, openOutboundClient } from '../base/outbound/http-client.ts';
import type { Settings } from '../base/settings/settings.ts';
import { openSchedule } from '../doors/schedule/schedule.ts';
import { accountMessages } from '../installation/opening/account-directory.ts';
import { routeParts } from '../installation/opening/route-parts.ts';
import { dropBlobs } from '../work/drops/drop-blobs.ts';
import { Drops } from '../work/drops/drops.ts';
import { deliveryStore } from '../work/events/delivery-store.ts';
import { openEventEndpoints } from '../work/events/endpoints.ts';
import { type LaneParts, MOST_CALLS } from '../work/events/lane.ts';
import { EventSender } from '../work/events/sender.ts';
import { openIntake } from '../work/jobs/intake.ts';
import { jobStore } from '../work/jobs/job-store.ts';
import { Pool } from '../work/jobs/queue/pool.ts';
import { recover } from '../work/jobs/queue/recovery.ts';
import { failureNote } from '../work/jobs/queue/retry-note.ts';
import { type Gateway, type GatewayOptions, openGateway } from '../work/payments/gateway/gateway.ts';
import { openDrivers } from '../work/payments/gateway/open-drivers.ts';
import { openPgpKeys } from '../work/pgp/pgp-keys.ts';
import { openBodies } from '../work/relay/bodies/bodies.ts';
import { openRouteControls } from '../work/routes/route-controls.ts';
import type { RunParts } from '../work/routes/runs/carry-out.ts';
import { runStore } from '../work/routes/runs/run-store.ts';
import { RouteRunner } from '../work/routes/runs/runner.ts';
import type { AccountsOfJobs } from '../work/statistics/follow-trail.ts';
import { openStatistics } from '../work/statistics/statistics.ts';
import { type CardPagesOptions, openCardPages } from './card-pages.ts';
import type { Installation } from './open-installation.ts';
import { scheduledTasks } from './scheduled-tasks.ts';
import type { Start } from './start.ts';
import { openAttemptNotes } from './watches/attempt-notes.ts';
import { type Figures, openFigures } from './watches/daemon-figures.ts';
import type { WorkerSetup } from './worker-parts.ts';

export type Work = Awaited<ReturnType<typeof openWork>>;

/**
 * Opens everything with which a daemon does its work, and recovers and continues what an earlier daemon left unfinished.
 * @throws the error because of which the daemon cannot start
 */
export async function openWork(start: Start, installation: Installation) {
	const { settings, logger, clock, daemonId, opened } = start;
	const { database, keyRing, audit, identity, vault, clockWatch, brokenRows } = installation;
	const parts = { database, keyRing, audit, identity, vault, clock, logger };
	const blobs = dropBlobs(settings, database);
	const spool = { blobs, keyRing };
	await recover({ ...spool, database, clock, logger });
	const pool = openPool(start, installation, blobs, (jobId, state) => {
		notes.add(jobId, state);
	});
	const figures = openFigures(start, installation, { pool, blobs });
	const notes = openAttemptNotes({ database, metrics: figures.metrics, logger });
	brokenRows.countBy((labels) => figures.metrics.brokenRows.inc(labels));
	const maxFileBytes = settings.transfer.maxFileBytes ?? undefined;
	const drops = new Drops({ ...spool, database, daemonId, clock, maxFileBytes, quotas: settings.drops });
	opened('drops', drops);
	const intake = openIntake({ database, drops, clock, onAccepted: () => pool.wake() });
	// All outgoing calls share this client, so that limits and connections are counted together. A payment that is cut off
	// when the client closes has an unknown outcome.
	const outbound = opened('calls to third parties', openOutboundClient(settings.relay));
	const bodies = opened('threads for bodies', openBodies(settings.relay));
	const onCall: Figures['metrics']['observeGatewayCall'] = (seen) => figures.metrics.observeGatewayCall(seen);
	const gateway = openConfiguredGateway({ ...parts, outbound, onCall }, settings);
	const onMailLimited: CardPagesOptions['onMailLimited'] = (limit) => figures.metrics.mailsLimited.inc({ limit });
	const statistics = opened('statistics', openStatistics({ ...parts, accountsOfJobs: accountsOfJobs(database) }));
	const cardPages = opened('mails', openCardPages({ ...parts, onMailLimited }, settings));
	const messages = accountMessages({ database, keyRing, identity }, settings, opened);
	const routes = routeParts({ ...parts, messages, drops, intake, prepareJob: () => pool.prepare() }, settings, (run) =>
		figures.metrics.observeRoute(run),
	);
	opened('routes', await openRouteRunner(start, installation, routes));
	const endpoints = openEventEndpoints(parts);
	const eventMails = { queue: cardPages.mails, from: settings.mail.from ?? undefined };
	// A receiver that hangs takes no place from the calls of others.
	const client = openOutboundClient({ ...settings.relay, maxInFlight: MOST_CALLS });
	const calls = opened('calls that tell of events', client);
	const onTried: LaneParts['onTried'] = (outcome, count) => figures.metrics.observeDeliveries(outcome, count);
	const eventParts = { ...parts, endpoints, outbound: calls, mails: eventMails, onTried };
	// What a daemon that died has claimed is free at once where there is only one daemon.
	if (database.dialect === 'sqlite') await deliveryStore(database).releaseAll();
	opened('events', new EventSender({ parts: eventParts, logger, maySend: clockWatch.isRight }));
	let publicUrl: string | undefined;
	const tasks = scheduledTasks({
		...parts,
		settings,
		blobs,
		gateway,
		cardPages,
		routes,
		onPageDifference: (difference) => figures.metrics.pageDifferences.inc({ page: difference.of }),
		publicUrl: () => publicUrl,
	});
	/** Notes the URL that clients use, which is known when the HTTP interface listens. */
	const notePublicUrl = (url: string) => void (publicUrl = url);
	opened('schedule', openSchedule({ database, daemonId, tasks, clock, logger, mayRun: clockWatch.isRight }));
	const pgpKeys = openPgpKeys(parts);
	const routeControls = openRouteControls({ ...routes, pgpKeys });
	return {
		...{ blobs, pool, figures, drops, intake, outbound, bodies, gateway, cardPages, statistics, routeControls },
		notePublicUrl,
	};
}

/** Begins and carries out the runs of routes. What a daemon that died has left under way is given free at the start. */
async function openRouteRunner(
	{ settings, logger, daemonId }: Start,
	{ database, clockWatch }: Installation,
	parts: RunParts,
): Promise<RouteRunner> {
	if (database.dialect === 'sqlite') await runStore(database.knex).releaseDaemons();
	const leaseMs = settings.jobs.leaseSeconds * 1000;
	return new RouteRunner({ parts, daemonId, leaseMs, logger, mayBegin: clockWatch.isRight });
}

function openPool(
	{ settings, configPath, logger, clock, daemonId, releases, drainMs }: Start,
	{ database, keyRing, audit, clockWatch, lane }: Installation,
	blobs: BlobStore,
	onSettled: NonNullable<ConstructorParameters<typeof Pool>[0]['onSettled']>,
): Pool {
	const { maxAttempts, leaseSeconds } = settings.jobs;
	const pool = new Pool({
		settling: { blobs, keyRing, database, clock, maxAttempts, onFailed: failureNote(audit) },
		daemonId,
		workers: settings.workers,
		start: {
			workerModule: new URL('./worker-parts.ts', import.meta.url).href,
			setup: {
				configPath: configPath ?? null,
				writeTurn: database.writeTurn,
				logCounts: logLines.shared,
				lane,
				// A thread may begin much later than the daemon.
				get openedKeys() {
					return keyRing.listOpened();
				},
			} satisfies WorkerSetup,
		},
		leaseMs: leaseSeconds * 1000,
		logger,
		mayBegin: clockWatch.isRight,
		onSettled,
	});
	releases.add('workers', () => pool.close(drainMs()));
	return pool;
}

/** Statistics count the file of a job for the account that owns it. */
function accountsOfJobs({ knex }: Installation['database']): AccountsOfJobs {
	return async (ids) =>
		new Map(ids.length === 0 ? [] : (await jobStore(knex).listByIds(ids)).map((job) => [job.id, job.account_id]));
}

/** @throws DeclarationError for a declared driver that cannot be used */
export function openConfiguredGateway(
	{ outbound, ...options }: Omit<GatewayOptions, 'drivers'> & { readonly outbound: OutboundClient },
	{ environment, gateway }: Pick<Settings, 'environment' | 'gateway'>,
): Gateway {
	return openGateway({ ...options, drivers: openDrivers({ environment, ...gateway, outbound }) });
}
