// Imitates the part of Stripe's API that the driver uses, as Stripe's reference describes it: form bodies with nested
// names, a bearer key, Idempotency-Key on every POST, PaymentIntents with their states, refunds and search.

import type { ExecutionContext } from 'ava';
import {
	type Asked,
	type Mode,
	openProviderServer,
	type ProviderServer,
	replays,
	type Said,
} from './provider-server.ts';

export const STRIPE_KEY = 'sk_test_51ForContractTests';

interface Intent {
	readonly id: string;
	readonly object: 'payment_intent';
	status: string;
	readonly amount: number;
	amount_received: number;
	readonly currency: string;
	readonly metadata: Record<string, string>;
	last_payment_error: object | null;
	latest_charge: string | object | null;
}

export interface StripeServer extends ProviderServer {
	readonly intents: readonly Intent[];
	readonly refunds: readonly { readonly amount: number }[];
}

export async function openStripeServer(t: ExecutionContext<unknown>): Promise<StripeServer> {
	const intents: Intent[] = [];
	const refunds: { id: string; amount: number; payment_intent: string; metadata: object; status: string }[] = [];
	const replay = replays();

	const find = (id: string) => intents.find((intent) => intent.id === id);
	const invalid = (code: string, message: string, status = 400): Said => ({
		status,
		body: { error: { type: 'invalid_request_error', code, message } },
	});
	/** Refuses a parameter without an error code, because Stripe gives none for these. */
	const refuse = (param: string, message: string): Said => ({
		status: 400,
		body: { error: { type: 'invalid_request_error', param, message } },
	});
	const shown = (intent: Intent, isExpanded: boolean): Said => {
		const charge = { id: `ch_${intent.id}`, outcome: { seller_message: 'Payment complete.' } };
		const card = { payment_method_details: { card: { authorization_code: '123456' } } };
		const latest_charge = isExpanded ? { ...charge, ...card } : charge.id;
		return { status: 200, body: { ...intent, latest_charge } };
	};

	const create = (form: URLSearchParams, mode: Mode): Said => {
		if (form.get('payment_method_data[card][number]') === null || form.get('confirm') !== 'true') {
			return invalid('parameter_missing', 'Missing required param.');
		}
		if (form.get('error_on_requires_action') !== 'true') return invalid('parameter_missing', 'Missing required param.');
		const number = form.get('payment_method_data[card][number]')!;
		const isManual = form.get('capture_method') === 'manual';
		const intent: Intent = {
			id: `pi_${intents.length + 1}Contract`,
			object: 'payment_intent',
			status: mode === 'decline' ? 'requires_payment_method' : isManual ? 'requires_capture' : 'succeeded',
			amount: Number(form.get('amount')),
			amount_received: isManual || mode === 'decline' ? 0 : Number(form.get('amount')),
			currency: form.get('currency')!,
			metadata: metadataOf(form),
			last_payment_error: null,
			latest_charge: null,
		};
		intents.push(intent);
		if (mode !== 'decline') return shown(intent, true);
		// The message quotes the card that was sent, which no provider should do, so that tests can check that it is masked.
		const message = `Your card ${number} was declined (${form.get('payment_method_data[card][cvc]')}).`;
		const error = { type: 'card_error', code: 'card_declined', decline_code: 'insufficient_funds', message };
		return { status: 402, body: { error: { ...error, payment_intent: intent } } };
	};

	const change = (intent: Intent, action: string, form: URLSearchParams): Said => {
		if (intent.status !== 'requires_capture') {
			return invalid('payment_intent_unexpected_state', `This PaymentIntent could not be ${action}d.`);
		}
		intent.status = action === 'capture' ? 'succeeded' : 'canceled';
		if (action === 'capture') intent.amount_received = Number(form.get('amount_to_capture'));
		Object.assign(intent.metadata, metadataOf(form));
		return shown(intent, form.get('expand[0]') === 'latest_charge');
	};

	const refund = (form: URLSearchParams): Said => {
		const intent = find(form.get('payment_intent') ?? '');
		if (!intent) return invalid('resource_missing', 'No such payment_intent.', 404);
		const done = refunds
			.filter((each) => each.payment_intent === intent.id)
			.reduce((sum, { amount }) => sum + amount, 0);
		const amount = Number(form.get('amount'));
		if (intent.status !== 'succeeded') return refuse('payment_intent', 'No successful charge to refund.');
		if (done === intent.amount_received) return invalid('charge_already_refunded', 'Already refunded.');
		if (done + amount > intent.amount_received) return refuse('amount', 'More than the unrefunded amount.');
		const id = `re_${refunds.length + 1}Contract`;
		refunds.push({ id, amount, payment_intent: intent.id, metadata: metadataOf(form), status: 'succeeded' });
		return { status: 200, body: { object: 'refund', ...refunds.at(-1) } };
	};

	const carryOut = ({ method, path, query, headers, body }: Asked, mode: Mode): Said => {
		if (headers.authorization !== `Bearer ${STRIPE_KEY}`) {
			const message = `Invalid API Key provided: ${headers.authorization?.slice(7)}`;
			return { status: 401, body: { error: { type: 'invalid_request_error', message } } };
		}
		if (mode === 'busy') {
			return {
				status: 429,
				body: { error: { type: 'invalid_request_error', code: 'rate_limit', message: 'Too many.' } },
			};
		}
		if (method === 'GET') return read(path, query);
		if (!String(headers['content-type']).startsWith('application/x-www-form-urlencoded')) {
			return invalid('content_type', 'expected a form');
		}
		if (!headers['idempotency-key']) return invalid('idempotency_key_missing', 'expected a key');
		const form = new URLSearchParams(body);
		return replay(headers['idempotency-key'] as string, () => {
			if (path === '/v1/payment_intents') return create(form, mode);
			if (path === '/v1/refunds') return refund(form);
			const [, id, action] = /^\/v1\/payment_intents\/([^/]+)\/(capture|cancel)$/.exec(path) ?? [];
			const intent = id && find(decodeURIComponent(id));
			return intent ? change(intent, action, form) : invalid('resource_missing', 'No such payment_intent.', 404);
		});
	};

	const read = (path: string, query: URLSearchParams): Said => {
		if (path === '/v1/payment_intents/search') {
			const wanted = /^metadata\['(\w+)'\]:'(\w+)'$/.exec(query.get('query') ?? '');
			const found = intents.filter(({ metadata }) => wanted && metadata[wanted[1]] === wanted[2]);
			const data = found.map((intent) => shown(intent, true).body);
			return { status: 200, body: { object: 'search_result', data, has_more: false } };
		}
		if (path === '/v1/refunds') {
			const all = refunds.filter((each) => each.payment_intent === query.get('payment_intent')).reverse();
			const first = all.findIndex(({ id }) => id === query.get('starting_after')) + 1;
			const end = first + Number(query.get('limit') ?? 10);
			const body = { object: 'list', url: path, data: all.slice(first, end), has_more: end < all.length };
			return { status: 200, body };
		}
		const intent = find(path.replace('/v1/payment_intents/', ''));
		return intent ? shown(intent, query.has('expand[0]')) : invalid('resource_missing', 'No such payment_intent.', 404);
	};

	const fail = { error: { type: 'api_error', message: 'An error occurred.' } };
	return Object.assign(await openProviderServer(t, { carryOut, fail }), { intents, refunds });
}

function metadataOf(form: URLSearchParams): Record<string, string> {
	const found = [...form].flatMap(([name, value]) => {
		const key = /^metadata\[(\w+)\]$/.exec(name)?.[1];
		return key ? [[key, value] as const] : [];
	});
	return Object.fromEntries(found);
}
