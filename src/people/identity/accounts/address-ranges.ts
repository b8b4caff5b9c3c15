// Reads the addresses from which a credential may be used. An operator writes them as ranges:
// `10.0.0.0/8,2001:db8::/32`.

import { BlockList, isIP } from 'node:net';
import { badInput, type ServiceError } from '../../../base/errors.ts';
import { told } from '../../../base/failures.ts';
import { readAddressRange } from '../../../base/settings/address-range.ts';

const MAX_RANGES = 50;

/**
 * Checks address ranges and returns them in the form in which they are stored.
 * @throws ServiceError if a range is invalid, with its position in the list, or if there are too many
 */
export function parseAddressRanges(text: string): string {
	const ranges = text.split(',').map((each) => each.trim());
	if (ranges.length > MAX_RANGES) throw refusal(`expected at most ${MAX_RANGES} ranges`);
	const wrong = ranges.findIndex((range) => !readAddressRange(range));
	if (wrong >= 0) {
		const which = ranges.length > 1 ? `; number ${wrong + 1} is neither` : '';
		throw refusal(`expected addresses or ranges like 10.0.0.0/8${which}`);
	}
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
		const read = readAddressRange(range);
		// A range that cannot be read allows no address.
		if (read) list.addSubnet(read.net, read.prefix, read.family === 4 ? 'ipv4' : 'ipv6');
	}
	if (lists.size === MAX_LISTS) lists.clear();
	lists.set(ranges, list);
	return list;
}

function refusal(reason: string): ServiceError {
	return badInput('from', reason, told('address-range-malformed'));
}
