// Opens the payment gateway of a daemon with its drivers.

import { type Gateway, type GatewayOptions, openGateway } from '../gateway/gateway.ts';
import { openDrivers } from '../gateway/open-drivers.ts';
import type { OutboundClient } from '../outbound/http-client.ts';
import type { Settings } from '../settings.ts';

/**
 * Opens the gateway.
 * @throws DeclarationError for a declared driver that cannot be used
 */
export function openGatewayRoom(
	{ outbound, ...rooms }: Omit<GatewayOptions, 'drivers'> & { readonly outbound: OutboundClient },
	{ environment, gateway }: Pick<Settings, 'environment' | 'gateway'>,
): Gateway {
	return openGateway({ ...rooms, drivers: openDrivers({ environment, ...gateway, outbound }) });
}
