// Reads addresses and ranges of addresses, such as `10.0.0.0/8` or `2001:db8::1`.

import { isIP } from 'node:net';

const BITS = { 4: 32, 6: 128 } as const;

export interface AddressRange {
	readonly net: string;
	/** The number of leading bits that every address of the range shares with `net`. */
	readonly prefix: number;
	readonly family: 4 | 6;
}

/** Reads a range, or a single address as the range that only contains itself. Returns undefined for any other text. */
export function readAddressRange(text: string): AddressRange | undefined {
	const [, net, length] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
	const family = isIP(net ?? '') as 0 | 4 | 6;
	if (family === 0) return undefined;
	const prefix = length === undefined ? BITS[family] : Number(length);
	return prefix <= BITS[family] ? { net, prefix, family } : undefined;
}
