// Adyen Checkout, by its own library, which is loaded when the first call goes there.

import type { GatewayDriver } from '../driver.ts';
import { OPERATIONS } from '../operation.ts';

/** The driver `Adyen` at a base address; for live accounts `https://PREFIX-checkout-live.adyenpayments.com/checkout`. */
export function adyenDriver(baseUrl: string): GatewayDriver {
	const root = new URL(baseUrl);
	const calls = () => import('./adyen-calls.ts');
	return {
		name: 'Adyen',
		operations: OPERATIONS,
		credentialsSchema: [
			{
				name: 'ApiKey',
				description: 'API key of a web service user with the role for raw card data.',
				...{ isSecret: true, isRequired: true },
			},
			{
				name: 'MerchantAccount',
				description: 'Merchant account the payments belong to.',
				...{ isSecret: false, isRequired: true },
				pattern: /^[\w.-]{1,80}$/,
				expectation: 'expected the name of a merchant account',
			},
		],
		send: async (order, context) => (await calls()).sendToAdyen(root, order, context),
		query: async (order, context) => (await calls()).askAdyen(root, order, context),
	};
}
