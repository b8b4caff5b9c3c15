// Manages the environment keys. The newest environment key wraps every other key and is wrapped by the master key.
// While a new master key is introduced, a bridge (the new environment key sealed by the one before it) lets processes
// that only have the former master key continue. New keys that such a process creates are wrapped by the newest
// environment key too.

import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { KeyId } from '../database/ids.ts';
import { inTime } from '../threads/in-time.ts';
import { ENVIRONMENT, type KeyRow, type keyStore } from './key-store.ts';
import { type RootKey, RootKeyAwayError, RootKeyError } from './root-key.ts';
import { seal, unseal } from './seal.ts';

export const KEY_BYTES = 32;
/** A key service gives up by itself long before this time. */
const LONGEST_MS = 60_000;

/** Environment keys with their ids. A thread that has them does not ask the root key, whose service may be away. */
export type OpenedKeys = readonly (readonly [id: KeyId, key: KeyObject])[];

export type EnvironmentKeys = ReturnType<typeof openEnvironmentKeys>;

/** `others` are keys that another thread of the same process has opened. */
export function openEnvironmentKeys(store: ReturnType<typeof keyStore>, first: RootKey, others: OpenedKeys = []) {
	const opened = new Map(others);
	let current = first;

	/**
	 * Opens a key with the master key, or by way of bridges.
	 * @throws RootKeyError if neither opens it
	 */
	const open = async (row: KeyRow): Promise<KeyObject> => {
		const known = opened.get(row.id);
		if (known) return known;
		const material = await unwrap(row);
		const key = createSecretKey(material);
		material.fill(0);
		opened.set(row.id, key);
		return key;
	};
	/** Opens the key with this id without asking the database if it was opened before. */
	const openById = async (id: KeyId | null): Promise<KeyObject | undefined> => {
		if (id === null) return undefined;
		const known = opened.get(id);
		if (known) return known;
		const row = await store.findById(id);
		return row && open(row);
	};
	const unwrap = async (row: KeyRow): Promise<Buffer> => {
		try {
			return await current.unwrap(row.wrapped);
		} catch (error) {
			if (!(error instanceof RootKeyError)) throw error;
			const bridge = await store.findBridge(row.generation);
			const before = bridge && (await openById(bridge.wrapped_by));
			if (!before) throw error;
			return unseal(before, bridge.wrapped, bridgeLabel(row.generation));
		}
	};
	/**
	 * Checks that the master key opens a key directly.
	 * @throws RootKeyError if it does not, or not within `withinMs`
	 */
	const requireRoot = async (row: KeyRow, root = current, withinMs = LONGEST_MS): Promise<void> => {
		const answer = root.unwrap(row.wrapped).then((material) => material.fill(0));
		if ((await inTime(answer, withinMs, undefined)) !== undefined) return;
		throw new RootKeyAwayError(`${root.description}: it gave no answer within ${withinMs} ms`);
	};
	return {
		/** Returns the keys that were opened so far, for threads of the same process. */
		listOpened: (): OpenedKeys => [...opened],
		/** Returns the newest environment key, which wraps all other keys. */
		async latest(): Promise<KeyRow> {
			const row = await store.findLatest(ENVIRONMENT, 0);
			if (!row) throw new RootKeyError('the database has no environment key');
			return row;
		},
		open,
		openById,
		findOpened: (id: KeyId | null) => (id === null ? undefined : opened.get(id)),
		/**
		 * Tells whether the master key of this process opens a key directly, without a bridge.
		 * @throws RootKeyAwayError if its service cannot say so
		 */
		async isUnderRoot(row: KeyRow, root = current, withinMs?: number): Promise<boolean> {
			try {
				await requireRoot(row, root, withinMs);
				return true;
			} catch (error) {
				if (error instanceof RootKeyAwayError) throw error;
				if (error instanceof RootKeyError) return false;
				throw error;
			}
		},
		requireRoot,
		/**
		 * Creates new key material under a master key. The caller stores it and then calls `takeUp`.
		 * @throws RootKeyError if the master key does not wrap, or does not open what it has wrapped
		 */
		async make(root = current): Promise<{ readonly key: KeyObject; readonly wrapped: Buffer }> {
			const material = randomBytes(KEY_BYTES);
			const wrapped = await root.wrap(material);
			// A login of a key service may be allowed to wrap only. Everything sealed below such a key would be lost.
			const again = await root.unwrap(wrapped);
			const isSame = again.equals(material);
			again.fill(0);
			if (!isSame) throw new RootKeyError(`${root.description}: it does not give back what it has wrapped`);
			const key = createSecretKey(material);
			material.fill(0);
			return { key, wrapped };
		},
		/** Returns the content of a bridge: the next environment key, sealed by the one before it. */
		bridge(before: KeyObject, next: KeyObject, generation: number): Buffer {
			const material = next.export();
			const wrapped = seal(before, material, bridgeLabel(generation));
			material.fill(0);
			return wrapped;
		},
		/** Switches this process to an environment key that it has created and stored, and to the master key that wraps it. */
		takeUp(row: KeyRow, key: KeyObject, root = current): void {
			opened.set(row.id, key);
			current = root;
		},
	};
}

function bridgeLabel(generation: number): Buffer {
	return Buffer.from(`tokendrop bridge to environment key ${generation}`);
}

/**
 * Returns the label to which a wrapped key is bound. The label names the row, so that the wrapped key opens in no other
 * row.
 */
export function keyLabel(row: Pick<KeyRow, 'purpose' | 'account_id' | 'generation'>): Buffer {
	return Buffer.from(`tokendrop key ${row.purpose}/${row.account_id}/${row.generation}`);
}
