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

export class EnvironmentKeys {
	readonly #store: ReturnType<typeof keyStore>;
	readonly #opened = new Map<KeyId, KeyObject>();
	#root: RootKey;

	/** `opened` are keys that another thread of the same process has opened. */
	constructor(store: ReturnType<typeof keyStore>, root: RootKey, opened: OpenedKeys = []) {
		this.#store = store;
		this.#root = root;
		for (const [id, key] of opened) this.#opened.set(id, key);
	}

	/** Returns the keys that were opened so far, for threads of the same process. */
	listOpened(): OpenedKeys {
		return [...this.#opened];
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

	findOpened(id: KeyId | null): KeyObject | undefined {
		return id === null ? undefined : this.#opened.get(id);
	}

	/**
	 * Tells whether the master key of this process opens a key directly, without a bridge.
	 * @throws RootKeyAwayError if its service cannot say so
	 */
	async isUnderRoot(row: KeyRow, root = this.#root, withinMs?: number): Promise<boolean> {
		try {
			await this.requireRoot(row, root, withinMs);
			return true;
		} catch (error) {
			if (error instanceof RootKeyAwayError) throw error;
			if (error instanceof RootKeyError) return false;
			throw error;
		}
	}

	/**
	 * Checks that the master key opens a key directly.
	 * @throws RootKeyError if it does not, or not within `withinMs`
	 */
	async requireRoot(row: KeyRow, root = this.#root, withinMs = LONGEST_MS): Promise<void> {
		const opened = root.unwrap(row.wrapped).then((material) => material.fill(0));
		if ((await inTime(opened, withinMs, undefined)) !== undefined) return;
		throw new RootKeyAwayError(`${root.description}: it gave no answer within ${withinMs} ms`);
	}

	/**
	 * Creates new key material under a master key. The caller stores it and then calls `takeUp`.
	 * @throws RootKeyError if the master key does not wrap, or does not open what it has wrapped
	 */
	async make(root = this.#root): Promise<{ readonly key: KeyObject; readonly wrapped: Buffer }> {
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
