import { readFileSync, statSync } from 'node:fs';
import { RootKeyError } from '../root-key.ts';

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
