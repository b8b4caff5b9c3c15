import type { RootKey } from '../root-key.ts';
import { localRootKey, parseKeyMaterial } from './local.ts';

/** The root key out of a variable, for platforms that hand secrets over so. `text` as in `parseKeyMaterial`. */
export function openEnvRootKey(text: string, variable = 'TOKENDROP_MASTER_KEY'): RootKey {
	const description = `variable ${variable}`;
	return localRootKey(parseKeyMaterial(text, description), description);
}
