// Opens the payment gateway of a daemon with its drivers.

import type { OutboundClient } from '../base/outbound/http-client.ts';
import type { Settings } from '../base/settings/settings.ts';
import { type Gateway, type GatewayOptions, openGateway } from '../work/payments/gateway/gateway.ts';
import { openDrivers } from '../work/payments/gateway/open-drivers.ts';

/**
 * Opens the gateway.
 * @throws DeclarationError for a declared driver that cannot be used
 */
export function openConfiguredGateway(
	{ outbound, ...options }: Omit<GatewayOptions, 'drivers'> & { readonly outbound: OutboundClient },
	{ environment, gateway }: Pick<Settings, 'environment' | 'gateway'>,
): Gateway {
	return openGateway({ ...options, drivers: openDrivers({ environment, ...gateway, outbound }) });
}
