// Lets clients begin the key exchange before they know what the server offers, as Dropbear's do (RFC 4253 §7).

import type { Algorithms, Connection as Client } from 'ssh2';
import { SSH_ALGORITHMS } from '../../../base/ssh/algorithms.ts';

/** A KEXINIT begins with its type and a cookie. */
const LISTS_START = 17;

/** The parts of ssh2's connection that decide about the packet behind the first KEXINIT. */
interface Protocol {
	_skipNextInboundPacket: boolean;
	readonly _kex?: { readonly _remoteKexinit?: Buffer };
}

/**
 * Makes ssh2 read the packet that a client sends on a right guess. It takes every guess for a wrong one and skips that
 * packet, and then both sides wait for each other.
 */
export function readFirstGuess(client: Client): void {
	const { _protocol: protocol } = client as unknown as { readonly _protocol?: Protocol };
	if (protocol === undefined) return;
	let isGuess = false;
	Object.defineProperty(protocol, '_skipNextInboundPacket', {
		set(value: boolean) {
			isGuess = value;
		},
		get: () => isGuess && !isRightGuess(protocol._kex?._remoteKexinit),
	});
}

/** Tells whether the key exchange and the host key that a client likes best are also the first ones of the server. */
function isRightGuess(kexinit: Buffer | undefined): boolean {
	if (kexinit === undefined) return false;
	let at = LISTS_START;
	for (const ours of [algorithms.kex, algorithms.serverHostKey]) {
		const end = at + 4 + kexinit.readUInt32BE(at);
		if (kexinit.toString('latin1', at + 4, end).split(',')[0] !== ours[0]) return false;
		at = end;
	}
	return true;
}

/** Lists the algorithms that the server accepts, best first. */
export const algorithms = {
	...SSH_ALGORITHMS,
	serverHostKey: ['ssh-ed25519', 'rsa-sha2-512', 'rsa-sha2-256', 'ecdsa-sha2-nistp256'],
} as const satisfies { [Key in keyof Algorithms]: readonly string[] };
