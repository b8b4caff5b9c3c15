import type { RootKey } from '../root-key.ts';
import { localRootKey, parseKeyMaterial } from './local.ts';

/**
 * Reads the root key from an environment variable, for platforms that provide secrets that way. `text` is the value of
 * the variable, in a form that `parseKeyMaterial` reads.
 */
export function openEnvRootKey(text: string, variable = 'TOKENDROP_MASTER_KEY'): RootKey {
	const description = `variable ${variable}`;
	return localRootKey(parseKeyMaterial(text, description), description);
}
