import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import type { Logger } from '../../base/log/log.ts';
import type { Settings } from '../../base/settings/settings.ts';
import { DEFAULT_CVV_USES, defaultCvvEnd } from '../../vault/cvvs/cvv-seal.ts';
import { cvvStore } from '../../vault/cvvs/cvv-store.ts';

/**
 * Warns at the start of CVV policies that go beyond 7 days or one use, in production without the setting
 * `cvv.allowLong`. Such a policy could no longer be set, but stays valid until it ends, because it belongs to the
 * account.
 */
export async function warnOfLongCvvPolicies(
	{ database, clock, logger }: { readonly database: Database; readonly clock: Clock; readonly logger: Logger },
	{ environment, cvv }: Pick<Settings, 'environment' | 'cvv'>,
): Promise<void> {
	if (environment !== 'production' || cvv.allowLong) return;
	const store = cvvStore(database.knex, database.dialect);
	const policies = await store.countLong(defaultCvvEnd(clock.now().getTime()), DEFAULT_CVV_USES);
	if (policies > 0) logger.warn({ policies }, 'CVV policies go beyond 7 days or one use and cvv.allowLong is false');
}
