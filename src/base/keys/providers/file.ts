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
	};
}

function readRootKey(path: string): RootKey {
	const description = `file ${path}`;
	let text: string;
	try {
		if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
			throw new RootKeyError(`${description}: others can read the master key; run chmod 600 on it`);
		}
		text = readFileSync(path, 'utf8');
	} catch (error) {
		if (error instanceof RootKeyError) throw error;
		throw new RootKeyError(`${description}: the master key cannot be read`, { cause: error });
	}
	return localRootKey(parseKeyMaterial(text, description), description);
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
 * Creates a root key file that only its owner can read, and tells whether it did. An existing file is never changed. The
 * key is durable before anything is sealed under it.
 */
export async function createRootKeyFile(path: string): Promise<boolean> {
	if (existsSync(path)) return false;
	await makeFolder(dirname(path));
	return createDurably(path, `${randomBytes(ROOT_KEY_BYTES).toString('hex')}\n`, 0o600);
}
