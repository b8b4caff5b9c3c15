// Creates the driver for Stripe. The driver loads Stripe's library when the first call is made.

import type { GatewayDriver } from '../driver.ts';
import { OPERATIONS } from '../operation.ts';

/** A new payment may be missing in Stripe's search for this long. */
const SEARCH_LAG_MS = 3_600_000;

/** Creates the driver `Stripe`, which calls a base URL. */
export function stripeDriver(baseUrl: string): GatewayDriver {
	const root = new URL(baseUrl);
	const calls = () => import('./stripe-calls.ts');
	return {
		name: 'Stripe',
		operations: OPERATIONS,
		credentialsSchema: [
			{
				name: 'SecretKey',
				description: 'Secret or restricted API key of the account at Stripe.',
				isSecret: true,
				isRequired: true,
				pattern: /^[sr]k_[A-Za-z0-9_]{8,}$/,
				expectation: 'expected a secret key (sk_…) or a restricted key (rk_…)',
			},
		],
		absentAfterMs: SEARCH_LAG_MS,
		send: async (order, context) => (await calls()).sendToStripe(root, order, context),
		query: async (order, context) => (await calls()).askStripe(root, order, context),
	};
}
