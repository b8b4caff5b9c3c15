// Mounts a file system in memory over a folder. It is small, so that a test can fill it.

import { execFileSync } from 'node:child_process';
import type { ExecutionContext } from 'ava';

/** Returns why this machine cannot have a small disk, or undefined if it can. */
export function whyNoSmallDisk(): string | undefined {
	if (process.platform !== 'linux') return 'a file system of a stated size is mounted on Linux alone';
	if (process.getuid?.() !== 0) return 'only root may mount a file system';
	return undefined;
}

/**
 * Mounts the file system until the test ends. Returns why it could not, for example in a container without the right to
 * mount.
 */
export function mountSmallDisk(t: ExecutionContext, folder: string, mebibytes: number): string | undefined {
	const missing = whyNoSmallDisk();
	if (missing !== undefined) return missing;
	try {
		execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0700`, 'tmpfs', folder], { stdio: 'pipe' });
	} catch (error) {
		return `mounting is not allowed here: ${(error as Error).message}`;
	}
	// Unmounts lazily, because the daemon that still uses it is ended by a later teardown.
	t.teardown(() => void execFileSync('umount', ['-l', folder]));
	return undefined;
}
