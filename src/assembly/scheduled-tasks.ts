// Lists the tasks of every installation and their times (UTC). Each run is done by one daemon.

import type { Audit } from '../audit/audit.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/open.ts';
import { purgeScores } from '../defender/score-store.ts';
import type { BlobStore } from '../drops/blob-store.ts';
import { purgeForms } from '../forms/forms.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { purgeIdempotencyKeys } from '../http/idempotency/idempotency-store.ts';
import { purgeCallLog } from '../http/server/call-log.ts';
import type { Identity } from '../identity/identity.ts';
import { checkDrops, sweepUploads } from '../jobs/recovery.ts';
import { removeCvvFiles, runRetention } from '../jobs/retention.ts';
import type { Task } from '../jobs/schedule.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { Logger } from '../log.ts';
import { purgePortal } from '../portal/purge.ts';
import type { Settings } from '../settings.ts';
import { purgeStatistics } from '../statistics/statistics.ts';
import { purgeAttempts } from '../vault/elimination.ts';
import { purgeCvvs } from '../vault/purge-cvvs.ts';
import type { Vault } from '../vault/vault.ts';
import { purgeWalletSessions } from '../wallet/sessions.ts';
import { discardAbandonedPages } from './abandoned-pages.ts';
import { runDeletions } from './account-deletions.ts';
import type { CardPages } from './card-pages.ts';
import { runCardRetention } from './card-retention.ts';
import { rotateDueKeys } from './key-periods.ts';
import { sweepAll } from './key-rotation.ts';

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
		{ name: 'drop-check', cron: '43 3 * * *', run: () => checkDrops(rooms) },
		{
			name: 'key-periods',
			cron: '51 * * * *',
			run: () => rotateDueKeys({ ...rooms, actor: 'daemon' }, rooms.settings.keys, rooms.clock.now().getTime()),
		},
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
