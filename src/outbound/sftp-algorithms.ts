import type { Algorithms } from 'ssh2';

/**
 * What we agree to as a client, best first. Left out as at our own door: SHA-1 in any place, ssh-dss, group exchange, CBC,
 * compression. A partner that has nothing else is refused rather than reached with weak cryptography.
 */
export const clientAlgorithms = {
	kex: [
		'curve25519-sha256',
		'curve25519-sha256@libssh.org',
		'ecdh-sha2-nistp256',
		'ecdh-sha2-nistp384',
		'ecdh-sha2-nistp521',
		'diffie-hellman-group14-sha256',
		'diffie-hellman-group16-sha512',
		'diffie-hellman-group18-sha512',
	],
	cipher: [
		'aes128-gcm@openssh.com',
		'aes256-gcm@openssh.com',
		'chacha20-poly1305@openssh.com',
		'aes128-ctr',
		'aes192-ctr',
		'aes256-ctr',
	],
	hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
	compress: ['none'],
} as const satisfies Partial<Record<keyof Algorithms, readonly string[]>>;

/** Signature algorithms of host keys, by the kinds of keys a host may have one of each of. */
export const hostKeyKinds = [
	['ssh-ed25519'],
	['ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521'],
	['rsa-sha2-512', 'rsa-sha2-256'],
] as const satisfies readonly (readonly string[])[];

export type HostKeyKind = (typeof hostKeyKinds)[number];
