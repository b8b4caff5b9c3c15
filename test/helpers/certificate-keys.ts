import type { webcrypto } from 'node:crypto';
import { makeCertificateKeys } from '../../src/identity/self-signed.ts';

type Keys = Promise<webcrypto.CryptoKeyPair>;

/** More than one test needs in an installation of its own, so that a certificate never has the keys of an earlier one. */
const PAIRS = 4;

const pairs: Keys[] = [];

/**
 * Gives the keys of the certificates of one installation, in turn. They are made once in a process, because each takes half a
 * second or more.
 */
export function openCertificateKeys(): () => Keys {
	let given = 0;
	return () => {
		const nth = given++ % PAIRS;
		return (pairs[nth] ??= makeCertificateKeys());
	};
}
