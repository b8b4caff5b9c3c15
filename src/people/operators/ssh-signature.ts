// Creates and checks signatures by SSH keys over a text, in the form of `ssh-keygen -Y sign`. The signed bytes begin
// with `SSHSIG` and our namespace, so that a signature for an SSH login is never valid for a command, and a signature
// for a command never for a login.

import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { ssh2 } from '../../base/ssh/ssh2.ts';
import { fixedNumber, SshReader, sshString } from './ssh-wire.ts';

const NAMESPACE = 'tokendrop';

const MAGIC = 'SSHSIG';
const HASH = 'sha512';

export interface SshSignature {
	/** The name of the algorithm, for example `ssh-ed25519`, `rsa-sha2-512` or `ecdsa-sha2-nistp256`. */
	readonly algorithm: string;
	/** The signature as SSH writes it; for ECDSA it contains two numbers. */
	readonly blob: Buffer;
}

/** The hash of each signature algorithm and, for ECDSA, the length of each number. RSA with SHA-1 is not included. */
const ALGORITHMS: Readonly<Record<string, { readonly hash: string | null; readonly numberBytes?: number }>> = {
	'ssh-ed25519': { hash: null },
	'rsa-sha2-256': { hash: 'sha256' },
	'rsa-sha2-512': { hash: 'sha512' },
	'ecdsa-sha2-nistp256': { hash: 'sha256', numberBytes: 32 },
	'ecdsa-sha2-nistp384': { hash: 'sha384', numberBytes: 48 },
	'ecdsa-sha2-nistp521': { hash: 'sha512', numberBytes: 66 },
};

export function signedBytes(text: string): Buffer {
	const digest = createHash(HASH).update(text).digest();
	return Buffer.concat([Buffer.from(MAGIC), ...[NAMESPACE, '', HASH, digest].map((part) => sshString(part))]);
}

export function signatureAlgorithmOf(keyType: string): string {
	return keyType === 'ssh-rsa' ? 'rsa-sha2-512' : keyType;
}

export function publicKeyOf(line: string): { readonly type: string; readonly blob: Buffer; readonly key: KeyObject } {
	const parsed = ssh2.utils.parseKey(line);
	if (parsed instanceof Error)
		throw new Error('internal error: the stored public key cannot be read', { cause: parsed });
	return { type: parsed.type, blob: parsed.getPublicSSH(), key: createPublicKey(parsed.getPublicPEM()) };
}

export function isSignedBy(publicLine: string, bytes: Buffer, { algorithm, blob }: SshSignature): boolean {
	const { type, key } = publicKeyOf(publicLine);
	const known = Object.hasOwn(ALGORITHMS, algorithm) ? ALGORITHMS[algorithm] : undefined;
	if (!known || (algorithm.startsWith('rsa-') ? 'ssh-rsa' : algorithm) !== type) return false;
	try {
		if (known.numberBytes === undefined) return verify(known.hash, bytes, key, blob);
		const numbers = new SshReader(blob);
		const parts = [numbers.string(), numbers.string()].map((part) => fixedNumber(part, known.numberBytes!));
		if (!numbers.isAtEnd || parts.some((part) => part === undefined)) return false;
		return verify(known.hash, bytes, { key, dsaEncoding: 'ieee-p1363' }, Buffer.concat(parts as Buffer[]));
	} catch (error) {
		if (error instanceof RangeError) return false;
		throw error;
	}
}
