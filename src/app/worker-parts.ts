// Opens the objects that a worker thread needs. The pool loads this file by its URL. The thread reads the settings
// itself from the files and the environment, so that no password has to be sent to it in a message. It gets the open keys from
// the daemon, because the key service may be away when the thread begins.

import type { OpenedKeys } from '../base/keys/environment-keys.ts';
import { Releases } from '../base/lifecycle.ts';
import { LineSink } from '../base/log/line-sink.ts';
import { openLogger } from '../base/log/log.ts';
import { loadSettings } from '../base/settings/settings.ts';
import { accountMessages } from '../installation/opening/account-directory.ts';
import { boundEngine, jobLedgers } from '../installation/opening/bound-engine.ts';
import { passBrokenRows } from '../installation/opening/broken-rows.ts';
import { openDaemonParts } from '../installation/opening/open-parts.ts';
import { dropBlobs } from '../work/drops/drop-blobs.ts';
import { openJobEnds } from '../work/jobs/attempts/end-jobs.ts';
import { failureNote } from '../work/jobs/queue/retry-note.ts';
import type { WorkerParts } from '../work/jobs/worker-parts.ts';

/** Holds what a worker thread gets from the daemon. It reads everything else from the settings. */
export interface WorkerSetup {
	readonly configPath: string | null;
	/** The memory through which the thread takes turns with the other threads in writing to the database. */
	readonly writeTurn: SharedArrayBuffer | undefined;
	/** The memory in which all threads count log lines that could not be written. */
	readonly logCounts: SharedArrayBuffer;
	/** The keys that the daemon has opened. They are objects of the runtime, whose content no message spells. */
	readonly openedKeys: OpenedKeys;
	/** The lane of the audit trail in which the daemon writes. */
	readonly lane: number;
}

export async function openWorkerParts(setup: unknown): Promise<WorkerParts> {
	const { configPath, writeTurn, logCounts, openedKeys, lane } = setup as WorkerSetup;
	const settings = loadSettings({ configPath: configPath ?? undefined });
	const destination = new LineSink(2, logCounts);
	const logger = openLogger({ level: settings.logLevel, destination, bindings: { thread: 'worker' } });
	const releases = new Releases();
	const brokenRows = releases.opened('broken rows', passBrokenRows(logger));
	const parts = await openDaemonParts(
		{ settings, opened: (name, resource) => releases.opened(name, resource) },
		{ ...brokenRows, writeTurn, openedKeys, lane },
	);
	const { database, keyRing, identity, audit } = parts;
	const { engine, accounts } = await boundEngine({ ...parts, logger }, settings);
	return {
		database,
		ends: openJobEnds(database),
		keyRing,
		blobs: dropBlobs(settings, database),
		engine,
		messages: accountMessages(parts, settings, (name, resource) => releases.opened(name, resource)),
		ledgers: jobLedgers({ database, audit, allowance: identity.allowance, accounts, engine, logger }),
		maxAttempts: settings.jobs.maxAttempts,
		onFailed: failureNote(audit),
		onUnexpected: (error, jobId) => logger.error({ err: error, jobId }, 'attempt failed unexpectedly'),
		close: () => releases.release(),
	};
}
