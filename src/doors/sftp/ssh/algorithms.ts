import type { Algorithms } from 'ssh2';
import { SSH_ALGORITHMS } from '../../../base/ssh/algorithms.ts';

/** Lists the algorithms that the server accepts, best first. */
export const algorithms = {
	...SSH_ALGORITHMS,
	serverHostKey: ['ssh-ed25519', 'rsa-sha2-512', 'rsa-sha2-256', 'ecdsa-sha2-nistp256'],
} as const satisfies { [Key in keyof Algorithms]: readonly string[] };
