import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { createDurably, makeFolder } from '../../durable-files.ts';
import { type RootKey, RootKeyError } from '../root-key.ts';
import { localRootKey, parseKeyMaterial, ROOT_KEY_BYTES } from './local.ts';

/**
 * Reads the root key from a file that only the daemon's user may read. If the key does not open something, the file is
 * read again, so that a new key in the file takes effect without a restart.
 * @throws RootKeyError when the file is absent or readable by others
 */
export function openFileRootKey(path: string): RootKey {
	let held = readRootKey(path);
	return {
		description: held.description,
		wrap: (plain) => held.wrap(plain),
		async unwrap(wrapped) {
			try {
				return await held.unwrap(wrapped);
			} catch (error) {
				if (!(error instanceof RootKeyError)) throw error;
				const replaced = findRootKey(path);
				const plain = await replaced?.unwrap(wrapped).catch(() => undefined);
				if (!replaced || !plain) throw error;
				held = replaced;
				return plain;
			}
		},
		close() {},
	};
}

function readRootKey(path: string): RootKey {
	return localRootKey(readKeyFile(path), descriptionOf(path));
}

function descriptionOf(path: string): string {
	return `file ${path}`;
}

/**
 * Reads the bytes of a root key from its file; the caller wipes them.
 * @throws RootKeyError when the file is absent or readable by others
 */
export function readKeyFile(path: string): Buffer {
	const description = descriptionOf(path);
	return parseKeyMaterial(readSecretFile(path, description, 'the master key'), description);
}

/**
 * Reads the key from the file. Returns undefined while the file is missing, being written or readable by others; then
 * the key read before is kept.
 */
function findRootKey(path: string): RootKey | undefined {
	try {
		return readRootKey(path);
	} catch {
		return undefined;
	}
}

/**
 * Creates a root key file that only its owner can read, of a new key or of `material`, and tells whether it did. An existing file is
 * never changed. The key is durable before anything is sealed under it.
 */
export async function createRootKeyFile(
	path: string,
	material: Buffer = randomBytes(ROOT_KEY_BYTES),
): Promise<boolean> {
	if (existsSync(path)) return false;
	await makeFolder(dirname(path));
	return createDurably(path, `${material.toString('hex')}\n`, 0o600);
}

/**
 * Reads a file with a secret that only the daemon's user may read. `description` names the place, and `what` the secret.
 * @throws RootKeyError when the file is absent or readable by others
 */
export function readSecretFile(path: string, description: string, what: string): string {
	try {
		if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
			throw new RootKeyError(`${description}: others can read ${what}; run chmod 600 on it`);
		}
		return readFileSync(path, 'utf8');
	} catch (error) {
		if (error instanceof RootKeyError) throw error;
		throw new RootKeyError(`${description}: ${what} cannot be read`, { cause: error });
	}
}
