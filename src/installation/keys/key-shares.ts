// Splits the master key of an installation into shares for custodians, and makes its file of them again.

import { createRootKeyFile, readKeyFile } from '../../base/keys/providers/file.ts';
import { parseKeyMaterial } from '../../base/keys/providers/local.ts';
import { isService } from '../../base/keys/providers/wrapped-form.ts';
import { RootKeyError } from '../../base/keys/root-key.ts';
import { combineShares, type SplitKey, splitKey } from '../../base/keys/shares.ts';
import type { Settings } from '../../base/settings/settings.ts';
import type { Actor } from '../../trail/actor.ts';
import type { Audit } from '../../trail/audit.ts';

/**
 * Splits the master key that the settings name. The trail says who did it, before anybody has a share.
 * @throws RootKeyError if the key cannot be read, or is in a key service
 */
export async function splitMasterKey(
	{ settings, audit, actor }: { settings: Pick<Settings, 'keys' | 'masterKeyFile'>; audit: Audit; actor: Actor },
	{ needed, count }: { readonly needed: number; readonly count: number },
): Promise<SplitKey> {
	const { masterKey, provider } = settings.keys;
	if (isService(provider)) {
		throw new RootKeyError(
			`the master key is with ${provider}, which never gives it out: let several custodians guard it there`,
		);
	}
	const fromVariable = provider === 'env' && masterKey !== null;
	const key = fromVariable
		? parseKeyMaterial(masterKey.reveal(), 'the variable of the master key')
		: readKeyFile(settings.masterKeyFile);
	try {
		const split = await splitKey(key, { needed, count });
		const details = { set: split.set, needed, count };
		await audit.record({ actor, action: 'key.split', subject: 'installation', details });
		return split;
	} finally {
		key.fill(0);
	}
}

/**
 * Makes the file of a master key of the texts of its shares. Neither settings nor a database are needed.
 * @throws RootKeyError if the shares do not give the key, or the file exists
 */
export async function restoreMasterKey(texts: readonly string[], file: string): Promise<void> {
	const key = await combineShares(texts);
	try {
		if (!(await createRootKeyFile(file, key)))
			throw new RootKeyError(`file ${file}: it exists, and no key is overwritten`);
	} finally {
		key.fill(0);
	}
}
