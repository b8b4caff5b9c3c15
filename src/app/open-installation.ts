// This is the first step of a start: it opens the database, the keys, the audit trail, identity and the vault.

import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { dialectOf } from '../base/database/dialect.ts';
import { takeExclusiveLock } from '../base/database/locks.ts';
import { LAST_MIGRATION, readSchema, upgradeNotice } from '../base/database/schema.ts';
import { makeFolder } from '../base/durable-files.ts';
import type { RowSeals } from '../base/keys/rows/row-seals.ts';
import { changedSettings, settingsByKey } from '../base/settings/settings.ts';
import { warnOfLongCvvPolicies } from '../installation/accounts/long-cvv-policies.ts';
import { openHeartbeat } from '../installation/daemons/heartbeat.ts';
import { takeLane } from '../installation/daemons/lane-choice.ts';
import { watchMasterKey } from '../installation/keys/master-key-watch.ts';
import { auditedChanges, auditedStores } from '../installation/opening/audited-stores.ts';
import { openBrokenRows } from '../installation/opening/broken-rows.ts';
import { openDaemonParts } from '../installation/opening/open-parts.ts';
import { eliminationLimit } from '../installation/opening/report-elimination-limit.ts';
import { openHeadBook } from '../trail/checks/head-book.ts';
import { openLaneLinks } from '../trail/lanes/lane-links.ts';
import { openVault } from '../vault/vault.ts';
import type { Start } from './start.ts';
import { auditedRun } from './watches/audited-run.ts';
import { openClockWatch } from './watches/clock-watch.ts';
import { openForwarders } from './watches/forward-trail.ts';

export type Installation = Awaited<ReturnType<typeof openInstallation>>;

/** @throws whatever stops the start */
export async function openInstallation(start: Start) {
	const { settings, wholeSettings, logger, quiet, clock, daemonId, opened } = start;
	// Only one daemon may use the embedded database, so it takes a lock. With PostgreSQL several daemons may share even
	// the data directory.
	await makeFolder(settings.dataDir);
	if (dialectOf(settings.databaseUrl) === 'sqlite') {
		opened('data directory', takeExclusiveLock(join(settings.dataDir, 'daemon.lock')));
	}
	// The metrics are opened later and connected with `countBy`, which then also counts the rows that were refused before.
	const brokenRows = opened('broken rows', openBrokenRows(logger));
	const { database, keyRing, audit, identity } = await openDaemonParts(
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
	const notice = upgradeNotice(await readSchema(database));
	if (notice) logger.warn({ todo: notice.todo }, `an upgrade is under way: ${notice.says}`);
	const leaseMs = settings.jobs.leaseSeconds * 1000;
	const clockWatch = opened('watch over the clock', await openClockWatch({ database, clock, logger, leaseMs }));
	opened('book of heads', await openHeadBook({ ...settings.audit, database, keyRing, logger, clock }));
	const forwarders = await openForwarders({ database, clock, logger: quiet }, settings.audit, daemonId);
	for (const forwarder of forwarders) opened('sending of the audit trail', forwarder);
	const shown = { shown: settingsByKey(wholeSettings), changed: changedSettings(wholeSettings) };
	const run = { dataDir: settings.dataDir, shown: shown.shown, changed: shown.changed, logger };
	opened('entry of the run', await auditedRun(audit, daemonId, run));
	const self = { id: daemonId, version: packageJson.version, knows: LAST_MIGRATION };
	opened('sign of life', await openHeartbeat({ database, clock, logger: quiet }, self));
	opened('main chain of the audit trail', openLaneLinks({ database, keyRing, clock, logger: quiet }));
	const lane = await takeLane({ database, audit, clock }, daemonId);
	const masterKeyWatch = opened('watch over the master key', watchMasterKey({ keyRing, logger }));
	opened('watch over ended rows', watchEndedRows(keyRing.seals));
	const vault = await openVault({
		database,
		keyRing,
		clock,
		elimination: eliminationLimit({ database, audit, logger }, settings),
		onStored: auditedStores(audit),
		onChanged: auditedChanges(audit),
	});
	await warnOfLongCvvPolicies({ database, clock, logger }, settings);
	return { database, keyRing, audit, identity, vault, clockWatch, masterKeyWatch, brokenRows, lane, forwarders };
}

const LOOK_EVERY_MS = 2_000;

/**
 * Reads the register of ended rows now and from time to time. Every check of a row reads it too, but a daemon that checks
 * none for an hour would not see entries that somebody writes and removes within that hour.
 */
function watchEndedRows(seals: Pick<RowSeals, 'refresh'>): { close(): void } {
	// The error is ignored: if the database is away, so are the rows, and every check of a row reads the register again.
	const look = async () => seals.refresh()?.catch(() => {});
	void look();
	const timer = setInterval(() => void look(), LOOK_EVERY_MS);
	timer.unref();
	return { close: () => clearInterval(timer) };
}
