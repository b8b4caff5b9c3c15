// Adyen's library over our way to providers: its own follows redirects, and takes a base address only in parts.

import clientModule from '@adyen/api-library/lib/src/client.js';
import type { IRequest } from '@adyen/api-library/lib/src/typings/requestOptions.js';
import { callProvider, type ProviderLimits, rebased } from './provider-http.ts';

const { default: Client } = clientModule;

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

/** A client of one company account at Adyen, for one operation. */
export function adyenClient(apiKey: string, limits: ProviderLimits): InstanceType<typeof Client> {
	const request = async (
		endpoint: string,
		json: string | Buffer,
		_config: unknown,
		_: boolean,
		options?: IRequest.Options,
	) => {
		const { base, deadlineAt, signal } = limits;
		const { pathname, search } = new URL(endpoint);
		const headers = {
			'content-type': 'application/json',
			accept: 'application/json',
			'x-api-key': apiKey,
			...(options?.idempotencyKey !== undefined && { 'idempotency-key': options.idempotencyKey }),
		};
		const method = options?.method ?? 'POST';
		const url = rebased(base, pathname + search);
		const answer = await callProvider({ url, method, headers, body: json, deadlineAt, signal });
		const text = answer.text ?? '{}';
		if (answer.status >= 200 && answer.status < 300) return text;
		throw new AdyenRefusal(answer.status, JSON.parse(text), answer.headers['transient-error'] === 'true');
	};
	// The environment decides the library's own addresses, which are put under ours.
	return new Client({ apiKey, environment: 'TEST' } as never, { request } as never);
}
