// Opens the root key of the provider that the settings name.

import type { Settings } from '../../settings/settings.ts';
import { type RootKey, RootKeyError } from '../root-key.ts';
import { fixedCredentials, parseCredentials } from './aws-credentials.ts';
import { openKmsRootKey } from './aws-kms.ts';
import { openFileRootKey } from './file.ts';
import { localRootKey, parseKeyMaterial } from './local.ts';
import { openPkcs11RootKey } from './pkcs11/pkcs11.ts';
import { openTransitRootKey } from './transit.ts';
import { fixedLogin } from './transit-login.ts';

export type RootKeySettings = Pick<Settings, 'keys' | 'masterKeyFile'>;
export type Provider = Settings['keys']['provider'];

/**
 * Opens the root key. A key service is asked for the first time when something is wrapped or unwrapped.
 * @throws RootKeyError if a file cannot be read or holds no key
 */
export function openRootKey({ keys, masterKeyFile }: RootKeySettings, provider: Provider = keys.provider): RootKey {
	if (provider === 'pkcs11') return openPkcs11RootKey(keys.pkcs11);
	if (provider === 'aws-kms') return openKmsRootKey(keys.awsKms);
	if (provider === 'transit') return openTransitRootKey(keys.transit);
	if (provider === 'file') return openFileRootKey(masterKeyFile);
	if (keys.masterKey === null) throw new RootKeyError('the variable of the master key is not set');
	return openEnvRootKey(keys.masterKey.reveal());
}

/**
 * Opens the root key with what a person gave on standard input: the master key itself, or what a key service asks for, which is a
 * PIN, a token, or credentials of AWS.
 */
export function openRootKeyWith({ keys }: RootKeySettings, proof: string): RootKey {
	const { provider } = keys;
	if (provider === 'pkcs11') return openPkcs11RootKey(keys.pkcs11, proof.trim());
	if (provider === 'aws-kms') return openKmsRootKey(keys.awsKms, fixedCredentials(parseCredentials(proof)));
	if (provider === 'transit') return openTransitRootKey(keys.transit, fixedLogin(proof));
	const description = 'standard input';
	return localRootKey(parseKeyMaterial(proof, description), description);
}

/**
 * Reads the root key from an environment variable, for platforms that provide secrets that way. `text` is the value of
 * the variable, in a form that `parseKeyMaterial` reads.
 */
export function openEnvRootKey(text: string, variable = 'TOKENDROP_MASTER_KEY'): RootKey {
	const description = `variable ${variable}`;
	return localRootKey(parseKeyMaterial(text, description), description);
}
