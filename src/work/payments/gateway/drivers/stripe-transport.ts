// Runs Stripe's library over our own transport, because the library's own transport repeats a request once when a
// connection closes and prints notices of the server.

import Stripe from 'stripe';
import { callProvider, type ProviderAnswer, type ProviderLimits, rebased } from './provider-http.ts';

export function stripeClient(secretKey: string, limits: ProviderLimits): Stripe {
	const { base } = limits;
	return new Stripe(secretKey, {
		host: base.hostname,
		port: base.port || (base.protocol === 'http:' ? 80 : 443),
		protocol: base.protocol === 'http:' ? 'http' : 'https',
		httpClient: new Transport(limits),
		maxNetworkRetries: 0,
		telemetry: false,
	});
}

type MakeRequest = InstanceType<typeof Stripe.HttpClient>['makeRequest'];

class Transport extends Stripe.HttpClient {
	readonly #limits: ProviderLimits;

	constructor(limits: ProviderLimits) {
		super();
		this.#limits = limits;
	}

	override getClientName(): string {
		return 'node';
	}

	override async makeRequest(...request: Parameters<MakeRequest>): ReturnType<MakeRequest> {
		const [, , path, method, headers, body] = request;
		const { base, deadlineAt, signal } = this.#limits;
		const url = rebased(base, path);
		return new Answer(await callProvider({ url, method, headers, body, deadlineAt, signal }));
	}
}

class Answer extends Stripe.HttpClientResponse {
	readonly #answer: ProviderAnswer;

	constructor(answer: ProviderAnswer) {
		const { 'stripe-notice': _, ...headers } = answer.headers;
		super(answer.status, headers as never);
		this.#answer = answer;
	}

	override getRawResponse(): unknown {
		return {};
	}

	override async toJSON(): Promise<unknown> {
		return JSON.parse(this.#answer.text ?? '{}');
	}
}
