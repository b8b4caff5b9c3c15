// Sends one event to a receiver, once.

import type { Clock } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import { type Why, why } from '../../base/failures.ts';
import type { OutboundClient } from '../../base/outbound/http-client.ts';
import { retryAfterMs } from './retry-times.ts';
import { signedHeaders } from './signature.ts';

export interface CallEnd {
	/**
	 * `gone`: the receiver wants nothing any more (410). `not-sent`: we make too many calls at this moment, which is not the
	 * receiver's fault.
	 */
	readonly outcome: 'sent' | 'failed' | 'gone' | 'not-sent';
	readonly status: number | null;
	/** Why it was not received; null if it was. */
	readonly failure: Why | null;
	/** For how long the receiver has asked to be left alone. */
	readonly askedMs: number | undefined;
	/** Whether the receiver did not answer at all, or said that it is overloaded, so that others would fail too. */
	readonly isDown: boolean;
}

const ANSWER_MS = 15_000;
/** The answer is not used, and its length is no reason to call a delivery failed. */
const MAX_ANSWER_BYTES = 1_048_576;
const GONE = 410;
/** With these a receiver says that it cannot take anything now. */
const OVERLOADED = new Set([429, 502, 503, 504]);

function refusalOf(status: number): Why {
	const reason = `the receiver answered ${status}`;
	return status === GONE ? why(reason, 'receiver-gone') : why(reason, 'receiver-refused', { status });
}

/** Sends an event. Only an answer 2xx counts as received; a redirect is a failure. It never throws. */
export async function callEndpoint(
	{ outbound, clock }: { readonly outbound: Pick<OutboundClient, 'call'>; readonly clock: Clock },
	{ url, secrets }: { readonly url: URL; readonly secrets: readonly string[] },
	{ id, body }: { readonly id: string; readonly body: string },
): Promise<CallEnd> {
	const atMs = clock.now().getTime();
	const headers = { 'content-type': 'application/json', ...signedHeaders(secrets, { id, atMs, body }) };
	try {
		const answer = await outbound.call({
			url,
			method: 'POST',
			headers: Object.entries(headers).flat(),
			body: Buffer.from(body),
			maxAnswerBytes: MAX_ANSWER_BYTES,
			deadlineAt: performance.now() + ANSWER_MS,
		});
		const { status } = answer;
		if (status >= 200 && status < 300) {
			return { outcome: 'sent', status, failure: null, askedMs: undefined, isDown: false };
		}
		const asked = answer.headers.find(([name]) => name === 'retry-after')?.[1];
		return {
			outcome: status === GONE ? 'gone' : 'failed',
			status,
			failure: refusalOf(status),
			askedMs: retryAfterMs(asked, clock.now().getTime()),
			isDown: OVERLOADED.has(status),
		};
	} catch (error) {
		const known = error instanceof ServiceError ? error : undefined;
		const isOurs = known?.reason === 'too-many-calls' || known?.reason === 'too-many-calls-of-account';
		const failure = known
			? { reason: known.moreInfo ?? known.message, told: known.told }
			: why('the call failed', 'system-error');
		return { outcome: isOurs ? 'not-sent' : 'failed', status: null, failure, askedMs: undefined, isDown: true };
	}
}
