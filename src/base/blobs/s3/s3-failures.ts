// Says why S3 refused a call, and whether the same call may succeed a moment later.

import type { OutboundAnswer } from '../../outbound/http-client.ts';
import { findText } from './s3-answers.ts';

/** These answers mean that the server is busy or is being restarted. */
const PASSING_STATUS = new Set([429, 500, 502, 503, 504]);
/** The server gave up waiting for the body. */
const PASSING_CODE = new Set(['RequestTimeout', 'SlowDown', 'OperationAborted']);
const FULL_CODE = new Set(['QuotaExceeded', 'InsufficientStorage', 'XMinioStorageFull']);

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

export interface Refusal {
	readonly status: number;
	/** The code of S3, for example `SlowDown`; empty if the answer has none. */
	readonly code: string;
	/** True if the same call may succeed a moment later. */
	readonly isPassing: boolean;
	/** True if the bucket takes no more bytes. */
	readonly isFull: boolean;
	/** What happened, in a sentence without a subject. */
	readonly says: string;
}

/** Returns why a call was refused; undefined if it was not. */
export function findRefusal({ status, body }: OutboundAnswer): Refusal | undefined {
	// S3 may find out that it cannot put an object together when it has begun to answer with 200. A part of an object, with
	// its 206, is never read as an error.
	const xml = status !== 206 ? body.toString('latin1', 0, 4096) : '';
	const isError = /^(?:<\?xml[^>]*>\s*)?<Error[ >]/.test(xml);
	if (status < 300 && !isError) return undefined;
	const code = isError ? (/^\w{1,64}$/.exec(findText(xml, 'Code') ?? '')?.[0] ?? '') : '';
	return {
		status,
		code,
		isPassing: (isError && status < 300) || PASSING_STATUS.has(status) || PASSING_CODE.has(code),
		isFull: status === 507 || FULL_CODE.has(code),
		says: code === 'RequestTimeTooSkewed' ? saysSkew(xml) : saysCode(status, code),
	};
}

function saysCode(status: number, code: string): string {
	const hint = HINTS[code];
	return `answered ${status}${code && ` ${code}`}${hint === undefined ? '' : `: ${hint}`}`;
}

function saysSkew(xml: string): string {
	const there = /^[\dTZ:.-]{1,40}$/.exec(findText(xml, 'ServerTime') ?? '')?.[0];
	const times = `here it is ${new Date().toISOString()}${there === undefined ? '' : `, there ${there}`}`;
	return `refused a call because its clock and the one of this machine differ too much (RequestTimeTooSkewed): ${times}`;
}
