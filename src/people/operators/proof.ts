// Checks whether a person is the operator that he or she claims to be.

import { randomBytes } from 'node:crypto';
import type { CredentialHasher } from '../../base/keys/credential-hash.ts';
import { OperatorError } from './operator-error.ts';
import type { Operator } from './operators.ts';
import type { Signer } from './signers.ts';
import { isSignedBy, signedBytes } from './ssh-signature.ts';

export const TOKEN_PREFIX = 'td_operator_';
const TOKEN_BYTES = 32;

export function drawToken(): string {
	return `${TOKEN_PREFIX}${randomBytes(TOKEN_BYTES).toString('base64url')}`;
}

export interface Proofs {
	/** Returns the operator's token; absent if no file with a token was given for the command. */
	readonly token?: () => Promise<string>;
	/** Returns a signer. It uses the private key file that was given for the command or, without one, ssh-agent. */
	readonly signer?: () => Promise<Signer>;
}

/**
 * Returns the text that an operator signs to prove who they are. Each text is new, so a signature is of no use for
 * another command or at another time.
 */
function challengeFor(name: string, command: string): string {
	const lines = ['tokendrop command', `operator ${name}`, `command ${command}`, `at ${new Date().toISOString()}`];
	return [...lines, `nonce ${randomBytes(32).toString('hex')}`, ''].join('\n');
}

/** @throws OperatorError unless the proof is that of the operator */
export async function requireProof(operator: Operator, command: string, proofs: Proofs, hasher: CredentialHasher) {
	const { name, publicKey, tokenHash } = operator;
	if (publicKey === null) {
		const text = await proofs.token?.();
		if (text === undefined) {
			throw new OperatorError('operator-required', `operator ${name} has a token and no SSH key: give --token-file`);
		}
		const isTheirs =
			text.startsWith(TOKEN_PREFIX) && (await hasher.hashAll(text)).some(({ hash }) => hash === tokenHash);
		if (!isTheirs) throw new OperatorError('operator-refused', `the token is not that of operator ${name}`);
		return;
	}
	const signer = await proofs.signer?.();
	if (signer === undefined) {
		throw new OperatorError(
			'operator-required',
			`operator ${name} proves themselves by an SSH key: ssh-agent (SSH_AUTH_SOCK), or --identity-file`,
		);
	}
	const bytes = signedBytes(challengeFor(name, command));
	if (isSignedBy(publicKey, bytes, await signer(publicKey, bytes))) return;
	throw new OperatorError('operator-refused', `the signature is not that of operator ${name}`);
}
