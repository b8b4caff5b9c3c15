// Decides which addresses a call to a third party may reach. Every address of a host name is checked, and the caller
// connects only to checked addresses, because a second lookup when the connection is made could give another answer
// (DNS rebinding).

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { badInput, ServiceError } from '../errors.ts';
import { told } from '../failures.ts';
import { type Address, type Lookup, systemLookup } from './system-lookup.ts';

export interface AddressRules {
	/** True if private, link-local, loopback and metadata addresses are allowed like any other. */
	readonly allowPrivate: boolean;
}

export interface ResolveOptions extends AddressRules {
	readonly lookup?: Lookup;
	/** Aborting this signal ends the wait; the promise then rejects with the signal's reason. */
	readonly signal?: AbortSignal;
	/** The name of the parameter that contains the host, as it is to appear in error texts. */
	readonly field?: string;
}

/** All public IPv6 addresses are from this block; everything else is special or not assigned. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** The public address at which an Azure machine reaches its host, which answers with keys of the machine. */
const AZURE_HOST = '168.63.129.16';

const MAX_NAME_LENGTH = 253;

/**
 * Tells whether an address is a public one on the Internet. Addresses that contain another (IPv4-mapped, 6to4, NAT64,
 * Teredo) are not accepted, because a gateway on the way would decide where they lead.
 */
export function isPublicAddress(address: string): boolean {
	const family = isIP(address);
	if (family === 4) return address !== AZURE_HOST && ipaddr.IPv4.parse(address).range() === 'unicast';
	if (family !== 6 || address.includes('%')) return false;
	const parsed = ipaddr.IPv6.parse(address);
	return parsed.match(GLOBAL_UNICAST) && parsed.range() === 'unicast';
}

/**
 * Returns the addresses of a host after checking each. The caller connects only to these and does not resolve the name
 * again.
 * @throws `bad-input-data` if the text is not a host or one of its addresses is not allowed, `target-unreachable` if
 * the host has no address
 */
export async function resolveTarget(host: string, options: ResolveOptions): Promise<readonly Address[]> {
	const { allowPrivate, lookup = systemLookup, signal, field = 'targetUri' } = options;
	const name = parseHost(host, field);
	const family = isIP(name) as 0 | 4 | 6;
	const addresses = family === 0 ? await ask(lookup, name, field, signal) : [{ address: name, family }];
	// Even where private addresses are allowed, each answer of the lookup must be an IP address. If it were a name,
	// connecting would look it up once more, and the result of that would be unchecked.
	const isAllowed = allowPrivate ? (address: string) => isIP(address) !== 0 : isPublicAddress;
	if (!addresses.every(({ address }) => isAllowed(address)))
		throw badInput(field, 'the host is not allowed', told('host-not-allowed'));
	return addresses;
}

/**
 * Returns a host in the spelling that it has in a URL: `0x7f.1` and `２１３０７０６４３３` become 127.0.0.1, and names become
 * lower case and ASCII.
 */
export function parseHost(host: string, field = 'targetUri'): string {
	if (isIP(host) !== 0) return host;
	const isPlain = /^(\[[\da-f:.]+\]|[^\s/?#@\\:%[\]]+)$/i.test(host);
	const parsed = isPlain ? URL.parse(`http://${host}/`) : null;
	const name = parsed?.hostname.replace(/^\[|\]$|\.$/g, '');
	if (!name || name.length > MAX_NAME_LENGTH)
		throw badInput(field, 'expected a host name or an address', told('host-unknown'));
	return name;
}

async function ask(lookup: Lookup, name: string, field: string, signal?: AbortSignal): Promise<readonly Address[]> {
	const said = { field, problem: 'the host name cannot be resolved', told: told('host-unknown') };
	const answer = lookup(name).catch((cause) => {
		throw cause instanceof ServiceError ? cause : new ServiceError('target-unreachable', { ...said, cause });
	});
	const addresses = await (signal === undefined ? answer : Promise.race([answer, aborted(signal)]));
	if (addresses.length === 0) throw new ServiceError('target-unreachable', said);
	return addresses;
}

function aborted(signal: AbortSignal): Promise<never> {
	return new Promise((_, reject) => {
		if (signal.aborted) reject(signal.reason);
		signal.addEventListener('abort', () => reject(signal.reason), { once: true });
	});
}
