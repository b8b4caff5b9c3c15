// A daemon says in a row of the database that it runs. Whether one runs is read from these rows and from nothing else.

import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import { type DaemonRow, daemonStore } from './daemon-store.ts';

const BEAT_MS = 10_000;
/** A daemon whose last sign is older than this does not run: it was killed, hangs, or does not reach the database. */
export const SILENT_MS = 45_000;
const REMEMBER_MS = 30 * 86_400_000;

/**
 * Says now and every ten seconds that this daemon runs.
 * @throws if the first sign cannot be written
 */
export async function openHeartbeat(
	{ database: { knex }, clock, logger, everyMs = BEAT_MS }: HeartbeatOptions,
	daemon: Pick<DaemonRow, 'id' | 'version' | 'knows'>,
) {
	const store = daemonStore(knex);
	const nowMs = () => clock.now().getTime();
	const startedAt = nowMs();
	const beat = () => store.sign({ ...daemon, started_at: startedAt, seen_at: nowMs() });
	await beat();
	await store.prune(startedAt - REMEMBER_MS);
	let beating: Promise<void> | undefined;
	const timer = setInterval(() => {
		// A database that is slow gets one sign at a time.
		beating ??= beat()
			.catch((err) => logger.warn({ err }, 'the sign that this daemon runs could not be written'))
			.finally(() => (beating = undefined));
	}, everyMs);
	timer.unref();
	return {
		/** Writes that the daemon was stopped. */
		async close(): Promise<void> {
			clearInterval(timer);
			await beating;
			// A database that is away does not keep a daemon from stopping; others then see that it is silent.
			await store.end(daemon.id, nowMs()).catch(() => {});
		},
	};
}

interface HeartbeatOptions {
	readonly database: Pick<Database, 'knex'>;
	readonly clock: Clock;
	readonly logger: { warn(details: object, message: string): void };
	readonly everyMs?: number;
}

export function isRunning({ seen_at, ended_at }: Pick<DaemonRow, 'seen_at' | 'ended_at'>, now: number): boolean {
	return ended_at === null && now - seen_at <= SILENT_MS;
}

/** Lists the daemons that run, the one with the latest sign first. */
export async function listRunning({ knex }: Pick<Database, 'knex'>, now: number): Promise<DaemonRow[]> {
	return (await daemonStore(knex).list(now - SILENT_MS)).filter((row) => isRunning(row, now));
}
