import { systemClock } from '../../base/clock.ts';
import { openVault, type Vault } from '../../vault/vault.ts';
import { auditedChanges, auditedStores } from './audited-stores.ts';
import { eliminationLimit } from './elimination-limit.ts';
import type { CommandOpening, Rooms } from './open-rooms.ts';

/** Opens the vault for a command. Every change is recorded in the audit trail, as in the daemon. */
export function openCommandVault(rooms: Rooms, { settings }: CommandOpening): Promise<Vault> {
	const { database, keyRing, audit } = rooms;
	return openVault({
		...{ database, keyRing, clock: systemClock },
		elimination: eliminationLimit(rooms, settings),
		onStored: auditedStores(audit),
		onChanged: auditedChanges(audit),
	});
}
