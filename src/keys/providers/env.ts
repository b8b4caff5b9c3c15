import type { RootKey } from '../root-key.ts';
import { localRootKey, parseKeyMaterial } from './local.ts';

/**
 * Reads the root key from a variable, for platforms that provide secrets that way. `text` is as in `parseKeyMaterial`.
 */
export function openEnvRootKey(text: string, variable = 'TOKENDROP_MASTER_KEY'): RootKey {
	const description = `variable ${variable}`;
	return localRootKey(parseKeyMaterial(text, description), description);
}
