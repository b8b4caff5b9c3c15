// Lists every key, with the number of items that depend on it and its position in its cryptoperiod.

import type { BlobStore } from '../../base/blobs/blob-store.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { BRIDGE } from '../../base/keys/key-store.ts';
import { isNeeded } from '../../base/keys/master-key-change.ts';
import type { Identity } from '../../people/identity/identity.ts';
import { addCount, countSealed, UNITS, type Unit } from './key-counts.ts';
import { type KeyTerm, type Limits, NO_LIMITS, type Term, termOf } from './key-periods.ts';

export interface KeyState {
	readonly id: number;
	readonly purpose: string;
	readonly userId: string | null;
	readonly generation: number;
	readonly state: 'active' | 'superseded';
	/** The number of items that the key seals, and their kind; null if they are not counted. */
	readonly sealed: number | null;
	readonly of: Unit | null;
	readonly createdAt: string;
	/** For a bridge (a new environment key sealed by a former one): when a process on a former one last needed it. */
	readonly neededAt: string | null;
	/** The end of the key's cryptoperiod; null for a key that has none or no longer seals. */
	readonly endsAt: string | null;
	readonly term: KeyTerm;
	/** The number of values that may have been sealed under the key. */
	readonly seals: number;
}

/**
 * Tells whether a former master key can be retired. `none`: there is none. `idle`: there is one, and the next sweep
 * retires it. `needed`: one is still in use.
 */
export type FormerMasterKey = 'none' | 'idle' | 'needed';

/** Returns every key, and the state of former master keys. */
export async function listKeyStates(
	parts: { database: Database; keyRing: KeyRing; identity: Identity; blobs: BlobStore },
	limits: Limits = NO_LIMITS,
): Promise<{ readonly keys: readonly KeyState[]; readonly formerMasterKey: FormerMasterKey }> {
	const keys = await parts.keyRing.list();
	const users = await parts.identity.accounts.userIdsOf([...new Set(keys.map((row) => row.account_id as never))]);
	const counts = await countSealed(parts);
	for (const { wrapped_by } of keys) if (wrapped_by !== null) addCount(counts, wrapped_by, 1);
	const bridges = keys.filter(({ purpose }) => purpose === BRIDGE);
	return {
		keys: keys.map((row) => ({
			id: row.id,
			purpose: row.purpose,
			userId: users.get(row.account_id as never) ?? null,
			generation: row.generation,
			state: row.state,
			sealed: row.purpose in UNITS ? (counts.get(row.id) ?? 0) : null,
			of: UNITS[row.purpose as keyof typeof UNITS] ?? null,
			createdAt: new Date(row.created_at).toISOString(),
			neededAt: row.needed_at === null ? null : new Date(row.needed_at).toISOString(),
			...shownTerm(termOf(row, limits, Date.now())),
			seals: row.seals,
		})),
		formerMasterKey: bridges.length === 0 ? 'none' : isNeeded(bridges, Date.now()) ? 'needed' : 'idle',
	};
}

function shownTerm({ endsAt, term }: Term): Pick<KeyState, 'endsAt' | 'term'> {
	return { endsAt: endsAt === null ? null : new Date(endsAt).toISOString(), term };
}
