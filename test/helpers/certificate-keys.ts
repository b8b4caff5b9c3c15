import type { webcrypto } from 'node:crypto';
import { makeCertificateKeys } from '../../src/people/identity/credentials/self-signed.ts';

type Keys = Promise<webcrypto.CryptoKeyPair>;

/** The number of key pairs. No test needs as many in one installation, so none of its certificates share their keys. */
const PAIRS = 4;

const pairs: Keys[] = [];

/**
 * Returns a function that gives one installation the keys of its certificates, in turn. They are made once in a process,
 * because each takes half a second or more.
 */
export function openCertificateKeys(): () => Keys {
	let given = 0;
	return () => {
		const nth = given++ % PAIRS;
		return (pairs[nth] ??= makeCertificateKeys());
	};
}
