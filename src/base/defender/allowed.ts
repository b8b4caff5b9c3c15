// Keeps the list of the addresses from which failed logins lead to no ban: the ranges from the settings, which apply to
// everybody, and those that operators have added since, each for everybody or for one user. The list is read from the
// database every few seconds and kept in memory, so that no login waits for it.

import { BlockList, isIP } from 'node:net';
import type { Database } from '../database/open.ts';
import type { Logger } from '../log/log.ts';
import { readAddressRange } from '../settings/address-range.ts';
import { allowedStore } from './allowed-store.ts';
import { defendedAddress } from './defender.ts';

/**
 * Holds addresses and ranges of them, such as `192.0.2.0/24`. They are compared with addresses as `defendedAddress`
 * writes them.
 */
export class AddressRanges {
	readonly #list = new BlockList();

	constructor(ranges: Iterable<string>) {
		for (const range of ranges) this.#add(range);
	}

	has(address: string): boolean {
		const bare = defendedAddress(address).replace(/::\/64$/, '::');
		const family = isIP(bare);
		return family !== 0 && this.#list.check(bare, family === 6 ? 'ipv6' : 'ipv4');
	}

	/** Adds an address or a range. An IPv6 address stands for its whole /64, which the defender bans as one. */
	#add(range: string): void {
		const read = readAddressRange(range.trim());
		if (read?.family === 6) this.#list.addSubnet(read.net, Math.min(read.prefix, 64), 'ipv6');
		else if (read) this.#list.addSubnet(read.net, read.prefix, 'ipv4');
	}
}

const READ_EVERY_MS = 5000;

/**
 * Opens the list.
 * @throws if the list cannot be read
 */
export async function openAllowed(options: {
	readonly database: Pick<Database, 'knex'>;
	readonly logger: Pick<Logger, 'warn'>;
	/** The ranges from the settings, which apply to everybody. */
	readonly ranges: readonly string[];
}) {
	const { database, logger, ranges } = options;
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
		allowsAddress: (address: string) => everybody.has(address),
		allowsUser: (userName: string, address: string) => byUser.get(userName)?.has(address) ?? false,
		allowsSomebody: (address: string) => somebody.has(address),
		refresh,
		close: () => clearInterval(timer),
	};
}
