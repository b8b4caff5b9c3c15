import { BlockList, isIP } from 'node:net';
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
		const [address, bits] = range.trim().split('/');
		if (isIP(address) === 6) this.#list.addSubnet(address, Math.min(Number(bits ?? 64), 64), 'ipv6');
		else this.#list.addSubnet(address, Number(bits ?? 32), 'ipv4');
	}
}

/** Tells whether a text is an address, or a range of addresses. */
export function isAddressRange(text: string): boolean {
	const [, address, bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
	const family = isIP(address ?? '');
	return family !== 0 && (bits === undefined || Number(bits) <= (family === 4 ? 32 : 128));
}
