// A file system of its own that is soon full: memory, mounted over a folder.

import { execFileSync } from 'node:child_process';
import type { ExecutionContext } from 'ava';

/** Why there is none on this machine; undefined where there may be. */
export function whyNoSmallDisk(): string | undefined {
	if (process.platform !== 'linux') return 'a file system of a stated size is mounted on Linux alone';
	if (process.getuid?.() !== 0) return 'only root may mount a file system';
	return undefined;
}

/** Mounts it until the test ends. Says why it could not, as in a container without the right to. */
export function mountSmallDisk(t: ExecutionContext, folder: string, mebibytes: number): string | undefined {
	const missing = whyNoSmallDisk();
	if (missing !== undefined) return missing;
	try {
		execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0700`, 'tmpfs', folder], { stdio: 'pipe' });
	} catch (error) {
		return `mounting is not allowed here: ${(error as Error).message}`;
	}
	// Lazily, since the daemon that uses it is ended by a later teardown.
	t.teardown(() => void execFileSync('umount', ['-l', folder]));
	return undefined;
}
