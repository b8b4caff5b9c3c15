import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { systemClock } from '../base/clock.ts';
import type { Closable, Releases } from '../base/lifecycle.ts';
import type { Logger } from '../base/log/log.ts';
import { oncePerMinute } from '../base/log/repeated.ts';
import type { Settings } from '../base/settings/settings.ts';
import type { Member } from './processes/member.ts';

/** These objects are given to every step of a start. Settings and log are opened before the first step. */
export type Start = ReturnType<typeof beginStart>;

export interface StartOptions {
	readonly settings: Settings;
	readonly logger: Logger;
	readonly configPath?: string;
	readonly member?: Member;
}

export function beginStart({ settings, logger, configPath, member }: StartOptions, releases: Releases) {
	return {
		logger,
		releases,
		settings: shareOf(settings, member?.count ?? 1),
		/** The settings as they were given, for all processes together. */
		wholeSettings: settings,
		/** This process among those of the daemon, if it has several. `settings` are then its own share. */
		member,
		/** The path given with `--config`. Worker threads read the settings themselves. */
		configPath,
		/** A log for failures that may occur again and again. It writes each of them at most once a minute. */
		quiet: oncePerMinute(logger),
		clock: systemClock,
		/** Names this process among the daemons of the installation. */
		daemonId: `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`,
		opened: <T extends Closable>(name: string, resource: T) => releases.opened(name, resource),
		/**
		 * Returns how many milliseconds running work may still take after the signal to stop. The time begins with the first
		 * call of this function, and all parts of the daemon share it.
		 */
		drainMs: timeFrom(settings.shutdown.drainSeconds * 1000),
	};
}

function timeFrom(totalMs: number): () => number {
	let endsAt: number | undefined;
	return () => {
		endsAt ??= performance.now() + totalMs;
		return Math.max(0, endsAt - performance.now());
	};
}

/**
 * Returns the settings of one of several processes: of each limit that holds for all of them together, it has its part.
 * Connections are spread evenly, so that all parts fill up at the same time. Sessions are not here, because the supervisor
 * counts them, and neither are bytes of memory, which each process may take.
 */
export function shareOf(settings: Settings, count: number): Settings {
	const part = (whole: number) => Math.ceil(whole / count);
	const { http, sftp, relay } = settings;
	return {
		...settings,
		workers: part(settings.workers),
		http: { ...http, maxConnections: part(http.maxConnections) },
		sftp: { ...sftp, maxStartups: part(sftp.maxStartups) },
		relay: {
			...relay,
			maxInFlight: part(relay.maxInFlight),
			maxInFlightPerAccount: part(relay.maxInFlightPerAccount),
			bodyThreads: part(relay.bodyThreads),
		},
	};
}
