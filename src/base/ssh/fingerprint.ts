import { createHash } from 'node:crypto';

/** Returns the fingerprint of a public key in the SSH wire form, as `ssh-keygen -l` shows it, or that of a certificate. */
export function fingerprintOf(bytes: Uint8Array): string {
	return writtenFingerprint(createHash('sha256').update(bytes).digest());
}

export function writtenFingerprint(digest: Buffer): string {
	return `SHA256:${digest.toString('base64').replace(/=+$/, '')}`;
}
