import { userInfo } from 'node:os';

/** Returns the operating system's user of this process; a user without a name (any id in a container) has a number. */
export function systemUser(): string {
	try {
		return userInfo().username;
	} catch {
		return String(process.getuid?.() ?? 'unknown');
	}
}
