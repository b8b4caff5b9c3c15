// Offers every driver with a provider to talk to, in one shape, so that the same tests can run for all of them.

import type { ExecutionContext } from 'ava';
import { CardNumber } from '../../../src/base/card/card-number.ts';
import { Cvv } from '../../../src/base/card/clear-cvv.ts';
import type { AccountId } from '../../../src/base/database/ids.ts';
import { openOutboundClient } from '../../../src/base/outbound/http-client.ts';
import { Secret } from '../../../src/base/settings/secret.ts';
import type { CallContext, GatewayDriver, KnownPayment } from '../../../src/work/payments/gateway/driver.ts';
import { type Money, readMoney } from '../../../src/work/payments/gateway/money.ts';
import { openDrivers } from '../../../src/work/payments/gateway/open-drivers.ts';
import type { GatewayCard, Operation, Order } from '../../../src/work/payments/gateway/operation.ts';
import { ACQUIRER_KEY, ACQUIRER_MERCHANT, openAcquirerServer } from './acquirer-server.ts';
import { ADYEN_KEY, ADYEN_MERCHANT, openAdyenServer } from './adyen-server.ts';
import type { ProviderServer } from './provider-server.ts';
import { openStripeServer, STRIPE_KEY } from './stripe-server.ts';

export const VISA = '4111111111111111';
export const CVV = '737';

export interface Provider {
	readonly driver: GatewayDriver;
	readonly server: ProviderServer;
	readonly credentials: Readonly<Record<string, string>>;
	readonly secrets: readonly string[];
	/** Returns the number of payments that the provider has made. */
	payments(): number;
}

export type ProviderName = 'Stripe' | 'Adyen' | 'ExampleAcquirer';
export const providerNames = ['Stripe', 'Adyen', 'ExampleAcquirer'] as const satisfies readonly ProviderName[];

/** Opens the servers of all three providers, and returns them with the settings that lead to them. */
export async function openProviders(t: ExecutionContext<unknown>) {
	const stripe = await openStripeServer(t);
	const adyen = await openAdyenServer(t);
	const acquirer = await openAcquirerServer(t);
	const settings = { stripeBaseUrl: stripe.baseUrl, adyenBaseUrl: adyen.baseUrl, driversDir: acquirer.driversDir };
	return { stripe, adyen, acquirer, settings };
}

/** Opens a driver, and returns it with its provider and credentials that work. */
export async function openProvider(t: ExecutionContext<unknown>, name: ProviderName): Promise<Provider> {
	const { stripe, adyen, acquirer, settings } = await openProviders(t);
	const outbound = openOutboundClient({ allowPrivate: true, maxInFlight: 10 });
	t.teardown(() => outbound.close());
	const drivers = openDrivers({ environment: 'sandbox', ...settings, outbound });
	const driver = drivers.find((each) => each.name === name)!;
	switch (name) {
		case 'Stripe':
			return {
				...{ driver, server: stripe, credentials: { SecretKey: STRIPE_KEY }, secrets: [STRIPE_KEY] },
				payments: () => stripe.intents.length,
			};
		case 'Adyen':
			return {
				...{ driver, server: adyen, secrets: [ADYEN_KEY] },
				credentials: { ApiKey: ADYEN_KEY, MerchantAccount: ADYEN_MERCHANT },
				payments: () => adyen.payments.length,
			};
		case 'ExampleAcquirer':
			return {
				...{ driver, server: acquirer, secrets: [ACQUIRER_KEY] },
				credentials: { ApiKey: ACQUIRER_KEY, MerchantId: ACQUIRER_MERCHANT },
				payments: () => acquirer.payments.length,
			};
	}
}

export function money(text: string, currency: string): Money {
	const read = readMoney(text, currency);
	if ('field' in read) throw new Error(`not an amount: ${read.expectation}`);
	return read;
}

export function card(number = VISA): GatewayCard {
	const expiry = { expiryMonth: '04', expiryYear: '2030' };
	return { number: new CardNumber(number), ...expiry, cvv: new Cvv(CVV), name: 'A HOLDER', type: 'Visa' };
}

export function order(operation: Operation, more: Partial<Order> = {}): Order {
	const amount = operation === 'Void' ? undefined : money('10.23', 'USD');
	return { operation, amount, myRef: 'order-1', gatewayReference: undefined, payer: {}, ...more };
}

/** Makes the context of a call as the flow of a payment makes it. */
export function context(
	provider: Pick<Provider, 'credentials'>,
	more: Partial<CallContext> & { readonly deadlineMs?: number } = {},
): CallContext {
	const { deadlineMs = 20_000, ...rest } = more;
	return {
		attemptId: '01kzattempt00000000000000a',
		idempotencyKey: '6b1f3c1e-3d55-4b6e-9f6c-2f1f6f6f0001',
		accountId: 7 as AccountId,
		credentials: Object.fromEntries(
			Object.entries(provider.credentials).map(([name, value]) => [name, new Secret(value)]),
		),
		deadlineAt: performance.now() + deadlineMs,
		signal: AbortSignal.timeout(deadlineMs),
		...rest,
	};
}

export const KNOWN: KnownPayment = {
	operation: 'PreAuth',
	currency: 'USD',
	amountMinor: 1023,
	capturedMinor: 0,
	refundedMinor: 0,
	isVoided: false,
};
