// Creates the driver for Adyen Checkout.

import type { GatewayDriver } from '../driver.ts';
import { OPERATIONS } from '../operation.ts';
import { askAdyen, sendToAdyen } from './adyen-calls.ts';

/**
 * A query is safe for this long, an hour less than the 7 days for which Adyen keeps an idempotency key at least
 * (docs.adyen.com/development-resources/api-idempotency).
 */
const ASK_UNTIL_MS = 7 * 24 * 3_600_000 - 3_600_000;

/** Creates the driver `Adyen` for a base URL, live `https://PREFIX-checkout-live.adyenpayments.com/checkout`. */
export function adyenDriver(baseUrl: string): GatewayDriver {
	const root = new URL(baseUrl);
	return {
		name: 'Adyen',
		operations: OPERATIONS,
		credentialsSchema: [
			{
				name: 'ApiKey',
				description: 'API key of a web service user with the role for raw card data.',
				isSecret: true,
				isRequired: true,
			},
			{
				name: 'MerchantAccount',
				description: 'Merchant account the payments belong to.',
				isSecret: false,
				isRequired: true,
				pattern: /^[\w.-]{1,80}$/,
				expectation: 'expected the name of a merchant account',
			},
		],
		// A query sends an operation again. Once Adyen has forgotten its idempotency key, that would carry it out a
		// second time.
		askUntilMs: ASK_UNTIL_MS,
		send: (order, context) => sendToAdyen(root, order, context),
		query: (order, context) => askAdyen(root, order, context),
	};
}
