// Checks that the host that answers is the intended one, before it gets a user name or a password.

import { timingSafeEqual } from 'node:crypto';
import type { Algorithms } from 'ssh2';
import { SSH_ALGORITHMS } from '../../ssh/algorithms.ts';
import { fingerprintOf } from '../../ssh/fingerprint.ts';

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

const FINGERPRINT = /^(?:[a-z][a-z0-9-]* )?SHA256:([A-Za-z0-9+/]{43})=?$/;

/**
 * Reads `SHA256:…` as `ssh-keygen -l` shows it, with or without the name of the algorithm in front. Returns undefined
 * if the text is not a fingerprint.
 */
export function findFingerprint(text: string): string | undefined {
	const digest = FINGERPRINT.exec(text.trim())?.[1];
	return digest === undefined ? undefined : `SHA256:${digest}`;
}

/**
 * Checks the keys that a host shows on one connection. If keys are exchanged again on this connection, the host must
 * show the same key as at the beginning.
 */
export class HostKeyCheck {
	readonly #expected: readonly string[];
	#shown: string | undefined;
	#refusedKind: HostKeyKind | undefined;

	/** @param expected lists the accepted fingerprints; if it is empty, the first key shown is accepted */
	constructor(expected: readonly string[]) {
		this.#expected = expected;
	}

	/** Returns the fingerprint of the key that the host has shown, or undefined before the handshake. */
	get shown(): string | undefined {
		return this.#shown;
	}

	/**
	 * Returns the kind of the key that was refused, for example RSA. The caller may connect again without this kind,
	 * because the host may also have a key of another kind, which is the expected one.
	 */
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

/** Returns the kind of a public key. Its wire form begins with a name, which is `ssh-rsa` for every RSA key. */
function kindOf(publicKey: Buffer): HostKeyKind | undefined {
	const name = publicKey.toString('latin1', 4, 4 + publicKey.readUInt32BE(0));
	const algorithm = name === 'ssh-rsa' ? 'rsa-sha2-512' : name;
	return hostKeyKinds.find((kind) => (kind as readonly string[]).includes(algorithm));
}
