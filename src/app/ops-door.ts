import { checkDatabaseWritable } from '../base/database/checks.ts';
import type { Database } from '../base/database/open.ts';
import { describeAway, findAwayNodes } from '../base/database/postgres/citus.ts';
import { describeServer } from '../base/database/postgres/host-choice.ts';
import type { LineSink } from '../base/log/line-sink.ts';
import { logLines } from '../base/log/log.ts';
import { buildOpsApp } from '../doors/http/server/ops-app.ts';
import { type ReadinessCheck, readinessOf } from '../doors/http/server/readiness.ts';
import { checkDropStore, checkSpaceForJobs } from '../installation/doctor/free-space.ts';
import { checkMasterKey } from '../installation/keys/master-key-watch.ts';
import { jobStore } from '../work/jobs/job-store.ts';
import { listenForOperations } from './listening.ts';
import type { Installation } from './open-installation.ts';
import type { Work } from './open-work.ts';
import type { Start } from './start.ts';

/** Returns a warning for `/readyz` if the log cannot be written, because nobody would read that there. */
export function checkLog({ isFailing, dropped }: Pick<LineSink, 'isFailing' | 'dropped'>): string | undefined {
	return isFailing ? `the log cannot be written: ${dropped} lines were dropped since the start` : undefined;
}

/**
 * Checks that the database takes writes, and tells which one of several servers of PostgreSQL it is. Returns a warning about
 * servers of a cluster that are away: the others serve on, so this daemon is as ready as any other.
 */
async function checkDatabase(
	database: Database,
	now: Date,
	tell: (detail: string) => void,
): Promise<string | undefined> {
	const server = await database.findServer();
	// An installation with one server knows which one it is.
	if (server && (database.hasSeveralHosts || server.lacksStandby)) tell(describeServer(server));
	await checkDatabaseWritable(database, now);
	const away = await findAwayNodes(database);
	return away.length === 0 ? undefined : describeAway(away);
}

/**
 * Opens the listener for health checks and metrics, and returns its port. A process that has siblings opens none and returns
 * undefined: its supervisor asks it.
 */
export async function openOpsDoor(
	{ settings, clock, releases, member }: Pick<Start, 'settings' | 'clock' | 'releases' | 'member'>,
	{ database, keyRing, clockWatch }: Pick<Installation, 'database' | 'keyRing' | 'clockWatch'>,
	{ blobs, figures }: Pick<Work, 'blobs' | 'figures'>,
): Promise<number | undefined> {
	const { registry } = figures.metrics;
	const checks: ReadinessCheck[] = [
		['database', (tell) => checkDatabase(database, clock.now(), tell)],
		['keys', () => checkMasterKey(keyRing)],
		['log', async () => checkLog(logLines)],
		['clock', async () => clockWatch.warning()],
		['drops', () => checkDropStore(blobs)],
		['jobs', () => checkSpaceForJobs(blobs, async () => (await jobStore(database.knex).countByState()).queued)],
	];
	const readiness = () => readinessOf(checks);
	if (member) {
		member.answerWith({ readiness, metrics: () => registry.getMetricsAsJSON() });
		return undefined;
	}
	const metrics = async () => ({ contentType: registry.contentType, text: await registry.metrics() });
	const ops = buildOpsApp({ readiness, metrics });
	releases.add('operations listener', () => ops.close());
	return listenForOperations(ops, settings.ops);
}
