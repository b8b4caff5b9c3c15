// The OpenPGP keys of an export and an import: of a file, or of those that an account has.

import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { parseKey, readFacts } from '../../base/openpgp/keys.ts';
import type { NamedKey } from '../../base/openpgp/message-task.ts';
import { refusedKey } from '../../base/openpgp/refusals.ts';
import type { Identity } from '../../people/identity/identity.ts';
import { getPublicKey, getSecretKey } from '../../work/pgp/pgp-keys.ts';

/** Where a key is: in a file, or among those of an account. */
export type KeySource =
	| { readonly file: string; readonly passphrase?: string | undefined }
	| { readonly userId: string; readonly name: string };

interface KeyParts {
	database: Database;
	keyRing: KeyRing;
	identity: Pick<Identity, 'accounts'>;
}

/**
 * Finds the public key for which an export is encrypted. It must have the fingerprint that two people have agreed on.
 * @throws ServiceError
 */
export async function findReceiver(
	{ database, keyRing, identity }: KeyParts,
	source: KeySource,
	wanted: string,
): Promise<NamedKey & { readonly fingerprint: string }> {
	const found = 'file' in source ? await ofFile(source) : await ofAccount({ identity }, source);
	if ('secret' in found && found.secret !== undefined) {
		throw refusedKey(
			'the file has a secret key, which only its owner should have: ask the receiver for the public one',
		);
	}
	const armored =
		'public' in found ? found.public : await getPublicKey({ database, keyRing }, found.accountId, found.name);
	const { fingerprint } = await readFacts(armored);
	if (fingerprint !== plainFingerprint(wanted)) {
		throw refusedKey(`the key has the fingerprint ${fingerprint}, not the one that was given: ask the receiver again`);
	}
	return { name: found.name, armored, fingerprint };
}

/** Finds the secret key that opens what is imported. @throws ServiceError */
export async function findOpener({ database, keyRing, identity }: KeyParts, source: KeySource): Promise<NamedKey> {
	if (!('file' in source)) {
		const { accountId, name } = await ofAccount({ identity }, source);
		return { name, armored: (await getSecretKey({ database, keyRing }, accountId, name)).reveal() };
	}
	const { name, secret } = await ofFile(source);
	if (secret === undefined)
		throw refusedKey('the file has a public key: the secret one opens what was encrypted for it');
	return { name, armored: secret };
}

async function ofFile({ file, passphrase }: Extract<KeySource, { file: string }>) {
	const name = basename(file);
	const { publicKey, secretKey } = await parseKey(name, await readFile(file), passphrase);
	return { name, public: publicKey, secret: secretKey };
}

async function ofAccount(
	{ identity }: Pick<KeyParts, 'identity'>,
	{ userId, name }: Extract<KeySource, { userId: string }>,
) {
	const account = await identity.accounts.get(userId);
	return { name, accountId: account.parentId ?? account.id };
}

/** Programs write fingerprints in groups and in capitals. */
const plainFingerprint = (text: string) => text.replaceAll(/[\s:]/g, '').toLowerCase();
