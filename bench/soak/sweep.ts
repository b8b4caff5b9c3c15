// Looks for clear card numbers in everything that is kept: files on disks, and objects in a bucket.

import { spawnSync } from 'node:child_process';
import { dropBucket } from '../../src/base/blobs/s3/drop-bucket.ts';
import type { S3Place } from '../../src/base/outbound/s3/s3-calls.ts';
import { VISA } from '../../test/helpers/card-calls.ts';

const AT_ONCE = 8 * 1024 * 1024;

/** Returns the files below the folders that hold a number of the load. */
export function sweepFolders(folders: readonly string[]): string[] {
	// A program does it, because the logs of a database are large. Files may vanish meanwhile, which ends it with 2.
	const { status, stdout } = spawnSync('grep', ['-rlasF', '--', VISA, ...folders], { encoding: 'utf8' });
	if (status === null) throw new Error('grep did not run');
	return stdout.split('\n').filter((path) => path !== '');
}

/** Returns a function that names the objects with a number of the load. It reads each object once, as none is changed. */
export function bucketSweeper(place: S3Place): () => Promise<string[]> {
	const bucket = dropBucket(place);
	const seen = new Set<string>();
	return async () => {
		const leaks: string[] = [];
		for await (const { name, size } of bucket.list()) {
			if (seen.has(name)) continue;
			seen.add(name);
			for (let at = 0; at < size; at += AT_ONCE) {
				// The ranges overlap, so that a number at their border is found.
				const bytes = await bucket.get(name, at, AT_ONCE + VISA.length);
				if (bytes?.includes(VISA)) leaks.push(`object ${name}`);
			}
		}
		return leaks;
	};
}
