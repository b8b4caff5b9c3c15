// Manages the hierarchy of keys: the root key wraps the environment key, which wraps all other keys. Every sealed value
// names the key that sealed it, so keys can rotate without changing older values.

export type { Alongside, Retirement } from './master-key-change.ts';

import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { type Clock, systemClock } from '../clock.ts';
import { type Dialect, isUniqueViolation, transact } from '../database/dialect.ts';
import { shared } from '../database/gather.ts';
import type { AccountId, KeyId } from '../database/ids.ts';
import { type EnvironmentKeys, KEY_BYTES, keyLabel, type OpenedKeys, openEnvironmentKeys } from './environment-keys.ts';
import { ENVIRONMENT, type KeyRow, keyStore } from './key-store.ts';
import { type Alongside, type IsAlone, replaceEnvironmentKey, retireFormerMasterKeys } from './master-key-change.ts';
import { type RootKey, RootKeyAwayError, RootKeyError, UnknownKeyError } from './root-key.ts';
import { openEndedRows } from './rows/ended-rows.ts';
import { openRowSeals } from './rows/row-seals.ts';
import { seal, unseal } from './seal.ts';
import { reserveSeals } from './seal-count.ts';

/**
 * Tells what a key is used for. `data`, `cvv` and `fingerprint` are per account; the rest serve the installation:
 * `token` encrypts pointers, `drop` wraps file keys, `audit` chains the trail, `credential` keys the hashes of API keys
 * and session tokens, `secret` seals small secrets of ours (certificate key, stored passwords), `seal` makes the MACs
 * of rows that grant something.
 */
export type KeyPurpose = 'data' | 'cvv' | 'fingerprint' | 'token' | 'drop' | 'audit' | 'credential' | 'secret' | 'seal';

export interface SealingKey {
	readonly id: KeyId;
	readonly purpose: KeyPurpose;
	readonly accountId: number;
	readonly generation: number;
	/** The time of its creation, in milliseconds since 1970. */
	readonly createdAt: number;
	readonly secret: KeyObject;
}

/** Tells which master key this process has: the one in use or, if `replaced`, a former one that is not retired yet. */
export type MasterKeyState = 'present' | 'replaced';

/** Seals values directly under the environment key, without asking the database. */
export interface TopSealer {
	readonly keyId: KeyId;
	seal(plain: Uint8Array, label: Uint8Array): Buffer;
}

/** This error is thrown if the database belongs to the other environment. Sandbox and production never share one. */
export class EnvironmentMismatchError extends Error {
	override readonly name = 'EnvironmentMismatchError';
}

export type KeyRing = Awaited<ReturnType<typeof openKeyRing>>;

/**
 * Opens the key ring of a migrated database and creates the environment key if there is none. The first opening marks
 * the database with its environment. @throws EnvironmentMismatchError, RootKeyError
 */
