import { ML_KEM_EXCHANGE } from './ml-kem-exchange.ts';
import { hasPostQuantumExchange } from './ssh2.ts';

/**
 * Lists the SSH algorithms that we accept as server and as client, best first. These are left out on purpose: SHA-1
 * everywhere, ssh-dss, group exchange (a client may request slow or weak groups), CBC, and compression (it reveals
 * lengths and allows decompression bombs).
 */
export const SSH_ALGORITHMS = {
	kex: [
		...(hasPostQuantumExchange ? ([ML_KEM_EXCHANGE] as const) : []),
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
} as const;
