// Opens the profiles for calls to third parties, and collects the objects that those calls share, such as the HTTP
// client.

import type { Audit } from '../audit/audit.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/open.ts';
import type { Identity } from '../identity/identity.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { OutboundClient } from '../outbound/http-client.ts';
import type { Bodies } from '../relay/bodies/bodies.ts';
import type { Profile } from '../relay/profile.ts';
import { openProfiles, type Profiles } from '../relay/profiles.ts';
import type { RelayRooms } from '../relay/rooms.ts';
import type { Settings } from '../settings.ts';
import type { Vault } from '../vault/vault.ts';

export interface ThirdParties {
	readonly profiles: Profiles;
	readonly thirdParties: RelayRooms;
}

/** Opens the profiles, and returns them together with the objects that calls to third parties share. */
export function openThirdParties(
	rooms: {
		readonly database: Database;
		readonly keyRing: KeyRing;
		readonly audit: Audit;
		readonly identity: Identity;
		readonly vault: Vault;
		readonly clock: Clock;
		readonly outbound: OutboundClient;
		readonly bodies: Bodies;
		readonly presets: ReadonlyMap<string, Profile>;
		onCalled?: RelayRooms['onCalled'];
	},
	{ environment, relay }: Pick<Settings, 'environment' | 'relay'>,
): ThirdParties {
	const { identity, presets, ...shared } = rooms;
	return {
		profiles: openProfiles({
			...shared,
			environment,
			presets,
			parse: (...given) => shared.bodies.parseProfile(...given),
		}),
		thirdParties: {
			...shared,
			allowance: identity.allowance,
			environment,
			maxAnswerBytes: relay.maxAnswerBytes,
		},
	};
}
