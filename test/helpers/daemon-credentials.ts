// Makes credentials as callers make them.

import { constants, generateKeyPairSync, publicEncrypt, X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ssh2 } from '../../src/base/ssh/ssh2.ts';
import type { OpenedParts } from './daemon.ts';
import { makeSshKeyPair } from './ssh-key-pair.ts';

/** Makes an access token (spec §5.3), encrypted for the certificate that the installation offers. */
export async function makeAccessToken(
	{ identity }: OpenedParts,
	said: { readonly apiKey: string; readonly guid: string; readonly expiresAtMs: number },
): Promise<string> {
	const { certificate } = await identity.certificates.current();
	const text = `${said.apiKey}#${said.guid}#${new Date(said.expiresAtMs).toISOString()}`;
	const key = { key: new X509Certificate(certificate).publicKey, padding: constants.RSA_PKCS1_PADDING };
	return publicEncrypt(key, Buffer.from(text)).toString('hex');
}

/**
 * Makes an Ed25519 key in OpenSSH's format and returns the path of the private key; the public key is in the same
 * folder, as `.pub`.
 */
export async function makeSshKey(folder: string, name: string, comment = 'a test'): Promise<string> {
	const path = join(folder, name);
	const key = makeSshKeyPair(comment);
	await writeFile(path, key.private, { mode: 0o600 });
	await writeFile(`${path}.pub`, `${key.public}\n`);
	return path;
}

/** Works as `makeSshKey`, but makes a key in PEM, for clients that read nothing newer. */
export async function makePemKey(folder: string, name: string, type: 'rsa' | 'ecdsa'): Promise<string> {
	const path = join(folder, name);
	const pem = String(
		type === 'rsa'
			? generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' })
			: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'sec1', format: 'pem' }),
	);
	const parsed = ssh2.utils.parseKey(pem);
	if (parsed instanceof Error) throw parsed;
	await writeFile(path, pem, { mode: 0o600 });
	await writeFile(`${path}.pub`, `${parsed.type} ${parsed.getPublicSSH().toString('base64')} a test\n`);
	return path;
}
