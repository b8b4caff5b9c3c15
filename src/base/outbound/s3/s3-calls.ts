// Sends signed calls to a bucket of S3. Those that may succeed a moment later are repeated, which none of them minds.

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { badInput, ServiceError } from '../../errors.ts';
import type { BucketAddress } from '../../settings/drop-settings.ts';
import type { Secret } from '../../settings/secret.ts';
import type { HeaderPair } from '../headers.ts';
import { type OutboundAnswer, type OutboundClient, openOutboundClient } from '../http-client.ts';
import { encodeStrictly, signV4, UNSIGNED_PAYLOAD } from '../sigv4.ts';
import { findRefusal, type Refusal } from './s3-answers.ts';

export interface S3Place extends BucketAddress {
	readonly accessKeyId: string;
	readonly secretKey: Secret;
	/** The authorities whose certificates are accepted, in PEM; absent for those that Node ships. */
	readonly authorities?: string;
}

/** Makes the errors that the user of a bucket wants. */
export interface S3Errors {
	refused(refusal: Refusal): Error;
	/** Returns the error for a call without an answer; `why` is a sentence of ours. */
	away(why: string, cause?: unknown): Error;
}

export interface S3Access {
	/** True if the server may be in a private network, because the operator has named it. */
	readonly allowPrivate: boolean;
	readonly errors: S3Errors;
}

/** One call has this long, or longer for a large body, so that it passes over a line of one megabit a second. */
const DEADLINE_MS = 60_000;
const SLOWEST_BYTES_A_MS = 125;
/** Where somebody waits for the answer and nothing is repeated, a call has only this long. */
const SHORT_DEADLINE_MS = 5_000;
/** Calls are repeated for this long. */
const PATIENCE_MS = 20_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 3_000;
const MOST_CALLS = 256;
const MOST_ANSWER_BYTES = 16 * 1024 * 1024;

/** A URL loses folders of these names, and would then lead to another object. */
const DOTS = /(?:^|\/)\.{1,2}(?:\/|$)/;

export interface S3Call {
	readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
	/** The name of the object, without the prefix; absent for calls about the bucket. */
	readonly name?: string;
	readonly query?: readonly HeaderPair[];
	readonly headers?: readonly HeaderPair[];
	readonly body?: Buffer;
	readonly patienceMs?: number;
	readonly deadlineMs?: number;
}

/** What came of a call: the answer, or the refusal that it is; `tries` is how often it was sent. */
export interface S3Outcome {
	readonly answer: OutboundAnswer;
	readonly refusal: Refusal | undefined;
	readonly tries: number;
}

/** Signs calls to the folder of one bucket, sends them, and repeats those that may pass. */
export function s3Calls(place: S3Place, { allowPrivate, errors }: S3Access) {
	const { prefix, accessKeyId, secretKey, region, authorities } = place;
	const bucketUrl = `${place.endpoint}/${encodeStrictly(place.bucket)}`;
	const isTls = place.endpoint.startsWith('https:');
	const tls = authorities === undefined ? undefined : { authorities };
	const closing = new AbortController();
	const { signal } = closing;
	let client: OutboundClient | undefined;
	/** True from a call for which there was not enough patience until one that is answered: meanwhile nothing is repeated. */
	let isAway = false;

	/** Returns the name of an object with the prefix, as it stands in a URL. */
	const encoded = (name: string): string => (prefix + name).split('/').map(encodeStrictly).join('/');
	const sendOnce = (call: S3Call): Promise<OutboundAnswer> => {
		const { method, name, query = [], headers = [], body, patienceMs, deadlineMs } = call;
		const path = name === undefined ? '' : `/${encoded(name)}`;
		const search = query.map(([key, value]) => `${key}=${encodeStrictly(value)}`).join('&');
		const url = new URL(`${bucketUrl}${path}${search && `?${search}`}`);
		const payload = isTls ? UNSIGNED_PAYLOAD : sha256(body);
		// The call is signed for each try, because a signature holds only for some minutes.
		const key = { accessKeyId, secretKey, region, service: 's3' };
		const withinMs =
			deadlineMs ??
			(patienceMs === 0 ? SHORT_DEADLINE_MS : Math.max(DEADLINE_MS, (body?.length ?? 0) / SLOWEST_BYTES_A_MS));
		client ??= openOutboundClient({ allowPrivate, maxInFlight: MOST_CALLS });
		return client.call({
			url,
			method,
			headers: signV4({ method, url, headers, payload }, key, new Date()),
			body: body ?? null,
			tls,
			deadlineAt: performance.now() + withinMs,
			maxAnswerBytes: MOST_ANSWER_BYTES,
			isRaw: true,
		});
	};
	const away = (error: unknown): Error => {
		const { said, reason } = (error ?? {}) as Partial<ServiceError>;
		return errors.away(said?.problem ?? said?.moreInfo ?? reason ?? 'the call failed', error);
	};
	return {
		signal,
		/** Ends all calls, and makes no more. It may be called twice. */
		close(): void {
			closing.abort();
			void client?.close();
		},
		/**
		 * Sends a call until it succeeds or is refused for good, as long as there is patience. All calls can be repeated: objects
		 * have names or marks of their own.
		 * @throws the user's error if there is no answer
		 */
		async send(call: S3Call): Promise<S3Outcome> {
			if (call.name !== undefined && DOTS.test(prefix + call.name)) {
				throw badInput('fileName', 'has . or .. in the place of a folder');
			}
			const until = performance.now() + (isAway ? 0 : (call.patienceMs ?? PATIENCE_MS));
			for (let tries = 1; ; tries++) {
				const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1)) * (0.5 + Math.random());
				const isLast = performance.now() + waitMs >= until;
				if (isLast && call.patienceMs === undefined) isAway = true;
				try {
					const answer = await sendOnce(call);
					const refusal = findRefusal(answer);
					if (!refusal?.isPassing) isAway = false;
					if (!refusal?.isPassing || isLast) return { answer, refusal, tries };
				} catch (error) {
					if (isLast || signal.aborted || !mayPass(error)) throw away(error);
				}
				await sleep(waitMs, undefined, { signal }).catch((error) => {
					throw away(error);
				});
			}
		},
		encoded,
	};
}

/** Tells whether a call may succeed a moment later. One that we do not send, or not to this address, will not. */
function mayPass(error: unknown): boolean {
	return error instanceof ServiceError && error.reason !== 'bad-input-data';
}

function sha256(body: Buffer = Buffer.alloc(0)): string {
	return createHash('sha256').update(body).digest('hex');
}
