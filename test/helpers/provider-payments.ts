// Makes payments at providers: servers of the tests, which speak as Stripe, Adyen and a declared gateway do.

import type { ExecutionContext } from 'ava';
import { ADYEN_KEY, ADYEN_MERCHANT } from '../gateway/servers/adyen-server.ts';
import { openProviders } from '../gateway/servers/gateways.ts';
import { STRIPE_KEY } from '../gateway/servers/stripe-server.ts';
import { json } from './card-calls.ts';
import { GATEWAY_PATH } from './gateway-calls.ts';
import { type Caller, openHttpApp } from './http-app.ts';

export const CVV = '306';
export const STRIPE = { PaymentGateway: { Name: 'Stripe', Credentials: { SecretKey: STRIPE_KEY } } };
export const ADYEN = {
	PaymentGateway: { Name: 'Adyen', Credentials: { ApiKey: ADYEN_KEY, MerchantAccount: ADYEN_MERCHANT } },
};

/** Opens an account whose payments go to servers of the tests; `seen` lists the calls to these. */
export async function openPayments(t: ExecutionContext, dialect: 'sqlite' | 'postgres' = 'sqlite') {
	const { stripe, adyen, acquirer, settings } = await openProviders(t);
	const seen: { driver: string; operation: string; result: string }[] = [];
	const onCall = ({ driver, operation, result }: (typeof seen)[number]) =>
		void seen.push({ driver, operation, result });
	const parts = await openHttpApp(t, dialect, { gateway: { ...settings, deadlineMs: 20_000, onCall } });
	const caller = await parts.createCaller('agency', { cvvRetention: true });
	return { parts, caller, stripe, adyen, acquirer, seen };
}

/**
 * Makes a payment: a charge at Stripe unless the body says otherwise.
 * @throws when it is refused
 */
export async function pay(caller: Caller, body: object) {
	const asked = { OperationType: 'Charge', MyRef: 'order-1', Amount: 10.23, Currency: 'USD', ...STRIPE, ...body };
	const response = await caller.inject('POST', GATEWAY_PATH, json(asked));
	if (response.statusCode !== 200) throw new Error(response.body);
	return response.json() as { OperationResultCode: string; GatewayReference: string | null };
}
