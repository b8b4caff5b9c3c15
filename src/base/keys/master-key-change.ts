// Replaces the environment key and, if wanted, the master key above it.

import type { Knex } from 'knex';
import { transact } from '../database/dialect.ts';
import type { Database } from '../database/open.ts';
import { type EnvironmentKeys, keyLabel } from './environment-keys.ts';
import { BRIDGE, ENVIRONMENT, type KeyRow, keyStore } from './key-store.ts';
import { type RootKey, RootKeyError } from './root-key.ts';
import { seal, unseal } from './seal.ts';

/** Work of the caller that runs in the same transaction as a change of keys. It may query only that transaction. */
export type Alongside = (transaction: Knex.Transaction, generation: number) => Promise<void>;

/** Tells, in the transaction of a change, that no other process has opened the keys. It may query only that transaction. */
export type IsAlone = (transaction: Knex.Transaction) => Promise<boolean>;

/**
 * Tells what came of retiring the former master keys. `none`: there is no former master key. `retired`: there was one,
 * and it opens nothing in this database any more. `needed`: a process has used a former master key recently, or this
 * process itself has no newer one.
 */
export type Retirement = 'none' | 'retired' | 'needed';

/**
 * A bridge is regarded as needed for this time after a process has reported that it needs it. Every process on a former
 * master key reports more often.
 */
export const NEEDED_FOR_MS = 60_000;

/**
 * Commits a new environment key, under `newRoot` if given, which wraps every other key from then on.
 * @throws RootKeyError if `newRoot` is already in use or, without `newRoot`, if this process does not have the root key
 * that is in use
 */
export async function replaceEnvironmentKey(
	parts: {
		database: Pick<Database, 'knex' | 'dialect'>;
		environmentKeys: EnvironmentKeys;
		now(): number;
	},
	newRoot: RootKey | undefined,
	alongside: Alongside | undefined,
	isAlone?: IsAlone,
): Promise<void> {
	while (!(await tryToReplace(parts, newRoot, alongside, isAlone))) {
		// Another process has replaced the environment key meanwhile, so this starts again from the new one.
	}
}

async function tryToReplace(
	parts: { database: Pick<Database, 'knex' | 'dialect'>; environmentKeys: EnvironmentKeys; now(): number },
	newRoot: RootKey | undefined,
	alongside: Alongside | undefined,
	isAlone: IsAlone | undefined,
): Promise<boolean> {
	const { database, environmentKeys, now } = parts;
	const before = await environmentKeys.latest();
	const beforeKey = await environmentKeys.open(before);
	if (newRoot && (await environmentKeys.isUnderRoot(before, newRoot))) {
		throw new RootKeyError(`${newRoot.description}: this is the master key in use, not a new one`);
	}
	if (!newRoot && !(await environmentKeys.isUnderRoot(before))) {
		throw new RootKeyError('the master key was replaced: give this command the new one');
	}
	// The keys that wrap others are opened before the transaction, because only the transaction may be queried inside
	// it.
	const below = (await keyStore(database.knex).listAll()).filter(isBelow);
	for (const id of new Set(below.map((row) => row.wrapped_by))) await environmentKeys.openById(id);
	const { key, wrapped } = await environmentKeys.make(newRoot);

	const row = await transact(database, async (transaction) => {
		const within = keyStore(transaction);
		await within.lock(database.dialect);
		if ((await within.findLatest(ENVIRONMENT, 0))?.id !== before.id) return undefined;
		const generation = before.generation + 1;
		const named = { account_id: 0, generation, state: 'active', created_at: now() } as const;
		const rows = await within.listAll();
		const inserted = await within.insert({ ...named, purpose: ENVIRONMENT, wrapped_by: null, wrapped });
		// A process that needed a bridge to the previous key needs one to this key too.
		if (newRoot && (await isAlone?.(transaction))) await within.removeBridges();
		else if (newRoot || rows.some(({ purpose }) => purpose === BRIDGE)) {
			const over = environmentKeys.bridge(beforeKey, key, generation);
			await within.insert({ ...named, purpose: BRIDGE, wrapped_by: before.id, wrapped: over, needed_at: now() });
		}
		for (const each of rows.filter(isBelow)) {
			const under = environmentKeys.findOpened(each.wrapped_by);
			if (!under) throw new RootKeyError(`key ${each.id} has no wrapping key`);
			const material = unseal(under, each.wrapped, keyLabel(each));
			await within.rewrap(each.id, seal(key, material, keyLabel(each)), inserted.id);
			material.fill(0);
		}
		await within.supersedeBefore(ENVIRONMENT, 0, generation, now());
		await alongside?.(transaction, generation);
		return inserted;
	});
	if (row) environmentKeys.takeUp(row, key, newRoot);
	return row !== undefined;
}

/**
 * Tells whether a key is wrapped by an environment key and has to be wrapped again. Bridges are excluded, because
 * processes with a former master key open them with a former environment key.
 */
function isBelow({ purpose }: KeyRow): boolean {
	return purpose !== ENVIRONMENT && purpose !== BRIDGE;
}

/** Removes the bridges once no process needs them. Only a process with the present master key may do so. */
export async function retireFormerMasterKeys(
	parts: { database: Pick<Database, 'knex' | 'dialect'>; environmentKeys: EnvironmentKeys; now(): number },
	alongside: Alongside | undefined,
): Promise<Retirement> {
	const { database, environmentKeys, now } = parts;
	const latest = await environmentKeys.latest();
	const hasPresent = await environmentKeys.isUnderRoot(latest);
	return transact(database, async (transaction) => {
		const within = keyStore(transaction);
		await within.lock(database.dialect);
		const bridges = (await within.listAll()).filter(({ purpose }) => purpose === BRIDGE);
		if (bridges.length === 0) return 'none';
		const isSame = (await within.findLatest(ENVIRONMENT, 0))?.id === latest.id;
		if (!hasPresent || !isSame || isNeeded(bridges, now())) return 'needed';
		await within.removeBridges();
		await alongside?.(transaction, latest.generation);
		return 'retired';
	});
}

/** Tells whether a process has used one of the bridges recently. */
export function isNeeded(bridges: readonly Pick<KeyRow, 'needed_at'>[], at: number): boolean {
	return bridges.some(({ needed_at }) => at - (needed_at ?? 0) < NEEDED_FOR_MS);
}
