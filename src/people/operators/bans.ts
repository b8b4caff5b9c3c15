// The bans of addresses, as operators see and lift them, on the command line and in the portal.

import type { Knex } from 'knex';
import { transact } from '../../base/database/dialect.ts';
import type { Database } from '../../base/database/open.ts';
import { type Ban, defendedAddress } from '../../base/defender/defender.ts';
import { type Door, scoreStore } from '../../base/defender/score-store.ts';
import type { Actor } from '../../trail/actor.ts';
import type { Audit } from '../../trail/audit.ts';

export type ListedBan = Ban & { readonly door: Door };

/** Lists the addresses that are banned at this moment, the latest first. */
export function listBans({ knex }: { readonly knex: Knex }, nowMs: number): Promise<ListedBan[]> {
	return scoreStore(knex).listBans(nowMs);
}

/** Lifts the bans of an address, which the audit trail notes. Returns the listeners on which there was one. */
export function liftBan(
	{ database, audit }: { readonly database: Database; readonly audit: Pick<Audit, 'record'> },
	address: string,
	{ actor, nowMs }: { readonly actor: Actor; readonly nowMs: number },
): Promise<Door[]> {
	return transact(database, async (transaction) => {
		const doors = await scoreStore(transaction).lift(defendedAddress(address), nowMs);
		const entry = { actor, action: 'ban.lift', subject: `address ${address}`, details: { doors: doors.join(',') } };
		if (doors.length > 0) await audit.record(entry, transaction);
		return doors;
	});
}
