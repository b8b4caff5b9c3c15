// Manages the profiles of accounts and the presets of the installation.

import type { Knex } from 'knex';
import { type Clock, systemClock } from '../../../base/clock.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import type { Database } from '../../../base/database/open.ts';
import { ServiceError } from '../../../base/errors.ts';
import { told } from '../../../base/failures.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import type { Profile } from './profile.ts';
import { type ParseOptions, parseProfile } from './profile-document.ts';
import type { Environment } from './profile-rules.ts';
import { PROFILE_NAME } from './profile-schema.ts';
import { sealSecrets, shownProfile, unsealProfile } from './profile-secrets.ts';
import { type ProfileRow, profileStore, sealedProfiles } from './profile-store.ts';

/** Describes a profile as its account may see it, with stars for secrets. */
export type StoredProfile = ReturnType<typeof storedProfile>;

/**
 * A function that runs in the transaction in which a profile is saved or removed, for example to record the change. It
 * may use only this transaction for its queries.
 */
type Alongside<Changed> = (transaction: Knex.Transaction, changed: Changed) => Promise<void>;

/** Names the profile that a user opened to edit it, and the version that the user saw. */
export interface ReplacedProfile {
	/** The name of the profile; absent if the user writes a new one. */
	readonly name?: string;
	/** The version that the user has seen; 0 if they have seen none. */
	readonly version: number;
}

/** This error means that somebody else has saved or removed the profile since the user opened it. */
export class ProfileChangedError extends Error {
	override readonly name = 'ProfileChangedError';
	/** The profile as it is stored now; undefined if it was removed. */
	readonly current: StoredProfile | undefined;

	constructor(current: StoredProfile | undefined) {
		super('somebody else has changed the profile');
		this.current = current;
	}
}

export const MAX_PROFILES = 500;
/** A profile is kept in memory for this time, so a frequently used one costs only one query in that time. */
export const REMEMBERED_FOR_MS = 2000;
/** Only so many profiles are remembered, because callers choose the names, and absent ones are remembered too. */
const MAX_REMEMBERED = 5000;

interface Remembered {
	readonly ready: Promise<{ row: ProfileRow; profile: Profile } | undefined>;
	readonly until: number;
}

/** Profiles belong to the primary account (spec §2.5), so `accountId` is always the id of the primary account. */
export type Profiles = ReturnType<typeof openProfiles>;

