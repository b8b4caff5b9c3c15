import { lookup as dnsLookup } from 'node:dns/promises';
import { ServiceError } from '../errors.ts';

export interface Address {
	readonly address: string;
	readonly family: 4 | 6;
}

/** All addresses of a name, in the order they should be tried; rejects, or answers none, where there is none. */
export type Lookup = (name: string) => Promise<readonly Address[]>;

/**
 * `getaddrinfo` runs on two threads at most and cannot be called back: names of somebody whose name servers are slow on
 * purpose would queue up without end.
 */
const MAX_PENDING = 256;

const pending = new Map<string, Promise<readonly Address[]>>();

/**
 * Asks the machine's resolver (hosts file, search domains), not a DNS server directly: operators expect a name to mean
 * here what it means to every other program. Calls for one name at one time share an answer; no answer is kept.
 */
export const systemLookup: Lookup = (name) => {
	const shared = pending.get(name);
	if (shared !== undefined) return shared;
	if (pending.size >= MAX_PENDING) return Promise.reject(new ServiceError('too-many-calls'));
	const own = dnsLookup(name, { all: true, order: 'verbatim' }) as Promise<Address[]>;
	const answer = own.finally(() => pending.delete(name));
	pending.set(name, answer);
	return answer;
};
