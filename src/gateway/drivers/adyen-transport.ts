// How Adyen Checkout is asked: a handful of documents as JSON, over our way to providers. Adyen's own library would be 35 MB
// on disk and 58 MB in memory for these calls, with a transport that follows redirects.

import { callProvider, type ProviderLimits, rebased } from './provider-http.ts';

/** The version of Checkout whose documents are sent: docs.adyen.com/api-explorer/Checkout/72. */
const VERSION = 'v72';

/** Adyen answered with a status other than 2xx. Holds what the body says of the error, nothing of the request. */
export class AdyenRefusal extends Error {
	override readonly name = 'AdyenRefusal';
	readonly status: number;
	readonly code: string | null;
	readonly reason: string | null;
	/** Trying the very same again may help. */
	readonly isTransient: boolean;

	constructor(status: number, body: Record<string, unknown>, isTransient: boolean) {
		super('refused by Adyen');
		this.status = status;
		this.code = typeof body.errorCode === 'string' ? body.errorCode : null;
		this.reason = typeof body.message === 'string' ? body.message : null;
		this.isTransient = isTransient;
	}
}

/** Posts a document of an operation and gives the answer's. @throws AdyenRefusal, NotSentError, NoAnswerError */
export type AskAdyen = <Answer>(path: `/${string}`, document: object) => Promise<Answer>;

/** A way to ask for one account at Adyen, for one operation, which takes effect once under its key. */
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
