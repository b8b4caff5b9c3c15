// Lists the tasks of every installation and their times (UTC). Each run is done by one daemon.

import type { BlobStore } from '../base/blobs/blob-store.ts';
import type { Clock } from '../base/clock.ts';
import type { Database } from '../base/database/open.ts';
import { purgeScores } from '../base/defender/score-store.ts';
import type { KeyRing } from '../base/keys/key-ring.ts';
import type { Logger } from '../base/log/log.ts';
import type { Settings } from '../base/settings/settings.ts';
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
import { tellExpiring } from '../installation/upkeep/expiry-events.ts';
import { tellFullAllowances } from '../people/identity/accounts/allowance-events.ts';
import type { Identity } from '../people/identity/identity.ts';
import { purgePortal } from '../people/portal-users/purge.ts';
import type { Audit } from '../trail/audit.ts';
import { purgeAttempts } from '../vault/cards/elimination.ts';
import { purgeCvvs } from '../vault/cvvs/purge-cvvs.ts';
import type { Vault } from '../vault/vault.ts';
import { purgeForms } from '../work/cardholders/forms/forms.ts';
import { purgeEvents } from '../work/events/history.ts';
import { checkDrops, sweepUploads } from '../work/jobs/queue/recovery.ts';
import { removeCvvFiles, runRetention } from '../work/jobs/retention.ts';
import type { Gateway } from '../work/payments/gateway/gateway.ts';
import { purgeWalletSessions } from '../work/payments/wallet/sessions.ts';
import { type AlarmParts, checkExpectations } from '../work/routes/alarms/missing-files.ts';
import { purgeRuns } from '../work/routes/runs/purge-runs.ts';
import { purgeStatistics } from '../work/statistics/statistics.ts';
import type { CardPages } from './card-pages.ts';

export interface TasksOptions {
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
	readonly routes: AlarmParts;
	onPageDifference(difference: PageDifference): void;
	/** Returns the URL that clients use, once it is known. */
	publicUrl(): string | undefined;
}

export function scheduledTasks(options: TasksOptions): Task[] {
	const { database, keyRing, vault, identity, audit, blobs, clock, logger, settings, gateway, cardPages, routes } =
		options;
	const { onPageDifference: onDifference, publicUrl } = options;
	const actor = 'daemon';
	const expired = { database, keyRing, identity, clock };
	const swept = { database, keyRing, identity, audit, blobs, clock, actor };
	const rotated = { keyRing, identity, audit, logger, actor };
	return [
		{ name: 'retention', cron: '17 * * * *', run: () => runRetention({ database, blobs, clock }, settings.retention) },
		{ name: 'card-retention', cron: '23 1 * * *', run: () => runCardRetention({ database, audit, clock }) },
		{ name: 'cvv-files', cron: '* * * * *', run: () => removeCvvFiles({ database, blobs, clock }) },
		{ name: 'cvv-retention', cron: '* * * * *', run: () => purgeCvvs(vault) },
		{ name: 'expired-credentials', cron: '7 * * * *', run: () => purgeCredentials(expired) },
		{ name: 'idempotency-keys', cron: '13 * * * *', run: () => purgeIdempotencyKeys({ database, clock }) },
		{ name: 'gateway-outcomes', cron: '* * * * *', run: () => gateway.settle() },
		{ name: 'mails', cron: '* * * * *', run: () => cardPages.mails.run() },
		{ name: 'mail-counts', cron: '37 * * * *', run: () => cardPages.mails.purge() },
		{ name: 'card-requests', cron: '* * * * *', run: () => cardPages.cardRequests.expire() },
		{ name: 'card-request-reminders', cron: '*/5 * * * *', run: () => cardPages.cardRequests.remind() },
		{ name: 'card-request-retention', cron: '41 1 * * *', run: () => cardPages.cardRequests.purge() },
		{ name: 'card-views', cron: '19 * * * *', run: () => cardPages.cardViews.purge() },
		{ name: 'portal', cron: '*/10 * * * *', run: () => purgePortal({ database, clock }) },
		{ name: 'defender-scores', cron: '*/5 * * * *', run: () => purgeScores({ database, clock }) },
		{ name: 'call-log', cron: '*/10 * * * *', run: () => purgeCallLog({ database, clock }) },
		{ name: 'statistics', cron: '47 0 * * *', run: () => purgeStatistics({ database, clock }) },
		{ name: 'elimination-attempts', cron: '37 0 * * *', run: () => purgeAttempts({ database, clock }) },
		{ name: 'abandoned-uploads', cron: '*/5 * * * *', run: () => sweepUploads({ database, blobs, keyRing, clock }) },
		{ name: 'abandoned-pages', cron: '29 * * * *', run: () => discardAbandonedPages({ database, clock }) },
		{ name: 'account-deletions', cron: '* * * * *', run: () => runDeletions({ database, audit, blobs, clock }) },
		{ name: 'route-alarms', cron: '* * * * *', run: () => checkExpectations(routes) },
		{ name: 'route-history', cron: '33 1 * * *', run: () => purgeRuns({ database, clock }) },
		{ name: 'full-allowances', cron: '*/5 * * * *', run: () => tellFullAllowances({ database, clock }) },
		{ name: 'expiring', cron: '3 * * * *', run: () => tellExpiring({ database, keyRing, identity, clock }, settings) },
		{ name: 'events', cron: '49 * * * *', run: () => purgeEvents({ database, clock }) },
		{ name: 'drop-check', cron: '43 3 * * *', run: () => checkDrops({ database, blobs, clock, logger }) },
		{
			name: 'key-periods',
			cron: '51 * * * *',
			run: () => rotateDueKeys(rotated, settings.keys, clock.now().getTime()),
		},
		...pageCheckTasks({ keyRing, audit, clock, logger, onDifference }, settings, publicUrl),
		{ name: 'key-sweep', cron: '11 2 * * *', run: () => sweepAll(swept) },
	];
}

/**
 * Removes entries of ended rows that nobody needs any more, and four kinds of rows: expired session tokens, the records
 * that an access token was used if the token has expired, sessions of the payments library whose results can no longer be
 * queried, and forms that nobody can submit any more.
 */
async function purgeCredentials({
	database,
	keyRing,
	identity,
	clock,
}: {
	database: Database;
	keyRing: KeyRing;
	identity: Identity;
	clock: Clock;
}): Promise<number> {
	await keyRing.seals.removePastEnds();
	const credentials = await identity.purgeExpired();
	return credentials + (await purgeWalletSessions({ database, clock })) + (await purgeForms({ database, clock }));
}
