import type { Settings } from '../../base/settings/settings.ts';

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