export async function openKeyRing(options: {
	readonly database: { readonly knex: Knex; readonly dialect: Dialect };
	readonly root: RootKey;
	readonly environment: 'sandbox' | 'production';
	readonly clock?: Clock;
	/** Environment keys that another thread of this process has opened, so that the root key need not be asked. */
	readonly opened?: OpenedKeys;
	/** The path of the file that remembers ended rows outside the database. */
	readonly endedFile?: string;
	/** Called when that file cannot be written. */
	readonly onEndedFileFailed?: (error: unknown) => void;
}) {
	const { database, environment, clock = systemClock, endedFile, onEndedFileFailed } = options;
	const store = keyStore(database.knex);
	const now = () => clock.now().getTime();

	await store.stampEnvironment(environment, now());
	const stamped = await store.findEnvironment();
	if (stamped !== environment) {
		throw new EnvironmentMismatchError(`the database belongs to ${stamped}, this daemon runs as ${environment}`);
	}

	const opened = new Map<KeyId, SealingKey>();
	const environmentKeys = openEnvironmentKeys(store, options.root, options.opened);
	const parts = { database, environmentKeys, now };

	const open = async (row: KeyRow): Promise<SealingKey> => {
		const known = opened.get(row.id);
		if (known) return known;
		const wrapping = await environmentKeys.openById(row.wrapped_by);
		if (!wrapping) throw new RootKeyError(`key ${row.id} has no wrapping key`);
		const key = unwrapped(row, wrapping);
		opened.set(row.id, key);
		return key;
	};
	const unwrapped = (row: KeyRow, wrapping: KeyObject): SealingKey => {
		const material = unseal(wrapping, row.wrapped, keyLabel(row));
		const key: SealingKey = {
			id: row.id,
			purpose: row.purpose as KeyPurpose,
			accountId: row.account_id,
			generation: row.generation,
			createdAt: row.created_at,
			secret: createSecretKey(material),
		};
		material.fill(0);
		return key;
	};

	/**
	 * Adds the generation after `latest`, wrapped by the newest environment key. An older environment key must not wrap
	 * it, because the new key would then stay under a master key that is about to be removed.
	 */
	const insertAfter = async (
		purpose: string,
		accountId: number,
		wanted: 'first' | 'next',
		alongside?: (transaction: Knex.Transaction, generation: number, row: KeyRow, wrapping: KeyObject) => Promise<void>,
	) => {
		for (;;) {
			const wrappedBy = await environmentKeys.latest();
			const wrapping = await environmentKeys.open(wrappedBy);
			const row = await transact(database, async (transaction) => {
				const within = keyStore(transaction);
				await within.lock(database.dialect);
				if ((await within.findLatest(ENVIRONMENT, 0))?.id !== wrappedBy.id) return undefined;
				const before = await within.findLatest(purpose, accountId);
				if (before && wanted === 'first') return before;
				const generation = (before?.generation ?? 0) + 1;
				const named = { purpose, account_id: accountId, generation };
				const wrapped = wrapNew(wrapping, named);
				const states = { wrapped_by: wrappedBy.id, state: 'active', created_at: now() } as const;
				const inserted = await within.insert({ ...named, wrapped, ...states });
				await within.supersedeBefore(purpose, accountId, generation, now());
				await alongside?.(transaction, generation, inserted, wrapping);
				return inserted;
			});
			if (row) return row;
		}
	};

	await openFirst(store, environmentKeys, now());

	const currents = currentKeys(
		async ({ purpose, accountId }) =>
			open((await store.findLatest(purpose, accountId)) ?? (await insertAfter(purpose, accountId, 'first'))),
		store.addSeals,
	);

	const ended = openEndedRows({ knex: database.knex, clock, file: endedFile, onFileFailed: onEndedFileFailed });
	const ring = {
		/** Makes and checks MACs over rows that grant something. */
		seals: openRowSeals((): Promise<readonly SealingKey[]> => ring.all('seal'), ended, now),
		/**
		 * Creates the first key of a purpose of the installation and runs `alongside` in the same transaction; does nothing
		 * if there is a key. Tells whether it created one. @throws what `alongside` throws
		 */
		async begin(
			purpose: KeyPurpose,
			alongside: (transaction: Knex.Transaction, key: SealingKey) => Promise<void>,
		): Promise<boolean> {
			if (await store.findLatest(purpose, 0)) return false;
			let isMade = false;
			await insertAfter(purpose, 0, 'first', async (transaction, _, row, wrapping) => {
				await alongside(transaction, unwrapped(row, wrapping));
				isMade = true;
			});
			return isMade;
		},
		/**
		 * Returns the key that is currently used for sealing, and creates it on first use. Rotations by other daemons take
		 * effect within seconds.
		 */
		current: (purpose: KeyPurpose, accountId = 0 as AccountId) => currents.find({ purpose, accountId }),
		/**
		 * Returns the key with this id, to open a value that it sealed.
		 * @throws RootKeyError when its wrapping key is unreachable or the key does not exist.
		 */
		async byId(id: KeyId): Promise<SealingKey> {
			const known = opened.get(id);
			if (known) return known;
			const row = await store.findById(id);
			if (!row) throw new UnknownKeyError(`key ${id} does not exist in this database`);
			return open(row);
		},
		/** Returns all generations for a purpose of the installation or an account, newest first; there is at least one. */
		async all(
			purpose: 'token' | 'credential' | 'seal' | 'fingerprint',
			accountId = 0 as AccountId,
		): Promise<readonly SealingKey[]> {
			await ring.current(purpose, accountId);
			return Promise.all((await store.listByPurpose(purpose, accountId)).map(open));
		},
		/**
		 * Commits a new generation of a key. From then on older generations only unseal, and the sweep reseals what they
		 * have sealed. `alongside` runs in the same transaction.
		 */
		async rotate(purpose: KeyPurpose, accountId = 0 as AccountId, alongside?: Alongside): Promise<SealingKey> {
			// If the purpose has no key yet, this creates the first one, so that a rotation always adds a further
			// generation.
			await ring.current(purpose, accountId);
			const row = await insertAfter(purpose, accountId, 'next', alongside);
			currents.clear();
			return open(row);
		},
		/**
		 * Creates a new environment key, wrapped by the root key or by `newRoot`, and re-wraps every other key with it.
		 * Processes that have the former root key continue until `retireFormerMasterKeys`, unless `isAlone` says that there are
		 * none: then the former root key opens nothing from this moment. @throws RootKeyError if
		 * `newRoot` is already in use or, without `newRoot`, if this process does not have the root key that is in use
		 */
		rotateEnvironmentKey: (newRoot?: RootKey, alongside?: Alongside, isAlone?: IsAlone) =>
			replaceEnvironmentKey(parts, newRoot, alongside, isAlone),
		/**
		 * Destroys a superseded key for good, and runs `alongside` in the same transaction. The caller has made sure that
		 * nothing needs the key. Tells whether it existed; processes that have opened it forget it when they end.
		 */
		async destroy(id: KeyId, alongside: Alongside): Promise<boolean> {
			const isDone = await transact(database, async (transaction) => {
				const within = keyStore(transaction);
				await within.lock(database.dialect);
				const row = await within.findById(id);
				if (!row || !(await within.removeSuperseded(id))) return false;
				await alongside(transaction, row.generation);
				return true;
			});
			if (isDone) opened.delete(id);
			return isDone;
		},
		/** Removes the bridges for former master keys, unless a process still needs them; see `Retirement`. */
		retireFormerMasterKeys: (alongside?: Alongside) => retireFormerMasterKeys(parts, alongside),
		/** Returns a sealer with the current environment key, for values that depend on no key below it. @throws RootKeyError */
		async topSealer(): Promise<TopSealer> {
			const { id } = await environmentKeys.latest();
			const key = await environmentKeys.openById(id);
			return { keyId: id, seal: (plain, label) => seal(key!, plain, label) };
		},
		/**
		 * Opens a value that an environment key sealed. Returns undefined if that key is unknown, or cannot be opened with
		 * the present master key.
		 */
		async topOpener(id: KeyId): Promise<((sealed: Uint8Array, label: Uint8Array) => Buffer) | undefined> {
			const row = await store.findById(id);
			if (row?.purpose !== ENVIRONMENT) return undefined;
			try {
				const key = await environmentKeys.open(row);
				return (sealed, label) => unseal(key, sealed, label);
			} catch (error) {
				if (error instanceof RootKeyError && !(error instanceof RootKeyAwayError)) return undefined;
				throw error;
			}
		},
		/** Lists every key without its material, for `key status`. */
		async list(): Promise<readonly Omit<KeyRow, 'wrapped'>[]> {
			return (await store.listAll()).map(({ wrapped: _, ...row }) => row);
		},
		/** Returns the environment keys that are open, for a thread of this process. */
		listOpened: () => environmentKeys.listOpened(),
		/**
		 * Checks that the root key opens the environment key now, for readiness. If the root key opens it only by way of
		 * bridges, returns `replaced` and notes that the bridges are needed. @throws RootKeyError if the root key does not
		 * open the environment key, RootKeyAwayError if its service does not say so, or not within `withinMs`
		 */
		async check(withinMs?: number): Promise<MasterKeyState> {
			const row = await environmentKeys.latest();
			if (await environmentKeys.isUnderRoot(row, undefined, withinMs)) return 'present';
			if (!(await store.needBridges(now()))) await environmentKeys.requireRoot(row);
			await environmentKeys.open(row);
			return 'replaced';
		},
	};
	// The key of the seals is the first one below the environment key. So if there are other keys and this one is missing,
	// it was there and is gone.
	if ((await store.listAll()).every(({ purpose }) => purpose === ENVIRONMENT)) await ring.current('seal');
	return ring;
}

