// Compares our payment pages, as their public URL serves them, with what we send (PCI DSS 11.6.1), and raises an alarm if
// they differ: in the log, the trail and the metrics. As a scheduled task it then fails, which `doctor` tells.

import type { Clock } from '../../base/clock.ts';
import { credentialHasher } from '../../base/keys/credential-hash.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { Logger } from '../../base/log/log.ts';
import type { Settings } from '../../base/settings/settings.ts';
import { checkPages, type PageDifference } from '../../doors/http/integrity/check-pages.ts';
import { integrityList } from '../../doors/http/integrity/integrity-list.ts';
import { makeSampleLink } from '../../doors/http/integrity/sample-links.ts';
import type { Task } from '../../doors/schedule/schedule.ts';
import type { Actor } from '../../trail/actor.ts';
import type { Audit } from '../../trail/audit.ts';

/** The name of the task, under which its runs are stored. */
export const PAGE_CHECK = 'integrity';

/** When the check runs (UTC), by the values of `integrity.schedule`. */
const TIMES = { hourly: '33 * * * *', daily: '33 4 * * *', weekly: '33 4 * * 1' } as const;

const MOST_NAMED = 10;

/**
 * Compares the pages at a public URL. Differences are an alarm, and are returned.
 * @throws PagesNotReachedError if the pages could not be fetched
 */
export async function checkOwnPages(
	parts: {
		keyRing: KeyRing;
		audit: Pick<Audit, 'record'>;
		clock: Clock;
		logger: Pick<Logger, 'error'>;
		onDifference?(difference: PageDifference): void;
	},
	{ baseUrl, hideSeconds, actor }: { readonly baseUrl: string; readonly hideSeconds: number; readonly actor: Actor },
): Promise<readonly PageDifference[]> {
	const { keyRing, audit, clock, logger, onDifference } = parts;
	const hasher = credentialHasher(keyRing);
	const differences = await checkPages({
		baseUrl,
		list: integrityList({ baseUrl, hideSeconds }),
		makeLink: (name) => makeSampleLink(hasher, name, clock.now()),
	});
	if (differences.length === 0) return [];
	logger.error(
		{ baseUrl, differences },
		'payment pages are not served as they were sent: somebody may have changed them',
	);
	for (const difference of differences) onDifference?.(difference);
	const what = differences.slice(0, MOST_NAMED).map((each) => `${each.of}: ${each.what}`);
	const details = { differences: differences.length, what: what.join('; ') };
	await audit.record({ actor, action: 'page.altered', subject: `pages at ${baseUrl}`, details });
	return differences;
}

/** Returns the scheduled task, or none if the setting says `never`. `publicUrl` returns the URL that clients use. */
export function pageCheckTasks(
	parts: Parameters<typeof checkOwnPages>[0],
	{ integrity, cardDisplay }: Pick<Settings, 'integrity' | 'cardDisplay'>,
	publicUrl: () => string | undefined,
): Task[] {
	if (integrity.schedule === 'never') return [];
	const run = async () => {
		const baseUrl = publicUrl();
		if (baseUrl === undefined) throw new Error('the interface over HTTP does not listen yet');
		const { hideSeconds } = cardDisplay;
		const differences = await checkOwnPages(parts, { baseUrl, hideSeconds, actor: 'daemon' });
		if (differences.length > 0) throw new Error(`${differences.length} differences in payment pages`);
	};
	return [{ name: PAGE_CHECK, cron: TIMES[integrity.schedule], run }];
}
