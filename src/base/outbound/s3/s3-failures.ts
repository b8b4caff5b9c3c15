// Says why S3 refused a call, and whether the same call may succeed a moment later.

import type { OutboundAnswer } from '../http-client.ts';
import { findText } from './s3-answers.ts';

/** These answers mean that the server is busy or is being restarted. */
const PASSING_STATUS = new Set([429, 500, 502, 503, 504]);
/** The server gave up waiting for the body. */
const PASSING_CODE = new Set(['RequestTimeout', 'SlowDown', 'OperationAborted', 'ConditionalRequestConflict']);
export const TOO_SKEWED = 'RequestTimeTooSkewed';
const FULL_CODE = new Set(['QuotaExceeded', 'InsufficientStorage', 'XMinioStorageFull']);

export interface Refusal {
	readonly status: number;
	/** The code of S3, for example `SlowDown`; empty if the answer has none. */
	readonly code: string;
	/** True if the same call may succeed a moment later. */
	readonly isPassing: boolean;
	/** True if the bucket takes no more bytes. */
	readonly isFull: boolean;
	/** For a clock that differs too much, the time there as the server tells it. */
	readonly serverTime?: string;
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
		...(code === TOO_SKEWED && { serverTime: /^[\dT:.Z-]{1,40}$/.exec(findText(xml, 'ServerTime') ?? '')?.[0] }),
	};
}

/**
 * Says what happened, in a sentence without a subject. `hints` tell the reader what to do about it, by the code of S3.
 */
export function refusalText({ status, code, serverTime }: Refusal, hints: Readonly<Record<string, string>>): string {
	if (code === TOO_SKEWED) {
		const times = `here it is ${new Date().toISOString()}${serverTime === undefined ? '' : `, there ${serverTime}`}`;
		return `refused a call because its clock and the one of this machine differ too much (${TOO_SKEWED}): ${times}`;
	}
	const hint = hints[code];
	return `answered ${status}${code && ` ${code}`}${hint === undefined ? '' : `: ${hint}`}`;
}
