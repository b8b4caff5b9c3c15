// Opens the profiles for calls to third parties, and collects the objects that those calls share, such as the HTTP
// client.

import type { Clock } from '../base/clock.ts';
import type { Database } from '../base/database/open.ts';
import type { KeyRing } from '../base/keys/key-ring.ts';
import type { OutboundClient } from '../base/outbound/http-client.ts';
import type { Settings } from '../base/settings/settings.ts';
import type { Identity } from '../people/identity/identity.ts';
import type { Audit } from '../trail/audit.ts';
import type { Vault } from '../vault/vault.ts';
import type { Bodies } from '../work/relay/bodies/bodies.ts';
import type { Profile } from '../work/relay/profiles/profile.ts';
import { openProfiles, type Profiles } from '../work/relay/profiles/profiles.ts';
import type { RelayRooms } from '../work/relay/rooms.ts';

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
