import type { PublicKeyAuthContext } from 'ssh2';
import ssh2 from 'ssh2';

const minRsaBits = 2048;
const signatureHashes = new Map([
	['sha256', 'rsa-sha2-256'],
	['sha512', 'rsa-sha2-512'],
]);
const plainAlgorithms = new Set(['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521']);

type KeyOffer = Pick<PublicKeyAuthContext, 'key' | 'hashAlgo' | 'signature' | 'blob'>;

/**
 * The signature algorithm a public-key login uses, undefined when it is one we refuse. ssh2 reports all of RSA as
 * `ssh-rsa` and tells the hash apart; no hash means SHA-1.
 */
export function findSignatureAlgorithm(offer: KeyOffer): string | undefined {
	if (plainAlgorithms.has(offer.key.algo)) return offer.key.algo;
	if (offer.key.algo === 'ssh-rsa') return signatureHashes.get(offer.hashAlgo ?? '');
	return undefined;
}

/** Whether the key is one we take: of the type its login names, and long enough. */
export function isAcceptableKey(offer: KeyOffer): boolean {
	const key = parsePublicKey(offer);
	if (key === undefined) return false;
	return key.type !== 'ssh-rsa' || rsaBits(offer.key.data) >= minRsaBits;
}

/** Whether the client holds the private key: the signature covers this very session. */
export function isSignatureValid(offer: KeyOffer): boolean {
	const key = parsePublicKey(offer);
	if (key === undefined || offer.signature === undefined || offer.blob === undefined) return false;
	// ssh2 answers an Error, not false, for some bad signatures.
	return key.verify(offer.blob, offer.signature, offer.hashAlgo) === true;
}

function parsePublicKey(offer: KeyOffer) {
	const parsed = ssh2.utils.parseKey(offer.key.data);
	if (parsed instanceof Error || Array.isArray(parsed)) return undefined;
	return parsed.type === offer.key.algo ? parsed : undefined;
}

/** Of the wire form: string "ssh-rsa", mpint e, mpint n. */
function rsaBits(blob: Buffer): number {
	const exponentAt = 4 + blob.readUInt32BE(0);
	const modulusAt = exponentAt + 4 + blob.readUInt32BE(exponentAt);
	let at = modulusAt + 4;
	while (at < blob.length && blob[at] === 0) at += 1;
	return (blob.length - at) * 8 - (at < blob.length ? Math.clz32(blob[at]) - 24 : 0);
}
