// Opens the bucket in which an installation keeps its sealed files. Its failures are those of a store of blobs.

import { refusalText } from '../../outbound/s3/s3-answers.ts';
import { S3Bucket } from '../../outbound/s3/s3-bucket.ts';
import type { S3Place } from '../../outbound/s3/s3-calls.ts';
import { OutOfSpaceError, StoreAwayError } from '../blob-store.ts';

/** What the reader of an error can do about it, by the code of S3. */
const HINTS: Readonly<Record<string, string>> = {
	InvalidAccessKeyId: 'it does not know drops.accessKeyId',
	SignatureDoesNotMatch:
		'the key in drops.secretKeyFile is not that of drops.accessKeyId, or the region is another one',
	AuthorizationHeaderMalformed: 'its region is another one than the one in drops.store',
	AccessDenied: 'drops.accessKeyId may not do this in the bucket',
	NoSuchBucket: 'there is no such bucket',
	PermanentRedirect: 'the bucket is at another endpoint',
};

/** Opens the bucket of the drop store. Calls throw StoreAwayError and OutOfSpaceError. */
export function dropBucket(place: S3Place): S3Bucket {
	const name = `the drop store ${place.endpoint}/${place.bucket}`;
	return new S3Bucket(place, {
		// The operator has named the endpoint, so it may be in a private network.
		allowPrivate: true,
		errors: {
			refused(refusal) {
				const says = `${name} ${refusalText(refusal, HINTS)}`;
				return refusal.isFull ? new OutOfSpaceError(says) : new StoreAwayError(says);
			},
			away: (why, cause) => new StoreAwayError(`${name} cannot be reached: ${why}`, { cause }),
		},
	});
}
