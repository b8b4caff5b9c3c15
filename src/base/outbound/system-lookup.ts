import { lookup as dnsLookup } from 'node:dns/promises';
import { ServiceError } from '../errors.ts';

export interface Address {
	readonly address: string;
	readonly family: 4 | 6;
}

/**
 * Returns all addresses of a name, in the order in which they are to be tried. It rejects or returns an empty list if
 * there is none.
 */
export type Lookup = (name: string) => Promise<readonly Address[]>;

/**
 * At most this many lookups wait. `getaddrinfo` runs on two threads at most and cannot be cancelled, so lookups with
 * deliberately slow name servers could queue without limit.
 */
const MAX_PENDING = 256;

const pending = new Map<string, Promise<readonly Address[]>>();

/**
 * Asks the machine's resolver (hosts file, search domains) instead of a DNS server, because operators expect a name to
 * mean the same as in every other program. Concurrent calls for one name share an answer; no answer is kept.
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
