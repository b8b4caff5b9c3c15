// The key hierarchy: root key → environment key → everything else. Every sealed thing carries the id of the key
// that sealed it, so keys rotate without touching what they sealed before.

import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { Clock } from '../clock.ts';
import { systemClock } from '../clock.ts';
import { type Dialect, isUniqueViolation } from '../database/dialect.ts';
import type { AccountId, KeyId } from '../database/ids.ts';
import { type KeyRow, keyStore } from './key-store.ts';
import { type RootKey, RootKeyError } from './root-key.ts';
import { seal, unseal } from './seal.ts';

/**
 * What a key is for. `data`, `cvv` and `fingerprint` are per account; the rest serve the installation:
 * `token` encrypts pointers, `drop` wraps file keys, `audit` chains the trail, `credential` keys the hashes of
 * API keys and session tokens, `secret` seals small secrets of ours (certificate key, stored passwords).
 */
export type KeyPurpose = 'data' | 'cvv' | 'fingerprint' | 'token' | 'drop' | 'audit' | 'credential' | 'secret';

export interface SealingKey {
	readonly id: KeyId;
	readonly purpose: KeyPurpose;
	readonly accountId: number;
	readonly generation: number;
	readonly secret: KeyObject;
}

export interface KeyRing {
	/** The key that seals now; made on first use. Other daemons' rotations are seen within seconds. */
	current(purpose: KeyPurpose, accountId?: AccountId): Promise<SealingKey>;
	/** The key that sealed something. @throws RootKeyError when its wrapping key is unreachable or it does not exist. */
	byId(id: KeyId): Promise<SealingKey>;
	/** All generations for a purpose of the installation, newest first; never empty. */
	all(purpose: 'token' | 'credential'): Promise<readonly SealingKey[]>;
	/** Commits a new generation; older ones only open from now on. Moving what they sealed is the sweep's work. */
	rotate(purpose: KeyPurpose, accountId?: AccountId): Promise<SealingKey>;
	/** Puts a new environment key under the root (or a new root) and re-wraps every key below it. */
	rotateEnvironmentKey(newRoot?: RootKey): Promise<void>;
	/** Every key without its material, for `key status`. */
	list(): Promise<readonly Omit<KeyRow, 'wrapped'>[]>;
	/** Whether the root key opens the environment key now, for readiness. @throws RootKeyError if not. */
	check(): Promise<void>;
}

/** How long a current key is taken for current without asking the database. */
const CURRENT_FOR_MS = 5_000;
const KEY_BYTES = 32;
const ENVIRONMENT = 'environment';

/** The database belongs to the other environment: sandbox and production never share one. */
export class EnvironmentMismatchError extends Error {
	override readonly name = 'EnvironmentMismatchError';
}

/**
 * Opens the key ring of a migrated database, making the environment key when there is none. The first opening stamps
 * the database with its environment.
 * @throws EnvironmentMismatchError, RootKeyError
 */
