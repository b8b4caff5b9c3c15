// Reads the addresses from which a credential may be used. An operator writes them as ranges:
// `10.0.0.0/8,2001:db8::/32`.

import { BlockList, isIP } from 'node:net';
import { ServiceError } from '../errors.ts';

const MAX_RANGES = 50;
const BITS = { 4: 32, 6: 128 } as const;

/**
 * Checks address ranges and returns them in the form in which they are stored.
 * @throws ServiceError if a range is invalid or there are too many
 */
export function parseAddressRanges(text: string): string {
	const ranges = text.split(',').map((each) => each.trim());
	if (ranges.length > MAX_RANGES) throw refusal(`expected at most ${MAX_RANGES} ranges`);
	for (const range of ranges) if (!readRange(range)) throw refusal('expected addresses or ranges like 10.0.0.0/8');
	return ranges.join(',');
}

/**
 * Tells whether stored ranges contain an address. Without ranges every address is allowed. With ranges, a caller whose
 * address is unknown is refused.
 */
export function isFrom(ranges: string | null, address: string | undefined): boolean {
	if (ranges === null) return true;
	if (address === undefined) return false;
	const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address.split('%')[0];
	const family = isIP(plain);
	return family !== 0 && listOf(ranges).check(plain, family === 4 ? 'ipv4' : 'ipv6');
}

const MAX_LISTS = 1_000;
/** Keeps parsed lists of address ranges, because every request with a key that is limited to addresses needs one. */
const lists = new Map<string, BlockList>();

function listOf(ranges: string): BlockList {
	let list = lists.get(ranges);
	if (list) return list;
	list = new BlockList();
	for (const range of ranges.split(',')) {
		const read = readRange(range);
		// A range that cannot be read allows no address.
		if (read) list.addSubnet(read.net, read.prefix, read.family === 4 ? 'ipv4' : 'ipv6');
	}
	if (lists.size === MAX_LISTS) lists.clear();
	lists.set(ranges, list);
	return list;
}

function readRange(range: string): { net: string; prefix: number; family: 4 | 6 } | undefined {
	const [, net, length] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(range) ?? [];
	const family = isIP(net ?? '') as 0 | 4 | 6;
	if (family === 0) return undefined;
	const prefix = length === undefined ? BITS[family] : Number(length);
	return prefix <= BITS[family] ? { net, prefix, family } : undefined;
}

function refusal(reason: string): ServiceError {
	return new ServiceError('bad-input-data', { field: 'from', problem: reason });
}
