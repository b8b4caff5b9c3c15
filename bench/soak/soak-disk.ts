// Gives a daemon a disk of its own: a file system in a file, mounted through a loop device. Such a disk can be full, and it
// can lose its power: whatever the kernel has not been told to sync is then not in the file.

import { execFileSync } from 'node:child_process';
import { closeSync, cpSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Teardown } from '../../test/helpers/daemon.ts';

const DISK_BYTES = 512 * 1024 * 1024;

export interface SoakDisk {
	/** Makes durable what the preparation of the installation has written without syncing it. */
	sync(): void;
	/** Fills the disk to the last byte, and returns a function that frees it again. */
	fill(): () => void;
	/** Takes the power away: the folder then has what was synced. No process may use the folder meanwhile. */
	losePower(): void;
}

/**
 * Mounts a disk over an empty folder, until the teardown. Returns the reason if this machine cannot have one, for example
 * because the caller is not root or because there are no loop devices.
 */
export function mountSoakDisk(t: Teardown, folder: string, files: string): SoakDisk | string {
	let lives = 0;
	let image = join(files, `disk-${lives}.img`);
	const run = (program: string, ...args: string[]) => execFileSync(program, args, { stdio: 'pipe' });
	const mount = () => run('mount', '-o', 'loop', image, folder);
	try {
		const file = openSync(image, 'w', 0o600);
		ftruncateSync(file, DISK_BYTES);
		closeSync(file);
		run('mkfs.ext4', '-q', '-F', image);
		mount();
	} catch (error) {
		rmSync(image, { force: true });
		return `no disk of its own: ${(error as Error).message.split('\n')[0]}`;
	}
	const unmount = () => run('umount', '-l', folder);
	t.teardown(() => {
		unmount();
		rmSync(image, { force: true });
	});
	return {
		sync: () => void run('sync', '-f', folder),
		fill() {
			const ballast = join(folder, 'ballast');
			const file = openSync(ballast, 'w');
			// The last bytes are taken in small pieces, because a large piece that does not fit would leave them free.
			for (const bytes of [1024 * 1024, 4096]) {
				const piece = Buffer.alloc(bytes, 1);
				try {
					while (true) writeSync(file, piece);
				} catch (error) {
					if ((error as { code?: string }).code !== 'ENOSPC') throw error;
				}
			}
			closeSync(file);
			return () => rmSync(ballast, { force: true });
		},
		losePower() {
			const before = image;
			image = join(files, `disk-${++lives}.img`);
			// The image is copied before the file system is unmounted, because unmounting would write what was not synced.
			cpSync(before, image);
			unmount();
			mount();
			rmSync(before, { force: true });
		},
	};
}
