// Opens a folder of a partner's bucket. Its failures are those of a partner's server, and none has a text of the server.

import { ServiceError } from '../../errors.ts';
import { LoginRefusedError, partnerFailure, partnerTimeout } from '../sftp/sftp-failures.ts';
import { type Refusal, TOO_SKEWED } from './s3-answers.ts';
import { S3Bucket } from './s3-bucket.ts';
import type { S3Access, S3Errors, S3Place } from './s3-calls.ts';

/** Describes a third party's bucket, and the credentials for it. */
export type S3Partner = Omit<S3Place, 'prefix' | 'authorities'>;

const LOGIN_MS = 20_000;

/** Refusals of a key, whatever was asked for with it. */
const KEY_REFUSED: Readonly<Record<string, string>> = {
	InvalidAccessKeyId: 'the access key is not known',
	SignatureDoesNotMatch: 'the secret key is not that of the access key, or the region is another one',
};
/** Refusals of what was asked for. They are about this bucket, so other buckets of the host are called all the same. */
const BUCKET_REFUSED: Readonly<Record<string, string>> = {
	AccessDenied: 'the access key may not do this in the bucket',
	AuthorizationHeaderMalformed: 'the bucket is in another region',
	IllegalLocationConstraintException: 'the bucket is in another region',
	NoSuchBucket: 'there is no such bucket',
	PermanentRedirect: 'the bucket is at another endpoint',
};

/**
 * Opens a folder of a bucket, and asks for the first of its names to see whether the key is accepted; the caller closes
 * it.
 * @throws ServiceError, LoginRefusedError
 */
export async function openPartnerBucket(
	partner: S3Partner,
	folder: string,
	{ allowPrivate, signal }: Pick<S3Access, 'allowPrivate'> & { readonly signal?: AbortSignal },
): Promise<S3Bucket> {
	let isLoggedIn = false;
	const place = { ...partner, prefix: prefixOf(folder) };
	const bucket = new S3Bucket(place, { allowPrivate, errors: partnerErrors(() => isLoggedIn) });
	const close = () => bucket.close();
	signal?.addEventListener('abort', close, { once: true });
	try {
		await bucket.probe(LOGIN_MS);
		signal?.throwIfAborted();
	} catch (error) {
		close();
		throw signal?.aborted ? signal.reason : error;
	} finally {
		signal?.removeEventListener('abort', close);
	}
	isLoggedIn = true;
	return bucket;
}

/** Returns the beginning of the names in a folder. A name of S3 begins with no slash, so one in front counts for nothing. */
function prefixOf(folder: string): string {
	const names = folder.split('/').filter((name) => name !== '' && name !== '.');
	return names.map((name) => `${name}/`).join('');
}

function partnerErrors(isLoggedIn: () => boolean): S3Errors {
	return {
		refused: (refusal) => refusedBy(refusal, isLoggedIn()),
		away(why, cause) {
			const reason = cause instanceof ServiceError ? cause.reason : undefined;
			if (reason === 'bad-input-data') return new ServiceError(reason, { field: 'host', problem: why, cause });
			if (reason === 'request-timed-out') return partnerTimeout('no answer within the time that a call may take');
			return partnerFailure('host', why, cause);
		},
	};
}

function refusedBy({ status, code, isPassing, isFull }: Refusal, isLoggedIn: boolean): Error {
	const cause = Object.assign(new Error(`status ${status}`), { code: status });
	if (code in KEY_REFUSED) return new LoginRefusedError(KEY_REFUSED[code], cause);
	if (code === TOO_SKEWED)
		return partnerFailure('host', 'its clock and the one of this machine differ too much', cause);
	if (!isLoggedIn && (status === 401 || status === 403)) {
		return new LoginRefusedError('the access key may not list the bucket', cause);
	}
	if (isFull) return partnerFailure('fileName', 'the bucket takes no more bytes', cause);
	if (isPassing) return partnerFailure('host', 'the server is busy or out of order', cause);
	if (code in BUCKET_REFUSED) return partnerFailure('path', BUCKET_REFUSED[code], cause);
	return partnerFailure('fileName', `the server refused the call with the status ${status}`, cause);
}
