// Manages the environment keys. The newest environment key wraps every other key and is wrapped by the master key.
// While a new master key is introduced, a bridge (the new environment key sealed by the one before it) lets processes
// that only have the former master key continue. New keys that such a process creates are wrapped by the newest
// environment key too.

import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { KeyId } from '../database/ids.ts';
import { ENVIRONMENT, type KeyRow, type keyStore } from './key-store.ts';
import { type RootKey, RootKeyError } from './root-key.ts';
import { seal, unseal } from './seal.ts';

export const KEY_BYTES = 32;

export class EnvironmentKeys {
	readonly #store: ReturnType<typeof keyStore>;
	readonly #opened = new Map<KeyId, KeyObject>();
	#root: RootKey;

	constructor(store: ReturnType<typeof keyStore>, root: RootKey) {
		this.#store = store;
		this.#root = root;
	}

	/** Returns the newest environment key, which wraps all other keys. */
	async latest(): Promise<KeyRow> {
		const row = await this.#store.findLatest(ENVIRONMENT, 0);
		if (!row) throw new RootKeyError('the database has no environment key');
		return row;
	}

	/**
	 * Opens a key with the master key, or by way of bridges.
	 * @throws RootKeyError if neither opens it
	 */
	async open(row: KeyRow): Promise<KeyObject> {
		const known = this.#opened.get(row.id);
		if (known) return known;
		const material = await this.#unwrap(row);
		const key = createSecretKey(material);
		material.fill(0);
		this.#opened.set(row.id, key);
		return key;
	}

	/** Opens the key with this id without asking the database if it was opened before. */
	async openById(id: KeyId | null): Promise<KeyObject | undefined> {
		if (id === null) return undefined;
		const known = this.#opened.get(id);
		if (known) return known;
		const row = await this.#store.findById(id);
		return row && this.open(row);
	}

	/** Returns the key with this id if it was opened before. */
	findOpened(id: KeyId | null): KeyObject | undefined {
		return id === null ? undefined : this.#opened.get(id);
	}

	/** Tells whether the master key of this process opens a key directly, without a bridge. */
	async isUnderRoot(row: KeyRow, root = this.#root): Promise<boolean> {
		try {
			await this.requireRoot(row, root);
			return true;
		} catch (error) {
			if (error instanceof RootKeyError) return false;
			throw error;
		}
	}

	/**
	 * Checks that the master key opens a key directly.
	 * @throws RootKeyError if it does not
	 */
	async requireRoot(row: KeyRow, root = this.#root): Promise<void> {
		(await root.unwrap(row.wrapped)).fill(0);
	}

	/** Creates new key material under a master key. The caller stores it and then calls `takeUp`. */
	async make(root = this.#root): Promise<{ readonly key: KeyObject; readonly wrapped: Buffer }> {
		const material = randomBytes(KEY_BYTES);
		const wrapped = await root.wrap(material);
		const key = createSecretKey(material);
		material.fill(0);
		return { key, wrapped };
	}

	/** Returns the content of a bridge: the next environment key, sealed by the one before it. */
	bridge(before: KeyObject, next: KeyObject, generation: number): Buffer {
		const material = next.export();
		const wrapped = seal(before, material, bridgeLabel(generation));
		material.fill(0);
		return wrapped;
	}

	/** Switches this process to an environment key that it has created and stored, and to the master key that wraps it. */
	takeUp(row: KeyRow, key: KeyObject, root = this.#root): void {
		this.#opened.set(row.id, key);
		this.#root = root;
	}

	async #unwrap(row: KeyRow): Promise<Buffer> {
		try {
			return await this.#root.unwrap(row.wrapped);
		} catch (error) {
			if (!(error instanceof RootKeyError)) throw error;
			const bridge = await this.#store.findBridge(row.generation);
			const before = bridge && (await this.openById(bridge.wrapped_by));
			if (!before) throw error;
			return unseal(before, bridge.wrapped, bridgeLabel(row.generation));
		}
	}
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
