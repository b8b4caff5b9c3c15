import { checkDatabaseWritable } from '../base/database/checks/write-check.ts';
import type { LineSink } from '../base/log/line-sink.ts';
import { logLines } from '../base/log/log.ts';
import { buildOpsApp } from '../doors/http/server/ops-app.ts';
import { checkDropStore, checkSpaceForJobs } from '../installation/doctor/free-space.ts';
import { checkMasterKey } from '../installation/keys/master-key-watch.ts';
import { jobStore } from '../work/jobs/job-store.ts';
import { listening } from './listening.ts';
import type { Installation } from './open-installation.ts';
import type { Work } from './open-work.ts';
import type { Start } from './start.ts';

/** Returns a warning for `/readyz` if the log cannot be written, because nobody would read that there. */
export function checkLog({ isFailing, dropped }: Pick<LineSink, 'isFailing' | 'dropped'>): string | undefined {
	return isFailing ? `the log cannot be written: ${dropped} lines were dropped since the start` : undefined;
}

/** Opens the listener for health checks and metrics, and returns its port. */
export async function openOpsDoor(
	{ settings, clock, releases }: Pick<Start, 'settings' | 'clock' | 'releases'>,
	{ database, keyRing, clockWatch }: Pick<Installation, 'database' | 'keyRing' | 'clockWatch'>,
	{ blobs, figures }: Pick<Work, 'blobs' | 'figures'>,
): Promise<number> {
	const { registry } = figures.metrics;
	const ops = buildOpsApp({
		checks: [
			['database', () => checkDatabaseWritable(database, clock.now())],
			['keys', () => checkMasterKey(keyRing)],
			['log', async () => checkLog(logLines)],
			['clock', async () => clockWatch.warning()],
			['drops', () => checkDropStore(blobs)],
			['jobs', () => checkSpaceForJobs(blobs, async () => (await jobStore(database.knex).countByState()).queued)],
		],
		metrics: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
	});
	releases.add('operations listener', () => ops.close());
	await listening('ops', ops.listen({ host: settings.ops.host, port: settings.ops.port }));
	return (ops.server.address() as { port: number }).port;
}
