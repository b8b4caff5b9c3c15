// Signs for an operator, with ssh-agent, which keeps the private key to itself, or with a private key file.

import { createPrivateKey, sign } from 'node:crypto';
import { ssh2 } from '../../base/ssh/ssh2.ts';
import { OperatorError } from './operator-error.ts';
import { publicKeyOf, type SshSignature, signatureAlgorithmOf } from './ssh-signature.ts';
import { sshNumber } from './ssh-wire.ts';

/**
 * This function signs bytes with the private key that belongs to a public key.
 * @throws OperatorError if it cannot
 */
export type Signer = (publicLine: string, bytes: Buffer) => Promise<SshSignature>;

export function agentSigner(socket: string): Signer {
	return async (publicLine, bytes) => {
		const { type, blob } = publicKeyOf(publicLine);
		const agent = ssh2.createAgent(socket);
		const signature = await new Promise<Buffer>((resolve, reject) => {
			agent.sign(blob, bytes, { hash: 'sha512' }, (error, made) => (made ? resolve(made) : reject(error)));
		}).catch((cause) => {
			throw new OperatorError('operator-refused', 'ssh-agent does not sign with the key of the operator (ssh-add -l)', {
				cause,
			});
		});
		return { algorithm: signatureAlgorithmOf(type), blob: signature };
	};
}

/**
 * Returns a signer that uses the content of a private key file without a passphrase.
 * @throws OperatorError for any other text
 */
export function keySigner(text: string): Signer {
	const parsed = ssh2.utils.parseKey(text);
	if (parsed instanceof Error || !parsed.isPrivateKey()) {
		const isLocked = parsed instanceof Error && /encrypted|passphrase/i.test(parsed.message);
		const message = isLocked ? 'has a passphrase: add it to ssh-agent' : 'is no private key that can be read';
		throw new OperatorError('operator-refused', `the identity file ${message}`);
	}
	return async (publicLine, bytes) => {
		if (!publicKeyOf(publicLine).blob.equals(parsed.getPublicSSH())) {
			throw new OperatorError('operator-refused', 'the identity file is not the key of the operator');
		}
		const key = createPrivateKey(parsed.getPrivatePEM());
		const algorithm = signatureAlgorithmOf(parsed.type);
		if (parsed.type === 'ssh-ed25519') return { algorithm, blob: sign(null, bytes, key) };
		if (parsed.type === 'ssh-rsa') return { algorithm, blob: sign('sha512', bytes, key) };
		const hash = { nistp256: 'sha256', nistp384: 'sha384' }[parsed.type.split('-')[2]] ?? 'sha512';
		const numbers = sign(hash, bytes, { key, dsaEncoding: 'ieee-p1363' });
		const half = numbers.length / 2;
		return { algorithm, blob: Buffer.concat([numbers.subarray(0, half), numbers.subarray(half)].map(sshNumber)) };
	};
}
