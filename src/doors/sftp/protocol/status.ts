import { findOutage } from '../../../base/blobs/outages.ts';
import { ServiceError } from '../../../base/errors.ts';
import { TreeError, type TreeFailure } from '../../../work/folders/tree.ts';
import { MalformedPacket } from './byte-reader.ts';
import { type StatusCode, statusCode } from './packet.ts';
import { RefusedPath } from './path.ts';

export interface Status {
	readonly code: StatusCode;
	/** The text for the client, which most clients show. */
	readonly message: string;
}

const codes = {
	'no-such-file': statusCode.noSuchFile,
	'permission-denied': statusCode.permissionDenied,
	failure: statusCode.failure,
	unsupported: statusCode.unsupported,
	// Version 3 has no code for a full disk, so the message names the cause.
	'out-of-space': statusCode.failure,
} as const satisfies Record<TreeFailure, StatusCode>;

/** The status of a request that may succeed later without any change, where HTTP answers 503. */
export const UNAVAILABLE: Status = { code: statusCode.failure, message: 'temporarily unavailable, try again' };

/**
 * Returns the status with which a failed request is answered. It is null if the error is a bug of this service, because
 * the client does not get the text of such an error.
 */
export function findStatus(error: unknown): Status | null {
	if (error instanceof TreeError) return { code: codes[error.failure], message: error.message };
	if (error instanceof RefusedPath) return { code: statusCode.failure, message: error.message };
	if (error instanceof MalformedPacket) return { code: statusCode.badMessage, message: error.message };
	const isOutage = error instanceof ServiceError ? error.retryable : findOutage(error) !== undefined;
	return isOutage ? UNAVAILABLE : null;
}
