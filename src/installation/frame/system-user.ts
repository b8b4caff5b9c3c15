import { userInfo } from 'node:os';

/**
 * Returns the name of the operating system user of this process, or the number of a user without a name, as in some
 * containers.
 */
export function systemUser(): string {
	try {
		return userInfo().username;
	} catch {
		return String(process.getuid?.() ?? 'unknown');
	}
}