export async function openKeyRing(options: {
	readonly database: { readonly knex: Knex; readonly dialect: Dialect };
	readonly root: RootKey;
	readonly environment: 'sandbox' | 'production';
	readonly clock?: Clock;
}): Promise<KeyRing> {
	const { database, environment, clock = systemClock } = options;
	let root = options.root;
	const store = keyStore(database.knex);

	await store.stampEnvironment(environment, clock.now().getTime());
	const stamped = await store.findEnvironment();
	if (stamped !== environment) {
		throw new EnvironmentMismatchError(`the database belongs to ${stamped}, this daemon runs as ${environment}`);
	}

	const opened = new Map<KeyId, SealingKey>();
	const currents = new Map<string, { key: SealingKey; until: number }>();
	const environmentKeys = new Map<KeyId, KeyObject>();

	const insertOrRead = async (purpose: string, accountId: number, wrap: () => Promise<Partial<KeyRow>>) => {
		const found = await store.findLatest(purpose, accountId);
		if (found) return found;
		try {
			return await insert(purpose, accountId, 1, await wrap());
		} catch (error) {
			if (!isUniqueViolation(error)) throw error;
			return (await store.findLatest(purpose, accountId))!;
		}
	};
	const insert = (purpose: string, accountId: number, generation: number, wrapped: Partial<KeyRow>) =>
		store.insert({
			purpose,
			account_id: accountId,
			generation,
			wrapped_by: wrapped.wrapped_by ?? null,
			wrapped: wrapped.wrapped!,
			state: 'active',
			created_at: clock.now().getTime(),
		});

	const wrapByRoot = async () => {
		const material = randomBytes(KEY_BYTES);
		const wrapped = await root.wrap(material);
		material.fill(0);
		return { wrapped, wrapped_by: null };
	};
	const openEnvironmentKey = async (row: KeyRow): Promise<KeyObject> => {
		let key = environmentKeys.get(row.id);
		if (!key) {
			const material = await root.unwrap(row.wrapped);
			key = createSecretKey(material);
			material.fill(0);
			environmentKeys.set(row.id, key);
		}
		return key;
	};
	const latestEnvironmentRow = () => insertOrRead(ENVIRONMENT, 0, wrapByRoot);

	const wrapByEnvironment = async (purpose: string, accountId: number, generation: number) => {
		const row = await latestEnvironmentRow();
		const material = randomBytes(KEY_BYTES);
		const wrapped = seal(await openEnvironmentKey(row), material, associated(purpose, accountId, generation));
		material.fill(0);
		return { wrapped, wrapped_by: row.id };
	};
	const open = async (row: KeyRow): Promise<SealingKey> => {
		const known = opened.get(row.id);
		if (known) return known;
		const wrapping = row.wrapped_by === null ? undefined : await store.findById(row.wrapped_by);
		if (!wrapping) throw new RootKeyError(`key ${row.id} has no wrapping key`);
		const label = associated(row.purpose, row.account_id, row.generation);
		const material = unseal(await openEnvironmentKey(wrapping), row.wrapped, label);
		const key: SealingKey = {
			id: row.id,
			purpose: row.purpose as KeyPurpose,
			accountId: row.account_id,
			generation: row.generation,
			secret: createSecretKey(material),
		};
		material.fill(0);
		opened.set(row.id, key);
		return key;
	};

	await openEnvironmentKey(await latestEnvironmentRow());

	const ring: KeyRing = {
		async current(purpose, accountId = 0 as AccountId) {
			const name = `${purpose}/${accountId}`;
			const cached = currents.get(name);
			if (cached && cached.until > Date.now()) return cached.key;
			const key = await open(await insertOrRead(purpose, accountId, () => wrapByEnvironment(purpose, accountId, 1)));
			currents.set(name, { key, until: Date.now() + CURRENT_FOR_MS });
			return key;
		},
		async byId(id) {
			const known = opened.get(id);
			if (known) return known;
			const row = await store.findById(id);
			if (!row) throw new RootKeyError(`key ${id} does not exist in this database`);
			return open(row);
		},
		async all(purpose) {
			await ring.current(purpose);
			return Promise.all((await store.listByPurpose(purpose)).map(open));
		},
		async rotate(purpose, accountId = 0 as AccountId) {
			const before = await ring.current(purpose, accountId);
			const generation = before.generation + 1;
			const row = await insert(purpose, accountId, generation, await wrapByEnvironment(purpose, accountId, generation));
			await store.supersedeBefore(purpose, accountId, generation);
			currents.clear();
			return open(row);
		},
		async rotateEnvironmentKey(newRoot) {
			const rows = await store.listAll();
			const before = await latestEnvironmentRow();
			// Open everything under the old root first: after this point only memory is needed.
			const below = rows.filter((row) => row.purpose !== ENVIRONMENT);
			const keys = await Promise.all(below.map(open));
			if (newRoot) root = newRoot;
			await database.knex.transaction(async (transaction) => {
				const within = keyStore(transaction);
				const { wrapped } = await wrapByRoot();
				const generation = before.generation + 1;
				const row = await within.insert({
					purpose: ENVIRONMENT,
					account_id: 0,
					generation,
					wrapped_by: null,
					wrapped,
					state: 'active',
					created_at: clock.now().getTime(),
				});
				const wrapping = await openEnvironmentKey(row);
				for (const key of keys) {
					const label = associated(key.purpose, key.accountId, key.generation);
					const material = key.secret.export();
					await within.rewrap(key.id, seal(wrapping, material, label), row.id);
					material.fill(0);
				}
				await within.supersedeBefore(ENVIRONMENT, 0, generation);
			});
		},
		async list() {
			return (await store.listAll()).map(({ wrapped: _, ...row }) => row);
		},
		async check() {
			const row = await latestEnvironmentRow();
			(await root.unwrap(row.wrapped)).fill(0);
		},
	};
	return ring;
}

function associated(purpose: string, accountId: number, generation: number): Buffer {
	return Buffer.from(`tokendrop key ${purpose}/${accountId}/${generation}`);
}
