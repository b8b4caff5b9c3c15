import type { Algorithms } from 'ssh2';
import { SSH_ALGORITHMS } from '../../ssh/algorithms.ts';

/**
 * The algorithms that we accept. A partner that supports none of them is refused, because weaker ones are not safe
 * enough.
 */
export const clientAlgorithms = SSH_ALGORITHMS satisfies Partial<Record<keyof Algorithms, readonly string[]>>;

/** Lists the signature algorithms of host keys, grouped by kind. A host may have one key of each kind. */
export const hostKeyKinds = [
	['ssh-ed25519'],
	['ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521'],
	['rsa-sha2-512', 'rsa-sha2-256'],
] as const satisfies readonly (readonly string[])[];

export type HostKeyKind = (typeof hostKeyKinds)[number];
