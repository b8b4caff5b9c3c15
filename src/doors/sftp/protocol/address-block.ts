/**
 * Returns the block of addresses that is treated as one client: the /24 of an IPv4 address, the /56 of an IPv6 address,
 * because any customer of a network gets blocks of this size.
 * @param address as `defendedAddress` writes it: an IPv4 address, or four groups of an IPv6 address and `::/64`
 */
export function addressBlock(address: string): string {
	const ipv4 = /^(\d+\.\d+\.\d+)\.\d+$/.exec(address);
	if (ipv4) return `${ipv4[1]}.0/24`;
	const ipv6 = /^([0-9a-f]+:[0-9a-f]+:[0-9a-f]+):([0-9a-f]+)::\/64$/.exec(address);
	if (!ipv6) return address;
	const lastGroup = Number.parseInt(ipv6[2], 16) & 0xff00;
	return `${ipv6[1]}:${lastGroup.toString(16)}::/56`;
}
