// Reads an object of a partner's bucket once, from beginning to end. It comes in ranges, each of the same version.

import type { ServiceError } from '../../errors.ts';
import { giveBack } from '../../threads/buffer-memory.ts';
import { noPartnerFile, partnerFileChanged } from '../sftp/sftp-failures.ts';
import { ObjectChangedError, type S3Bucket, type S3Range } from './s3-bucket.ts';

const RANGE_BYTES = 2 * 1024 * 1024;

/**
 * Yields the bytes of an object. A piece is valid until the next one is requested; the next range comes meanwhile.
 * @throws ServiceError if there is no such object, or if it was replaced or removed while it was read
 */
export async function* readObject(bucket: S3Bucket, name: string, rangeBytes = RANGE_BYTES): AsyncGenerator<Buffer> {
	const first = await bucket.getRange(name, 0, rangeBytes);
	if (first === undefined) throw noPartnerFile();
	const { size, tag } = first;
	let ahead: Promise<S3Range | undefined> | undefined;
	try {
		for (let range: S3Range | undefined = first, position = 0; range.bytes.length > 0; ) {
			position += range.bytes.length;
			ahead = position < size ? bucket.getRange(name, position, rangeBytes, tag) : undefined;
			// A failure is thrown where the range is awaited.
			ahead?.catch(() => {});
			yield range.bytes;
			clear(range);
			if (ahead === undefined) {
				if (position === size) return;
				throw changed();
			}
			range = await ahead;
			ahead = undefined;
			if (range === undefined) throw changed();
		}
		if (size > 0) throw changed();
	} catch (error) {
		throw error instanceof ObjectChangedError ? changed(error) : error;
	} finally {
		void ahead?.then((range) => range && clear(range)).catch(() => {});
	}
}

function clear({ bytes }: S3Range): void {
	giveBack(bytes.fill(0));
}

function changed(cause?: unknown): ServiceError {
	return partnerFileChanged('read', cause);
}
