// Tells accounts which of their keys and certificates end soon.

import type { Clock } from '../../base/clock.ts';
import { transact } from '../../base/database/dialect.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { type NewEvent, recordEvents } from '../../base/outbox/record-events.ts';
import type { Settings } from '../../base/settings/settings.ts';
import type { Identity } from '../../people/identity/identity.ts';
import { type Expiring, listExpiring } from './expiry.ts';

/**
 * Records an event for each key and certificate of an account that ends soon, once for each end. What belongs to the
 * installation is told by doctor, the metrics and the alerts. Returns how many end soon.
 */
export async function tellExpiring(
	{ database, clock, ...parts }: { database: Database; keyRing: KeyRing; identity: Identity; clock: Clock },
	settings: Pick<Settings, 'dataDir' | 'http' | 'mail' | 'audit' | 'keys' | 'drops'>,
): Promise<number> {
	const now = clock.now().getTime();
	const found = await listExpiring({ database, ...parts }, settings, now);
	const events = found.flatMap((each) => (each.term === 'soon' ? eventsOf(each) : []));
	await transact(database, (transaction) => recordEvents(transaction, events, now));
	return events.length;
}

function eventsOf({ accountId, kind, name, endsAtMs }: Expiring): NewEvent[] {
	// A key of the vault is replaced by itself.
	if (accountId === undefined || kind === 'key') return [];
	const type = kind === 'api-key' || kind === 'pgp-key' ? 'key.expiring' : 'certificate.expiring';
	const endsAt = new Date(endsAtMs).toISOString();
	const once = `${type} ${kind} ${name} ${endsAt}`;
	return [{ type, accountId, about: `end of ${kind}`, data: { kind, name, endsAt }, once }];
}
