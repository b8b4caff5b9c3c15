// Lists the tasks of every installation and their times (UTC). Each run is done by one daemon.

import type { BlobStore } from '../base/blobs/blob-store.ts';
import type { Clock } from '../base/clock.ts';
import type { Database } from '../base/database/open.ts';
import { purgeScores } from '../base/defender/score-store.ts';
import type { KeyRing } from '../base/keys/key-ring.ts';
import type { Logger } from '../base/log/log.ts';
import type { Settings } from '../base/settings/settings.ts';
import { purgeIdempotencyKeys } from '../doors/http/idempotency/idempotency-store.ts';
import { purgeCallLog } from '../doors/http/server/call-log.ts';
import type { Task } from '../doors/schedule/schedule.ts';
import { discardAbandonedPages } from '../installation/accounts/abandoned-pages.ts';
import { runDeletions } from '../installation/accounts/account-deletions.ts';
import { runCardRetention } from '../installation/accounts/card-retention.ts';
import { type PageCheckRooms, pageCheckTasks } from '../installation/doctor/page-check.ts';
import { rotateDueKeys } from '../installation/keys/key-periods.ts';
import { sweepAll } from '../installation/keys/key-rotation.ts';
import type { Identity } from '../people/identity/identity.ts';
import { purgePortal } from '../people/portal-users/purge.ts';
import type { Audit } from '../trail/audit.ts';
import { purgeAttempts } from '../vault/cards/elimination.ts';
import { purgeCvvs } from '../vault/cvvs/purge-cvvs.ts';
import type { Vault } from '../vault/vault.ts';
import { purgeForms } from '../work/cardholders/forms/forms.ts';
import { checkDrops, sweepUploads } from '../work/jobs/queue/recovery.ts';
import { removeCvvFiles, runRetention } from '../work/jobs/retention.ts';
import type { Gateway } from '../work/payments/gateway/gateway.ts';
import { purgeWalletSessions } from '../work/payments/wallet/sessions.ts';
import { type AlarmParts, checkExpectations } from '../work/routes/alarms/missing-files.ts';
import { purgeRuns } from '../work/routes/runs/purge-runs.ts';
import { purgeStatistics } from '../work/statistics/statistics.ts';
import type { CardPages } from './card-pages.ts';

export interface TaskRooms {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly vault: Vault;
	readonly identity: Identity;
	readonly audit: Audit;
	readonly blobs: BlobStore;
	readonly clock: Clock;
	readonly logger: Logger;
	readonly settings: Settings;
	readonly gateway: Pick<Gateway, 'settle'>;
	readonly cardPages: Pick<CardPages, 'mails' | 'cardRequests' | 'cardViews'>;
	/** What the alarm for missing files works with. */
	readonly routes: AlarmParts;
	/** Counts a difference in payment pages. */
	readonly onPageDifference: PageCheckRooms['onDifference'];
	/** Returns the URL that clients use, once it is known. */
	readonly publicUrl: () => string | undefined;
}

export function scheduledTasks(rooms: TaskRooms): Task[] {
	return [
		{ name: 'retention', cron: '17 * * * *', run: () => runRetention(rooms, rooms.settings.retention) },
		{ name: 'card-retention', cron: '23 1 * * *', run: () => runCardRetention(rooms) },
		{ name: 'cvv-files', cron: '* * * * *', run: () => removeCvvFiles(rooms) },
		{ name: 'cvv-retention', cron: '* * * * *', run: () => purgeCvvs(rooms.vault) },
		{ name: 'expired-credentials', cron: '7 * * * *', run: () => purgeCredentials(rooms) },
		{ name: 'idempotency-keys', cron: '13 * * * *', run: () => purgeIdempotencyKeys(rooms) },
		{ name: 'gateway-outcomes', cron: '* * * * *', run: () => rooms.gateway.settle() },
		{ name: 'mails', cron: '* * * * *', run: () => rooms.cardPages.mails.run() },
		{ name: 'mail-counts', cron: '37 * * * *', run: () => rooms.cardPages.mails.purge() },
		{ name: 'card-requests', cron: '* * * * *', run: () => rooms.cardPages.cardRequests.expire() },
		{ name: 'card-request-reminders', cron: '*/5 * * * *', run: () => rooms.cardPages.cardRequests.remind() },
		{ name: 'card-request-retention', cron: '41 1 * * *', run: () => rooms.cardPages.cardRequests.purge() },
		{ name: 'card-views', cron: '19 * * * *', run: () => rooms.cardPages.cardViews.purge() },
		{ name: 'portal', cron: '*/10 * * * *', run: () => purgePortal(rooms) },
		{ name: 'defender-scores', cron: '*/5 * * * *', run: () => purgeScores(rooms) },
		{ name: 'call-log', cron: '*/10 * * * *', run: () => purgeCallLog(rooms) },
		{ name: 'statistics', cron: '47 0 * * *', run: () => purgeStatistics(rooms) },
		{ name: 'elimination-attempts', cron: '37 0 * * *', run: () => purgeAttempts(rooms) },
		{ name: 'abandoned-uploads', cron: '*/5 * * * *', run: () => sweepUploads(rooms) },
		{ name: 'abandoned-pages', cron: '29 * * * *', run: () => discardAbandonedPages(rooms) },
		{ name: 'account-deletions', cron: '* * * * *', run: () => runDeletions(rooms) },
		{ name: 'route-alarms', cron: '* * * * *', run: () => checkExpectations(rooms.routes) },
		{ name: 'route-history', cron: '33 1 * * *', run: () => purgeRuns(rooms) },
		{ name: 'drop-check', cron: '43 3 * * *', run: () => checkDrops(rooms) },
		{
			name: 'key-periods',
			cron: '51 * * * *',
			run: () => rotateDueKeys({ ...rooms, actor: 'daemon' }, rooms.settings.keys, rooms.clock.now().getTime()),
		},
		...pageCheckTasks({ ...rooms, onDifference: rooms.onPageDifference }, rooms.publicUrl),
		{ name: 'key-sweep', cron: '11 2 * * *', run: () => sweepAll({ ...rooms, actor: 'daemon' }) },
	];
}

/**
 * Removes entries of ended rows that nobody needs any more, and four kinds of rows: expired session tokens, the records that an access token was used if the token has
 * expired, sessions of the payments library whose results can no longer be queried, and forms that nobody can submit
 * any more.
 */
async function purgeCredentials(
	rooms: Pick<TaskRooms, 'identity' | 'database' | 'keyRing' | 'clock'>,
): Promise<number> {
	await rooms.keyRing.seals.removePastEnds();
	return (await rooms.identity.purgeExpired()) + (await purgeWalletSessions(rooms)) + (await purgeForms(rooms));
}
