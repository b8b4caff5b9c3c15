// The payment gateway of a daemon: its drivers, and the way out for those that are declared.

import { type Gateway, type GatewayOptions, openGateway } from '../gateway/gateway.ts';
import { openDrivers } from '../gateway/open-drivers.ts';
import { openOutboundClient } from '../outbound/http-client.ts';
import type { Settings } from '../settings.ts';

export interface GatewayRoom {
	readonly gateway: Gateway;
	/** Ends calls that are still under way: their outcome is unknown then. */
	close(): Promise<void>;
}

/** @throws DeclarationError for a declared driver that cannot be used */
export function openGatewayRoom(
	rooms: Omit<GatewayOptions, 'drivers'>,
	settings: Pick<Settings, 'environment' | 'gateway' | 'relay'>,
): GatewayRoom {
	const outbound = openOutboundClient(settings.relay);
	const drivers = openDrivers({ environment: settings.environment, ...settings.gateway, outbound });
	const gateway = openGateway({ ...rooms, drivers });
	return {
		gateway,
		close: () => outbound.close(),
	};
}
