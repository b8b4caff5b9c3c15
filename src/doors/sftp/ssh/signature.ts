import type { PublicKeyAuthContext } from 'ssh2';
import { ssh2 } from '../../../base/ssh/ssh2.ts';

const minRsaBits = 2048;
const signatureHashes = new Map([
	['sha256', 'rsa-sha2-256'],
	['sha512', 'rsa-sha2-512'],
]);
const plainAlgorithms = new Set(['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521']);

type KeyOffer = Pick<PublicKeyAuthContext, 'key' | 'hashAlgo' | 'signature' | 'blob'>;

/**
 * Returns the signature algorithm that a public-key login uses, or undefined if we refuse it. ssh2 reports all RSA
 * algorithms as `ssh-rsa` and gives the hash separately; no hash means SHA-1.
 */
export function findSignatureAlgorithm(offer: KeyOffer): string | undefined {
	if (plainAlgorithms.has(offer.key.algo)) return offer.key.algo;
	if (offer.key.algo === 'ssh-rsa') return signatureHashes.get(offer.hashAlgo ?? '');
	return undefined;
}

/** Tells whether we accept a key: it must have the type that the client names in its login, and must be long enough. */
export function isAcceptableKey(offer: KeyOffer): boolean {
	const key = parsePublicKey(offer);
	if (key === undefined) return false;
	return key.type !== 'ssh-rsa' || rsaBits(offer.key.data) >= minRsaBits;
}

/** Tells whether the client holds the private key. It checks the signature, which is valid for this session only. */
export function isSignatureValid(offer: KeyOffer): boolean {
	const key = parsePublicKey(offer);
	if (key === undefined || offer.signature === undefined || offer.blob === undefined) return false;
	// For some bad signatures ssh2 returns an Error instead of false.
	return key.verify(offer.blob, offer.signature, offer.hashAlgo) === true;
}

function parsePublicKey(offer: KeyOffer) {
	const parsed = ssh2.utils.parseKey(offer.key.data);
	if (parsed instanceof Error || Array.isArray(parsed)) return undefined;
	return parsed.type === offer.key.algo ? parsed : undefined;
}

/** Returns the size in bits of an RSA key in the wire form: string "ssh-rsa", mpint e, mpint n. */
function rsaBits(blob: Buffer): number {
	const exponentAt = 4 + blob.readUInt32BE(0);
	const modulusAt = exponentAt + 4 + blob.readUInt32BE(exponentAt);
	let at = modulusAt + 4;
	while (at < blob.length && blob[at] === 0) at += 1;
	return (blob.length - at) * 8 - (at < blob.length ? Math.clz32(blob[at]) - 24 : 0);
}
