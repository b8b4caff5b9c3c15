// Whether the host that answers is the one that was meant: decided before it is told a user name or a password.

import { createHash, timingSafeEqual } from 'node:crypto';
import { type HostKeyKind, hostKeyKinds } from './sftp-algorithms.ts';

const FINGERPRINT = /^(?:[a-z][a-z0-9-]* )?SHA256:([A-Za-z0-9+/]{43})=?$/;

/** Reads `SHA256:…` as `ssh-keygen -l` shows it, with or without the name of the algorithm in front; undefined if it is none. */
export function findFingerprint(text: string): string | undefined {
	const digest = FINGERPRINT.exec(text.trim())?.[1];
	return digest === undefined ? undefined : `SHA256:${digest}`;
}

/** The fingerprint of a public key in its wire form. */
export function fingerprintOf(publicKey: Buffer): string {
	return `SHA256:${createHash('sha256').update(publicKey).digest('base64').replace(/=+$/, '')}`;
}

/** Looks at the keys of one connection. A key exchanged later must be the one it began with. */
export class HostKeyCheck {
	readonly #expected: readonly string[];
	#shown: string | undefined;
	#refusedKind: HostKeyKind | undefined;

	/** @param expected any of these will do; none at all takes whatever comes first. */
	constructor(expected: readonly string[]) {
		this.#expected = expected;
	}

	/** The key the host has shown; undefined before the handshake. */
	get shown(): string | undefined {
		return this.#shown;
	}

	/** What kind of key was refused; a host may have an expected one of another kind. */
	get refusedKind(): HostKeyKind | undefined {
		return this.#refusedKind;
	}

	isAccepted(publicKey: Buffer): boolean {
		const fingerprint = fingerprintOf(publicKey);
		const known = this.#shown === undefined ? this.#expected : [this.#shown];
		const isFirst = this.#shown === undefined;
		this.#shown ??= fingerprint;
		if (known.length === 0 && isFirst) return true;
		if (known.some((each) => isSame(each, fingerprint))) return true;
		this.#refusedKind = kindOf(publicKey);
		return false;
	}
}

function isSame(one: string, other: string): boolean {
	const [a, b] = [Buffer.from(one), Buffer.from(other)];
	return a.length === b.length && timingSafeEqual(a, b);
}

/** By the name at the front of the wire form; all RSA keys are called `ssh-rsa` there. */
function kindOf(publicKey: Buffer): HostKeyKind | undefined {
	const name = publicKey.toString('latin1', 4, 4 + publicKey.readUInt32BE(0));
	const algorithm = name === 'ssh-rsa' ? 'rsa-sha2-512' : name;
	return hostKeyKinds.find((kind) => (kind as readonly string[]).includes(algorithm));
}
