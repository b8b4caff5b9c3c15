// What every key still holds, counted where it is kept.

import type { KeyId } from '../database/ids.ts';
import type { BlobStore } from '../drops/blob-store.ts';
import { countFilesByKey } from '../drops/rewrap-files.ts';
import { BRIDGE, ENVIRONMENT } from '../keys/key-store.ts';
import { isNeeded } from '../keys/master-key-change.ts';
import { sealedRowsStore } from '../keys/sealed-rows-store.ts';
import { cvvStore } from '../vault/cvv-store.ts';
import { pageStore } from '../vault/page-store.ts';
import type { Rooms } from './open-rooms.ts';
import { sealedSecrets } from './sealed-secrets.ts';

export interface KeyState {
	readonly id: number;
	readonly purpose: string;
	readonly userId: string | null;
	readonly generation: number;
	readonly state: 'active' | 'superseded';
	/** How many things the key seals, and what they are; null where that is not counted. */
	readonly sealed: number | null;
	readonly of: 'pages' | 'CVVs' | 'files' | 'secrets' | 'keys' | null;
	readonly createdAt: string;
	/** Of a bridge: when a process on a former master key last needed it. */
	readonly neededAt: string | null;
}

/** `none`: a former master key opens nothing here. `idle`: the next sweep ends the way in for it. `needed`: still in use. */
export type FormerMasterKey = 'none' | 'idle' | 'needed';

const UNITS: Readonly<Record<string, KeyState['of']>> = {
	data: 'pages',
	cvv: 'CVVs',
	drop: 'files',
	secret: 'secrets',
	[ENVIRONMENT]: 'keys',
};

/** Every key, and whether a former master key still has a way in. */
export async function listKeyStates(
	rooms: Pick<Rooms, 'database' | 'keyRing' | 'identity'> & { readonly blobs: BlobStore },
): Promise<{ readonly keys: readonly KeyState[]; readonly formerMasterKey: FormerMasterKey }> {
	const keys = await rooms.keyRing.list();
	const users = await rooms.identity.accounts.userIdsOf([...new Set(keys.map((row) => row.account_id as never))]);
	const counts = await countSealed(rooms);
	for (const { wrapped_by } of keys) if (wrapped_by !== null) add(counts, wrapped_by, 1);
	const bridges = keys.filter(({ purpose }) => purpose === BRIDGE);
	return {
		keys: keys.map((row) => ({
			id: row.id,
			purpose: row.purpose,
			userId: users.get(row.account_id as never) ?? null,
			generation: row.generation,
			state: row.state,
			sealed: row.purpose in UNITS ? (counts.get(row.id) ?? 0) : null,
			of: UNITS[row.purpose] ?? null,
			createdAt: new Date(row.created_at).toISOString(),
			neededAt: row.needed_at === null ? null : new Date(row.needed_at).toISOString(),
		})),
		formerMasterKey: bridges.length === 0 ? 'none' : isNeeded(bridges, Date.now()) ? 'needed' : 'idle',
	};
}

async function countSealed({
	database: { knex, dialect },
	blobs,
}: Pick<Rooms, 'database'> & { readonly blobs: BlobStore }): Promise<Map<KeyId, number>> {
	const counts = await countFilesByKey(blobs);
	const stores = [
		pageStore(knex, dialect),
		cvvStore(knex, dialect),
		...sealedSecrets.map((rows) => sealedRowsStore(knex, rows)),
	];
	for (const store of stores) {
		for (const { key_id, count } of await store.countByKey()) add(counts, key_id, count);
	}
	return counts;
}

function add(counts: Map<KeyId, number>, id: KeyId, count: number): void {
	counts.set(id, (counts.get(id) ?? 0) + count);
}
