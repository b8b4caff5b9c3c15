// Lists the tasks of every installation and their times (UTC). Each run is done by one daemon.

import type { BlobStore } from '../base/blobs/blob-store.ts';
import { purgeScores } from '../base/defender/score-store.ts';
import { purgeIdempotencyKeys } from '../doors/http/idempotency/idempotency-store.ts';
import type { PageDifference } from '../doors/http/integrity/check-pages.ts';
import { purgeCallLog } from '../doors/http/server/call-log.ts';
import type { Task } from '../doors/schedule/schedule.ts';
import { discardAbandonedPages } from '../installation/accounts/abandoned-pages.ts';
import { runDeletions } from '../installation/accounts/account-deletions.ts';
import { runCardRetention } from '../installation/accounts/card-retention.ts';
import { pageCheckTasks } from '../installation/doctor/page-check.ts';
import { rotateDueKeys } from '../installation/keys/key-periods.ts';
import { sweepAll } from '../installation/keys/key-rotation.ts';
import { tellExpiring } from '../installation/upkeep/expiry.ts';
import { tellFullAllowances } from '../people/identity/accounts/allowance.ts';
import { purgePortal } from '../people/portal-users/purge.ts';
import { purgeAttempts } from '../vault/cards/elimination.ts';
import { purgeCvvs } from '../vault/cvvs/purge-cvvs.ts';
import { purgeForms } from '../work/cardholders/forms/forms.ts';
import { recoverUploads } from '../work/drops/recover-uploads.ts';
import { purgeEvents } from '../work/events/history.ts';
import { checkDrops } from '../work/jobs/queue/recovery.ts';
import { removeCvvFiles, runRetention } from '../work/jobs/retention.ts';
import type { Gateway } from '../work/payments/gateway/gateway.ts';
import { purgeWalletSessions } from '../work/payments/wallet/sessions.ts';
import { type AlarmParts, checkExpectations } from '../work/routes/alarms/missing-files.ts';
import { purgeRuns } from '../work/routes/runs/history.ts';
import { purgeStatistics } from '../work/statistics/statistics.ts';
import type { CardPages } from './card-pages.ts';
import type { Installation } from './open-installation.ts';
import type { Start } from './start.ts';

export interface TasksOptions
	extends Pick<Installation, 'database' | 'keyRing' | 'vault' | 'identity' | 'audit'>,
		Pick<Start, 'clock' | 'logger' | 'settings'> {
	readonly blobs: BlobStore;
	readonly gateway: Pick<Gateway, 'settle'>;
	readonly cardPages: Pick<CardPages, 'mails' | 'cardRequests' | 'cardViews'>;
	readonly routes: AlarmParts;
	onPageDifference(difference: PageDifference): void;
	/** Returns the URL that clients use, once it is known. */
	publicUrl(): string | undefined;
}

export function scheduledTasks(options: TasksOptions): Task[] {
	const { vault, clock, settings, gateway, cardPages, routes, publicUrl } = options;
	const asDaemon = { ...options, actor: 'daemon' };
	return [
		{ name: 'retention', cron: '17 * * * *', run: () => runRetention(options, settings.retention) },
		{ name: 'card-retention', cron: '23 1 * * *', run: () => runCardRetention(options) },
		{ name: 'cvv-files', cron: '* * * * *', run: () => removeCvvFiles(options) },
		{ name: 'cvv-retention', cron: '* * * * *', run: () => purgeCvvs(vault) },
		{ name: 'expired-credentials', cron: '7 * * * *', run: () => purgeCredentials(options) },
		{ name: 'idempotency-keys', cron: '13 * * * *', run: () => purgeIdempotencyKeys(options) },
		{ name: 'gateway-outcomes', cron: '* * * * *', run: () => gateway.settle() },
		{ name: 'mails', cron: '* * * * *', run: () => cardPages.mails.run() },
		{ name: 'mail-counts', cron: '37 * * * *', run: () => cardPages.mails.purge() },
		{ name: 'card-requests', cron: '* * * * *', run: () => cardPages.cardRequests.expire() },
		{ name: 'card-request-reminders', cron: '*/5 * * * *', run: () => cardPages.cardRequests.remind() },
		{ name: 'card-request-retention', cron: '41 1 * * *', run: () => cardPages.cardRequests.purge() },
		{ name: 'card-views', cron: '19 * * * *', run: () => cardPages.cardViews.purge() },
		{ name: 'portal', cron: '*/10 * * * *', run: () => purgePortal(options) },
		{ name: 'defender-scores', cron: '*/5 * * * *', run: () => purgeScores(options) },
		{ name: 'call-log', cron: '*/10 * * * *', run: () => purgeCallLog(options) },
		{ name: 'statistics', cron: '47 0 * * *', run: () => purgeStatistics(options) },
		{ name: 'elimination-attempts', cron: '37 0 * * *', run: () => purgeAttempts(options) },
		{ name: 'abandoned-uploads', cron: '*/5 * * * *', run: () => recoverUploads(options, clock.now().getTime()) },
		{ name: 'abandoned-pages', cron: '29 * * * *', run: () => discardAbandonedPages(options) },
		{ name: 'account-deletions', cron: '* * * * *', run: () => runDeletions(options) },
		{ name: 'route-alarms', cron: '* * * * *', run: () => checkExpectations(routes) },
		{ name: 'route-history', cron: '33 1 * * *', run: () => purgeRuns(options) },
		{ name: 'full-allowances', cron: '*/5 * * * *', run: () => tellFullAllowances(options) },
		{ name: 'expiring', cron: '3 * * * *', run: () => tellExpiring(options, settings) },
		{ name: 'events', cron: '49 * * * *', run: () => purgeEvents(options) },
		{ name: 'drop-check', cron: '43 3 * * *', run: () => checkDrops(options) },
		{
			name: 'key-periods',
			cron: '51 * * * *',
			run: () => rotateDueKeys(asDaemon, settings.keys, clock.now().getTime()),
		},
		...pageCheckTasks({ ...options, onDifference: options.onPageDifference }, settings, publicUrl),
		{ name: 'key-sweep', cron: '11 2 * * *', run: () => sweepAll(asDaemon) },
	];
}

/**
 * Removes entries of ended rows that nobody needs any more, and four kinds of rows: expired session tokens, the records
 * that an access token was used if the token has expired, sessions of the payments library whose results can no longer be
 * queried, and forms that nobody can submit any more.
 */
async function purgeCredentials(
	options: Pick<TasksOptions, 'database' | 'keyRing' | 'identity' | 'clock'>,
): Promise<number> {
	await options.keyRing.seals.removePastEnds();
	const credentials = await options.identity.purgeExpired();
	return credentials + (await purgeWalletSessions(options)) + (await purgeForms(options));
}