/** Gives access to the profiles; the database must be migrated. */
export function openProfiles(options: {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly environment: Environment;
	/** The presets of the installation, as `loadPresets` returns them. */
	readonly presets: ReadonlyMap<string, Profile>;
	readonly clock?: Clock;
	/** Reads the text of a profile; a daemon does so in a thread. */
	readonly parse?: (accountId: AccountId, text: string, options: ParseOptions) => Promise<Profile>;
}) {
	const { database, keyRing, environment, presets, clock = systemClock } = options;
	const parse = options.parse ?? (async (_: AccountId, text: string, how: ParseOptions) => parseProfile(text, how));
	const store = profileStore(database.knex);
	const remembered = new Map<string, Remembered>();
	const cacheName = (accountId: AccountId, name: string) => `${accountId}/${name}`;

	/** Returns the row of a profile. A row that was tampered with is treated as missing; see `RowSeals.onBroken`. */
	const findGood = (accountId: AccountId, name: string): Promise<ProfileRow | undefined> =>
		keyRing.seals.find(sealedProfiles, () => store.find(accountId, name));
	const load = async (accountId: AccountId, name: string, before: Remembered | undefined) => {
		const row = await findGood(accountId, name);
		if (row === undefined) return undefined;
		const known = await before?.ready.catch(() => undefined);
		if (known !== undefined && isSame(known.row, row)) return known;
		return { row, profile: await unsealProfile(row, keyRing) };
	};

	/** Returns the profile that is to be replaced, with its secrets in clear. */
	const findReplaced = async (accountId: AccountId, name: string | undefined): Promise<Profile | undefined> => {
		const row = name !== undefined && PROFILE_NAME.test(name) ? await findGood(accountId, name) : undefined;
		return row && unsealProfile(row, keyRing);
	};

	const remember = (key: string, entry: Remembered) => {
		remembered.delete(key);
		remembered.set(key, entry);
		if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value!);
		entry.ready.catch(() => {
			if (remembered.get(key) === entry) remembered.delete(key);
		});
	};

	return {
		/** Returns the profile with exactly this name. Changes by other daemons take effect within `REMEMBERED_FOR_MS`. */
		async find(accountId: AccountId, name: string): Promise<Profile | undefined> {
			if (!PROFILE_NAME.test(name)) return undefined;
			const key = cacheName(accountId, name);
			const now = clock.now().getTime();
			let entry = remembered.get(key);
			if (entry === undefined || entry.until <= now) {
				entry = { ready: load(accountId, name, entry), until: now + REMEMBERED_FOR_MS };
				remember(key, entry);
			}
			return (await entry.ready)?.profile;
		},
		/** Returns the profile with stars in place of its secrets, as it may be shown. */
		async findStored(accountId: AccountId, name: string): Promise<StoredProfile | undefined> {
			const row = PROFILE_NAME.test(name) ? await findGood(accountId, name) : undefined;
			return row && storedProfile(row);
		},
		/**
		 * Saves a profile under the name that its text gives; `alongside` runs in the same transaction.
		 * @throws ProfileError if the text is not a usable profile, ServiceError if the account has too many profiles,
		 * ProfileChangedError if the stored profile does not have the version in `replacing`
		 */
		async put(
			accountId: AccountId,
			text: string,
			alongside?: Alongside<StoredProfile>,
			replacing?: ReplacedProfile,
		): Promise<StoredProfile> {
			const stored = await findReplaced(accountId, replacing?.name);
			const profile = await parse(accountId, text, { environment, stored });
			const sealing = await keyRing.current('secret');
			const now = clock.now().getTime();
			const row = await keyRing.seals.transact(database, async (transaction, sealer) => {
				const within = profileStore(transaction);
				const before = await within.find(accountId, profile.name);
				const isSeen = replacing === undefined || replacing.version === (before?.version ?? 0);
				if (!isSeen) throw new ProfileChangedError(before && storedProfile(before));
				if (before === undefined && (await within.count(accountId)) >= MAX_PROFILES) {
					const moreInfo = `an account has at most ${MAX_PROFILES} profiles`;
					throw new ServiceError('bad-input-data', { moreInfo, told: told('at-most', { limit: MAX_PROFILES }) });
				}
				const content = {
					account_id: accountId,
					name: profile.name,
					document: JSON.stringify(shownProfile(profile)),
					updated_at: before?.updated_at ?? now,
					...sealSecrets(profile, accountId, sealing),
				};
				await within.put({ ...(await sealer.renew(transaction, sealedProfiles, content)), created_at: now });
				const saved = (await within.find(accountId, profile.name))!;
				// Another transaction may have saved the profile since it was read above. In this case the error rolls back our
				// transaction.
				const isNext = replacing === undefined || saved.version === replacing.version + 1;
				if (!isNext) throw new ProfileChangedError(storedProfile(saved));
				await alongside?.(transaction, storedProfile(saved));
				return saved;
			});
			remembered.delete(cacheName(accountId, profile.name));
			return storedProfile(row);
		},
		async list(accountId: AccountId): Promise<readonly StoredProfile[]> {
			return (await keyRing.seals.list(sealedProfiles, () => store.list(accountId))).map(storedProfile);
		},
		/** Removes a profile and tells whether it existed; `alongside` runs only if it did. */
		async remove(accountId: AccountId, name: string, alongside?: Alongside<string>): Promise<boolean> {
			if (!PROFILE_NAME.test(name)) return false;
			const removed = await keyRing.seals.transact(database, async (transaction, sealer) => {
				const row = await profileStore(transaction).remove(accountId, name);
				if (!row) return false;
				await sealer.end(transaction, sealedProfiles, row);
				await alongside?.(transaction, name);
				return true;
			});
			remembered.delete(cacheName(accountId, name));
			return removed;
		},
		presets: () => [...presets.values()],
		findPreset: (name: string) => presets.get(name),
	};
}

/**
 * Tells whether two rows hold the same profile, so that its compiled form can be used again. Comparing the versions is
 * not enough: a profile may have been removed and a new one saved under its name, with the same version.
 */
function isSame(a: ProfileRow, b: ProfileRow): boolean {
	return a.document === b.document && Buffer.compare(a.sealed ?? Buffer.alloc(0), b.sealed ?? Buffer.alloc(0)) === 0;
}

function storedProfile(row: ProfileRow) {
	return {
		profile: JSON.parse(row.document) as Profile,
		/** The number of times that the profile was saved, from 1. */
		version: row.version,
		createdAt: new Date(row.created_at),
		updatedAt: new Date(row.updated_at),
	};
}
