// Lists every key, with the number of items that depend on it and its position in its cryptoperiod.

import type { BlobStore } from '../../base/blobs/blob-store.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { BRIDGE } from '../../base/keys/key-store.ts';
import { isNeeded } from '../../base/keys/master-key-change.ts';
import type { Identity } from '../../people/identity/identity.ts';
import { addCount, countSealed, UNITS } from './key-counts.ts';
import { type Limits, NO_LIMITS, termOf } from './key-periods.ts';

/** Returns every key, and the state of former master keys. */
export async function listKeyStates(
	parts: { database: Database; keyRing: KeyRing; identity: Identity; blobs: BlobStore },
	limits: Limits = NO_LIMITS,
) {
	const keys = await parts.keyRing.list();
	const users = await parts.identity.accounts.userIdsOf([...new Set(keys.map((row) => row.account_id as never))]);
	const counts = await countSealed(parts);
	for (const { wrapped_by } of keys) if (wrapped_by !== null) addCount(counts, wrapped_by, 1);
	const bridges = keys.filter(({ purpose }) => purpose === BRIDGE);
	const timeText = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
	return {
		keys: keys.map((row) => {
			const { endsAt, term } = termOf(row, limits, Date.now());
			return {
				id: row.id,
				purpose: row.purpose,
				userId: users.get(row.account_id as never) ?? null,
				generation: row.generation,
				state: row.state,
				/** The number of items that the key seals, and their kind; null if they are not counted. */
				sealed: row.purpose in UNITS ? (counts.get(row.id) ?? 0) : null,
				of: UNITS[row.purpose as keyof typeof UNITS] ?? null,
				createdAt: new Date(row.created_at).toISOString(),
				/** For a bridge (a new environment key sealed by a former one): when a process on a former one last needed it. */
				neededAt: timeText(row.needed_at),
				endsAt: timeText(endsAt),
				term,
				/** The number of values that may have been sealed under the key. */
				seals: row.seals,
			};
		}),
		/** `none`: there is none. `idle`: there is one, and the next sweep retires it. `needed`: one is still in use. */
		formerMasterKey: bridges.length === 0 ? 'none' : isNeeded(bridges, Date.now()) ? 'needed' : 'idle',
	} as const;
}
