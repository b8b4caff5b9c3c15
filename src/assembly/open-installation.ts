// This is the first step of a start: it opens the database, the keys, the audit trail, identity and the vault.

import { join } from 'node:path';
import { openHeadBook } from '../audit/head-book.ts';
import { dialectOf } from '../database/dialect.ts';
import { takeExclusiveLock } from '../database/exclusive-lock.ts';
import { makeFolder } from '../durable-files.ts';
import { changedSettings, settingsByKey } from '../settings.ts';
import { openVault, type Vault } from '../vault/vault.ts';
import { auditedRun } from './audited-run.ts';
import { auditedChanges, auditedStores } from './audited-stores.ts';
import { openBrokenRows } from './broken-rows.ts';
import { type ClockWatch, openClockWatch } from './clock-watch.ts';
import { eliminationLimit } from './elimination-limit.ts';
import { watchEndedRows } from './ended-rows-watch.ts';
import { openForwarders } from './forward-trail.ts';
import { warnOfLongCvvPolicies } from './long-cvv-policies.ts';
import { watchMasterKey } from './master-key-watch.ts';
import { openDaemonRooms, type Rooms } from './open-rooms.ts';
import type { Start } from './start.ts';

export interface Installation extends Omit<Rooms, 'actor'> {
	readonly vault: Vault;
	readonly clockWatch: ClockWatch;
	/**
	 * Reports refused rows. The metrics are opened later and connected with `countBy`, which then also counts the rows
	 * that were refused before.
	 */
	readonly brokenRows: ReturnType<typeof openBrokenRows>;
	/** The systems to which the audit trail is sent. */
	readonly forwarders: Awaited<ReturnType<typeof openForwarders>>;
}

/**
 * Opens the installation.
 * @throws whatever stops the start
 */
export async function openInstallation(start: Start): Promise<Installation> {
	const { settings, logger, quiet, clock, daemonId, opened } = start;
	// Only one daemon may use the embedded database, so it takes a lock. With PostgreSQL several daemons may share even
	// the data directory.
	await makeFolder(settings.dataDir);
	if (dialectOf(settings.databaseUrl) === 'sqlite') {
		opened('data directory', takeExclusiveLock(join(settings.dataDir, 'daemon.lock')));
	}
	const brokenRows = opened('broken rows', openBrokenRows(logger));
	const { database, keyRing, audit, identity } = await openDaemonRooms(
		{ settings, opened },
		{
			...brokenRows,
			onEndedFileFailed: (err) =>
				logger.error({ err }, 'the file of ended rows could not be written; its lines are written with the next ones'),
			onRenewalFailed: (err, endsAt) =>
				logger.error(
					{ err, endsAt },
					'the certificate for access tokens could not be renewed; the present one still works',
				),
		},
	);
	const leaseMs = settings.jobs.leaseSeconds * 1000;
	const clockWatch = opened('watch over the clock', await openClockWatch({ database, clock, logger, leaseMs }));
	opened('book of heads', await openHeadBook({ ...settings.audit, database, keyRing, logger, clock }));
	const forwarders = await openForwarders({ database, clock, logger: quiet }, settings.audit, daemonId);
	for (const forwarder of forwarders) opened('sending of the audit trail', forwarder);
	const run = { dataDir: settings.dataDir, shown: settingsByKey(settings), changed: changedSettings(settings), logger };
	opened('entry of the run', await auditedRun(audit, daemonId, run));
	opened('watch over the master key', watchMasterKey({ keyRing, logger }));
	opened('watch over ended rows', watchEndedRows(keyRing.seals));
	const vault = await openVault({
		...{ database, keyRing, clock },
		elimination: eliminationLimit({ database, audit, logger }, settings),
		onStored: auditedStores(audit),
		onChanged: auditedChanges(audit),
	});
	await warnOfLongCvvPolicies({ database, clock, logger }, settings);
	return { database, keyRing, audit, identity, vault, clockWatch, brokenRows, forwarders };
}
