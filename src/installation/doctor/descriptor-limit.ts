// Compares how many files and connections the system lets this process open with what the settings allow clients.

import { readFileSync } from 'node:fs';
import type { Logger } from '../../base/log/log.ts';
import type { Settings } from '../../base/settings/settings.ts';

/** The database, its log, threads, and sealed files that are open at the same time take about this many. */
const OWN_DESCRIPTORS = 256;

/** Warns when the settings allow more connections than the process may have. */
export function warnOfDescriptorLimit(settings: Settings, logger: Pick<Logger, 'warn'>): void {
	const limit = readDescriptorLimit();
	const { http, sftp, relay } = settings;
	const needed = http.maxConnections + sftp.maxSessions + sftp.maxStartups + relay.maxInFlight + OWN_DESCRIPTORS;
	if (limit === undefined || limit >= needed) return;
	logger.warn(
		{ limit, needed },
		'the limit of open files is below what the settings allow: connections will be refused before their own limits are ' +
			'reached; raise it (LimitNOFILE, ulimit -n), or lower http.maxConnections, sftp.maxSessions and relay.maxInFlight',
	);
}

/** Returns how many descriptors this process may have; undefined if there is no limit or the system does not say. */
function readDescriptorLimit(): number | undefined {
	try {
		const soft = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
		return soft === undefined ? undefined : Number(soft);
	} catch {
		return undefined;
	}
}
