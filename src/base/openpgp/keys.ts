// Reads, makes and checks OpenPGP keys.

import {
	enums,
	generateKey,
	type Key,
	type PrivateKey,
	readKey,
	readPrivateKey,
	revokeKey,
	decryptKey as unlockKey,
} from 'openpgp';
import type { NamedKey } from './message-task.ts';
import { endedKey, endedPart, refusedKey, unfitKey } from './refusals.ts';

/** What is known of a key without its secret part. */
export interface KeyFacts {
	/** In lower-case hexadecimal. */
	readonly fingerprint: string;
	readonly userIds: readonly string[];
	readonly expiresAt: Date | null;
	readonly isRevoked: boolean;
}

/** A key as it is stored: the public part, and the secret part if it is an own key. Both are armored. */
export interface KeyParts {
	readonly publicKey: string;
	readonly secretKey: string | undefined;
	readonly facts: KeyFacts;
}

/** Every partner's program reads such a key. It claims no feature that only some know, such as the packets of GnuPG. */
const NEW_KEY = { type: 'rsa', rsaBits: 3072, config: { aeadProtect: false } } as const;

/** Makes an own key. Without `expiresInDays` it never expires. */
export async function createKey(userName: string, expiresInDays?: number): Promise<KeyParts> {
	const { privateKey } = await generateKey({
		...NEW_KEY,
		userIDs: [{ name: userName }],
		keyExpirationTime: (expiresInDays ?? 0) * 86_400,
		format: 'object',
	});
	return partsOf(privateKey);
}

/**
 * Reads a key from a file, armored or binary. The passphrase opens a secret key.
 * @throws ServiceError if it is not one key, if the passphrase does not open it, or if the key is expired, revoked or
 * cannot be used
 */
export async function parseKey(name: string, bytes: Uint8Array, passphrase: string | undefined): Promise<KeyParts> {
	const key = await readAny(bytes);
	const opened = key.isPrivate() ? await unlock(key as PrivateKey, passphrase) : key;
	await requireUsable(opened, name);
	if (!(await canEncrypt(opened)) && !(await canSign(opened))) throw refusedKey(unfitKey(name, 'encrypt'));
	return partsOf(opened);
}

async function readAny(bytes: Uint8Array): Promise<Key> {
	const isBinary = ((bytes[0] ?? 0) & 0x80) !== 0;
	const from = isBinary ? { binaryKey: bytes } : { armoredKey: Buffer.from(bytes).toString('latin1') };
	try {
		return await readKey(from as never);
	} catch {
		throw refusedKey('the file is not one OpenPGP key: export one with gpg --export --armor');
	}
}

async function unlock(key: PrivateKey, passphrase: string | undefined): Promise<PrivateKey> {
	if (key.isDecrypted()) return key;
	if (passphrase === undefined) {
		throw refusedKey('the secret key is protected by a passphrase: name the file that holds it with --passphrase-file');
	}
	try {
		return await unlockKey({ privateKey: key, passphrase });
	} catch {
		throw refusedKey('the passphrase does not open the secret key');
	}
}

async function partsOf(key: Key): Promise<KeyParts> {
	return {
		publicKey: key.toPublic().armor(),
		secretKey: key.isPrivate() ? key.armor() : undefined,
		facts: await factsOf(key),
	};
}

async function factsOf(key: Key): Promise<KeyFacts> {
	const expires = await key.getExpirationTime().catch(() => null);
	return {
		fingerprint: key.getFingerprint(),
		userIds: key.getUserIDs(),
		expiresAt: expires instanceof Date ? expires : null,
		isRevoked: await key.isRevoked(),
	};
}

/** Returns the public part of an own key, with the word that the key is revoked. */
export async function revokedKey(armoredSecretKey: string): Promise<string> {
	const key = await readPrivateKey({ armoredKey: armoredSecretKey });
	const { publicKey } = await revokeKey({ key, format: 'armored' });
	return publicKey;
}

export async function readFacts(armoredKey: string): Promise<KeyFacts> {
	return factsOf(await readKey({ armoredKey }));
}

/** @throws ServiceError if a key is expired or revoked */
export async function requireUsable(key: Key, name: string): Promise<void> {
	if (await key.isRevoked()) throw refusedKey(endedKey(name, 'revoked'));
	const expires = await key.getExpirationTime().catch(() => null);
	if (expires instanceof Date && expires.getTime() <= Date.now()) throw refusedKey(endedKey(name, 'expired'));
}

const canEncrypt = (key: Key) => key.getEncryptionKey().then(Boolean, () => false);
const canSign = (key: Key) => key.getSigningKey().then(Boolean, () => false);

/**
 * Opens the key of somebody for whom a message is encrypted.
 * @throws ServiceError if it is expired, revoked or cannot encrypt
 */
export async function openReader({ name, armored }: NamedKey): Promise<Key> {
	const key = await readKey({ armoredKey: armored });
	await requireUsable(key, name);
	if (await canEncrypt(key)) return key;
	throw refusedKey((await couldEncrypt(key)) ? endedPart(name) : unfitKey(name, 'encrypt'));
}

/** Tells whether a key that cannot encrypt had a part for that, which has ended: owners forget to extend subkeys. */
async function couldEncrypt(key: Key): Promise<boolean> {
	const parts = key.getSubkeys().map((part) => key.getEncryptionKey(part.getKeyID(), part.getCreationTime()));
	return (await Promise.allSettled(parts)).some(({ status }) => status === 'fulfilled');
}

/** Opens the own key that signs a message. @throws ServiceError if it is expired, revoked or cannot sign */
export async function openSigning({ name, armored }: NamedKey): Promise<PrivateKey> {
	const key = await readPrivateKey({ armoredKey: armored });
	await requireUsable(key, name);
	if (!(await canSign(key))) throw refusedKey(unfitKey(name, 'sign'));
	return key;
}

/** Opens the key of somebody whose signature counts. Whether it is expired or revoked matters only if it has signed. */
export async function openSigner({ name, armored }: NamedKey): Promise<{ readonly name: string; readonly key: Key }> {
	return { name, key: await readKey({ armoredKey: armored }) };
}

export const COMPRESSION_IDS = {
	none: enums.compression.uncompressed,
	zip: enums.compression.zip,
	zlib: enums.compression.zlib,
};
