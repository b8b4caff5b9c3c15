import { systemClock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { Audit } from '../../trail/audit.ts';
import { openVault, type Vault } from '../../vault/vault.ts';
import { auditedChanges, auditedStores } from './audited-stores.ts';
import type { CommandOpening } from './open-parts.ts';
import { eliminationLimit } from './report-elimination-limit.ts';

/** Opens the vault for a command. Every change is recorded in the audit trail, as in the daemon. */
export function openCommandVault(
	parts: { database: Database; keyRing: KeyRing; audit: Audit },
	{ settings }: CommandOpening,
): Promise<Vault> {
	const { database, keyRing, audit } = parts;
	return openVault({
		database,
		keyRing,
		clock: systemClock,
		elimination: eliminationLimit(parts, settings),
		onStored: auditedStores(audit),
		onChanged: auditedChanges(audit),
	});
}
