// Sends a few JSON documents to Adyen Checkout over our own transport. Adyen's library would take 35 MB on disk and 58
// MB in memory for these calls, and its transport follows redirects.

import { callProvider, type ProviderLimits, rebased } from './provider-http.ts';

/** The version of Checkout that we use: docs.adyen.com/api-explorer/Checkout/72. */
const VERSION = 'v72';

/**
 * This error is thrown if Adyen answered with a status other than 2xx. The error contains what the body says about it
 * and nothing of the request.
 */
export class AdyenRefusal extends Error {
	override readonly name = 'AdyenRefusal';
	readonly status: number;
	readonly code: string | null;
	readonly reason: string | null;
	/** True if the same request may succeed when it is sent again. */
	readonly isTransient: boolean;

	constructor(status: number, body: Record<string, unknown>, isTransient: boolean) {
		super('refused by Adyen');
		this.status = status;
		this.code = typeof body.errorCode === 'string' ? body.errorCode : null;
		this.reason = typeof body.message === 'string' ? body.message : null;
		this.isTransient = isTransient;
	}
}

/**
 * Posts the document of an operation and returns the answer.
 * @throws AdyenRefusal, NotSentError, NoAnswerError
 */
export type AskAdyen = <Answer>(path: `/${string}`, document: object) => Promise<Answer>;

/** Posts for one account and operation, which Adyen carries out once because of the idempotency key. */
export function adyenClient(
	{ apiKey, idempotencyKey }: { readonly apiKey: string; readonly idempotencyKey: string },
	{ base, deadlineAt, signal }: ProviderLimits,
): AskAdyen {
	return async <Answer>(path: string, document: object): Promise<Answer> => {
		const headers = {
			'content-type': 'application/json',
			accept: 'application/json',
			'x-api-key': apiKey,
			'idempotency-key': idempotencyKey,
		};
		const url = rebased(base, `/${VERSION}${path}`);
		const call = { url, method: 'POST', headers, body: JSON.stringify(document), deadlineAt, signal };
		const { status, text = '{}', headers: told } = await callProvider(call);
		const answer = JSON.parse(text);
		if (status >= 200 && status < 300) return answer;
		throw new AdyenRefusal(status, answer ?? {}, told['transient-error'] === 'true');
	};
}
