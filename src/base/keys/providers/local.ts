// A root key that is held in the memory of this process. The file and the environment provider both use it.

import { createSecretKey, type KeyObject } from 'node:crypto';
import { type RootKey, RootKeyError } from '../root-key.ts';
import { SealError, seal, unseal } from '../seal.ts';
import { findService, notWrappedBy } from './wrapped-form.ts';

const ASSOCIATED = Buffer.from('tokendrop root key v1');
export const ROOT_KEY_BYTES = 32;

/** Creates a root key from 32 bytes of material, which are wiped. */
export function localRootKey(material: Buffer, description: string): RootKey {
	if (material.length !== ROOT_KEY_BYTES) {
		throw new RootKeyError(`${description}: the master key must be ${ROOT_KEY_BYTES} bytes, not ${material.length}`);
	}
	const key: KeyObject = createSecretKey(material);
	material.fill(0);
	return {
		description,
		async wrap(plain) {
			return seal(key, plain, ASSOCIATED);
		},
		async unwrap(wrapped) {
			const service = findService(wrapped);
			if (service !== undefined) throw notWrappedBy(description, service);
			try {
				return unseal(key, wrapped, ASSOCIATED);
			} catch (error) {
				if (!(error instanceof SealError)) throw error;
				throw new RootKeyError(`${description}: this is not the master key that the database was made with`, {
					cause: error,
				});
			}
		},
		close() {},
	};
}

/**
 * Reads key material from text: 64 hexadecimal characters or base64 of 32 bytes; surrounding white space is ignored.
 */
export function parseKeyMaterial(text: string, description: string): Buffer {
	const trimmed = text.trim();
	const material = /^[0-9a-f]{64}$/i.test(trimmed) ? Buffer.from(trimmed, 'hex') : Buffer.from(trimmed, 'base64');
	if (material.length !== ROOT_KEY_BYTES) {
		throw new RootKeyError(`${description}: expected 64 hexadecimal characters or base64 of ${ROOT_KEY_BYTES} bytes`);
	}
	return material;
}
