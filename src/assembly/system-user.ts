import { userInfo } from 'node:os';

/** Who runs this process, as the operating system has it; a user without a name (any id in a container) has a number. */
export function systemUser(): string {
	try {
		return userInfo().username;
	} catch {
		return String(process.getuid?.() ?? 'unknown');
	}
}