/** The current key is read from the database again after this time. */
const CURRENT_FOR_MS = 5_000;

/** Lists the purposes whose keys seal values; the keys of other purposes make MACs or encrypt single cipher blocks. */
const SEALING: ReadonlySet<KeyPurpose> = new Set(['data', 'cvv', 'drop', 'secret']);

/** Names a key by what it is used for, whatever its generation. */
type KeyScope = Pick<SealingKey, 'purpose'> & { readonly accountId: AccountId };

/** Keeps the keys that are currently used, for a few seconds each. `addSeals` stores how many more values a key is going to seal. */
function currentKeys(
	load: (scope: KeyScope) => Promise<SealingKey>,
	addSeals: (id: KeyId, seals: number) => Promise<void>,
) {
	const kept = new Map<string, { readonly key: SealingKey; readonly until: number }>();
	const nameOf = ({ purpose, accountId }: KeyScope) => `${purpose}/${accountId}`;
	// Callers that need a key at the same moment read it together.
	const read = shared(async (scope: KeyScope) => {
		const key = await load(scope);
		// Sealing under a key is reserved in the database in advance, for many values at once. This is done only when
		// the key is read, so the stored number of values may be too low for as long as the key is kept in memory.
		const seals = SEALING.has(scope.purpose) ? reserveSeals(key.secret) : 0;
		if (seals > 0) await addSeals(key.id, seals);
		kept.set(nameOf(scope), { key, until: Date.now() + CURRENT_FOR_MS });
		return key;
	}, nameOf);
	return {
		async find(scope: KeyScope): Promise<SealingKey> {
			const known = kept.get(nameOf(scope));
			return known && known.until > Date.now() ? known.key : read(scope);
		},
		clear: () => kept.clear(),
	};
}

function wrapNew(wrapping: KeyObject, named: Parameters<typeof keyLabel>[0]): Buffer {
	const material = randomBytes(KEY_BYTES);
	const wrapped = seal(wrapping, material, keyLabel(named));
	material.fill(0);
	return wrapped;
}

/** Opens the environment key, and creates the first one if there is none. If two processes create one at once, one is stored. */
async function openFirst(store: ReturnType<typeof keyStore>, keys: EnvironmentKeys, at: number): Promise<void> {
	if (!(await store.findLatest(ENVIRONMENT, 0))) {
		const { wrapped } = await keys.make();
		const named = { purpose: ENVIRONMENT, account_id: 0, generation: 1 };
		try {
			await store.insert({ ...named, wrapped_by: null, wrapped, state: 'active', created_at: at });
		} catch (error) {
			if (!isUniqueViolation(error)) throw error;
		}
	}
	await keys.open(await keys.latest());
}
