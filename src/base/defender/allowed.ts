// Keeps the list of the addresses from which failed logins lead to no ban: the ranges from the settings, which apply to
// everybody, and those that operators have added since, each for everybody or for one user. The list is read from the
// database every few seconds and kept in memory, so that no login waits for it.

import type { Database } from '../database/open.ts';
import type { Logger } from '../log/log.ts';
import { AddressRanges } from './address-ranges.ts';
import { allowedStore } from './allowed-store.ts';
import type { Allowed } from './login-guard.ts';

export interface WatchedAllowed extends Allowed {
	refresh(): Promise<void>;
	close(): void;
}

const READ_EVERY_MS = 5000;

/**
 * Opens the list.
 * @throws if the list cannot be read
 */
export async function openAllowed({
	database,
	logger,
	ranges,
}: {
	readonly database: Pick<Database, 'knex'>;
	readonly logger: Pick<Logger, 'warn'>;
	/** The ranges from the settings, which apply to everybody. */
	readonly ranges: readonly string[];
}): Promise<WatchedAllowed> {
	let everybody = new AddressRanges(ranges);
	let somebody = new AddressRanges([]);
	let byUser = new Map<string, AddressRanges>();
	const refresh = async (): Promise<void> => {
		const rows = await allowedStore(database.knex).list();
		const ofUsers = Map.groupBy(rows, (row) => row.user_id);
		everybody = new AddressRanges([...ranges, ...(ofUsers.get(null) ?? []).map(({ range }) => range)]);
		somebody = new AddressRanges(rows.map(({ range }) => range));
		ofUsers.delete(null);
		byUser = new Map([...ofUsers].map(([userId, own]) => [userId!, new AddressRanges(own.map(({ range }) => range))]));
	};
	await refresh();
	let isAway = false;
	const timer = setInterval(async () => {
		try {
			await refresh();
			isAway = false;
		} catch (err) {
			if (!isAway) logger.warn({ err }, 'the list of allowed addresses cannot be read: the last one stands');
			isAway = true;
		}
	}, READ_EVERY_MS).unref();
	return {
		allowsAddress: (address) => everybody.has(address),
		allowsUser: (userName, address) => byUser.get(userName)?.has(address) ?? false,
		allowsSomebody: (address) => somebody.has(address),
		refresh,
		close: () => clearInterval(timer),
	};
}
