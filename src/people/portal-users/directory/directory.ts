// Lets the directory of an account, such as Entra ID or Okta, create, change and remove the users of the account.

import type { Knex } from 'knex';
import { holdsCardNumber } from '../../../base/card/spelling/spelled-number.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import { badInput, ServiceError } from '../../../base/errors.ts';
import type { RowSealer } from '../../../base/keys/rows/row-seals.ts';
import type { Actor } from '../../../trail/actor.ts';
import { nameAlone } from '../../identity/accounts/user-id.ts';
import { letsNumbersOut } from '../grants.ts';
import type { PortalOptions } from '../options.ts';
import type { AccountRole } from '../rights.ts';
import { sealedPortalDirectory } from '../sealed-rows.ts';
import type { PortalUser, PortalUsers, UserRows } from '../users.ts';
import { type DirectoryRow, directoryStore } from './group-store.ts';
import { openDirectoryGroups, removeFromGroups } from './groups.ts';

/** What a directory says of a person beside what decides who gets in. It is kept as it came, and given back. */
export interface DirectoryProfile {
	readonly displayName?: string;
	readonly name?: Readonly<Record<string, string>>;
	readonly emails?: readonly Readonly<Record<string, string | boolean>>[];
}

export type DirectoryPerson = ReturnType<typeof shown>;

/** What a directory says of a person. What is undefined stays as it is; the profile is replaced as a whole. */
export interface DirectoryChange {
	readonly userName?: string;
	/** Null if the directory has no name for the person any more. */
	readonly externalId?: string | null;
	readonly isActive?: boolean;
	readonly role?: AccountRole;
	readonly profile?: DirectoryProfile;
}

const MOST_LISTED = 1_000;
const MAX_PROFILE_CHARACTERS = 8_192;
const MAX_EXTERNAL_ID_CHARACTERS = 255;

export type Directory = ReturnType<typeof openDirectory>;

export function openDirectory(options: PortalOptions, people: PortalUsers, users: UserRows) {
	const { database, keyRing, audit, clock } = options;
	const store = directoryStore(database.knex);
	const rowOf = (userId: number) => keyRing.seals.find(sealedPortalDirectory, () => store.find(userId));
	const get = async (accountId: AccountId, id: number): Promise<DirectoryPerson> => {
		const person = await directory.find(accountId, id);
		if (!person) throw new ServiceError('uri-not-found');
		return person;
	};
	const put = async (
		transaction: Knex.Transaction,
		sealer: RowSealer,
		user: { readonly id: number; readonly accountId: AccountId },
		said: { readonly externalId: string | null; readonly profile: DirectoryProfile },
	) => {
		const row = {
			user_id: user.id,
			account_id: user.accountId,
			external_id: said.externalId,
			profile: JSON.stringify(said.profile),
			created_at: clock.now().getTime(),
		};
		await directoryStore(transaction).put(await sealer.renew(transaction, sealedPortalDirectory, row));
	};

	const directory = {
		/** Lists the users of an account, oldest first; only those of a name, or of a name of the directory, if one is given. */
		async list(accountId: AccountId, of?: { readonly userName: string } | { readonly externalId: string }) {
			if (of && 'externalId' in of) {
				const read = () => store.listByExternalId(accountId, of.externalId);
				const rows = await keyRing.seals.list(sealedPortalDirectory, read);
				const found = await Promise.all(rows.map(({ user_id: id }) => directory.find(accountId, id)));
				return found.filter((person) => person !== undefined);
			}
			const rows = await keyRing.seals.list(sealedPortalDirectory, () => store.list(accountId, MOST_LISTED));
			const byUser = new Map(rows.map((row) => [row.user_id, row]));
			const users = (await people.list(accountId)).filter(({ isBroken }) => !isBroken);
			const all = users.map((user) => shown(user, byUser.get(user.id)));
			const wanted = of?.userName.normalize('NFC').toLowerCase();
			return wanted === undefined ? all : all.filter(({ userName }) => userName === wanted);
		},
		async find(accountId: AccountId, id: number): Promise<DirectoryPerson | undefined> {
			const user = await people.find(accountId, id);
			return user && shown(user, await rowOf(user.id));
		},
		/**
		 * Adds a user, who is a viewer unless told otherwise.
		 * @throws ServiceError if the name is taken or not valid, or a directory may not give the role
		 */
		async add(accountId: AccountId, person: DirectoryChange & { readonly userName: string }, actor: Actor) {
			const { userName: name, externalId = null, isActive = true, role = 'viewer', profile = {} } = person;
			requireMayGive(role);
			requireKeepable(externalId, profile);
			const added = { name, of: { accountId, role }, chosenBy: 'directory' } as const;
			const { id } = await people.add(added, actor, (transaction, sealer, row) =>
				put(transaction, sealer, { id: row.id, accountId }, { externalId, profile }),
			);
			if (!isActive) await people.setBlocked(id, true, actor);
			return get(accountId, id);
		},
		/** Changes a user of the account. @throws ServiceError as `add` does */
		async change(
			{ user, ...before }: DirectoryPerson,
			{ userName, isActive, role, ...said }: DirectoryChange,
			actor: Actor,
		): Promise<DirectoryPerson> {
			const { id } = user;
			const accountId = user.accountId!;
			const { externalId = before.externalId ?? null, profile = before.profile } = said;
			requireKeepable(externalId, profile);
			const isNewRole = role !== undefined && role !== user.role;
			if (isNewRole) requireMayGive(role);
			// Somebody who leaves is out before anything else of them is changed.
			const isBlocked = user.blockedAt !== null;
			if (isActive === false && !isBlocked) await people.setBlocked(id, true, actor);
			if (userName !== undefined && userName.normalize('NFC').trim().toLowerCase() !== before.userName)
				await people.rename(id, userName, actor);
			if (isNewRole) await people.setRole(id, role, actor);
			const isSaidAnew = externalId !== (before.externalId ?? null) || !isSame(profile, before.profile);
			if (isSaidAnew)
				await keyRing.seals.transact(database, async (transaction, sealer) => {
					await put(transaction, sealer, { id, accountId }, { externalId, profile });
					const entry = { actor, action: 'portal-user.directory', subject: `portal-user ${id}`, details: {} };
					await audit.record(entry, transaction);
				});
			if (isActive === true && isBlocked) await people.setBlocked(id, false, actor);
			return get(accountId, id);
		},
		remove: ({ user }: DirectoryPerson, actor: Actor) => people.remove(user.id, actor),
		groups: openDirectoryGroups(options, users),
	};
	return directory;
}

function shown(user: PortalUser, row: DirectoryRow | undefined) {
	return {
		user,
		/** The name without the account in front. */
		userName: nameAlone(user.name),
		externalId: row?.external_id ?? undefined,
		profile: row ? (JSON.parse(row.profile) as DirectoryProfile) : {},
	};
}

/** Removes what a directory says of a user, so that it does not count again if somebody puts its rows back. */
export async function removeFromDirectory(transaction: Knex.Transaction, sealer: RowSealer, userId: number) {
	await sealer.end(transaction, sealedPortalDirectory, ...(await directoryStore(transaction).remove(userId)));
	await removeFromGroups(transaction, sealer, userId);
}

function requireMayGive(role: AccountRole): void {
	if (!letsNumbersOut(role)) return;
	throw badInput('roles', 'a manager gets at card numbers, so another manager makes one, in the portal');
}

function requireKeepable(externalId: string | null, profile: DirectoryProfile): void {
	const text = JSON.stringify(profile);
	if (text.length > MAX_PROFILE_CHARACTERS) throw badInput('name', 'what is said of a person is too long');
	if ((externalId ?? '').length > MAX_EXTERNAL_ID_CHARACTERS)
		throw badInput('externalId', 'expected at most 255 characters');
	if (holdsCardNumber(text)) throw badInput('name', 'must not look like a card number');
	if (holdsCardNumber(externalId ?? '')) throw badInput('externalId', 'must not look like a card number');
}

function isSame(left: DirectoryProfile, right: DirectoryProfile): boolean {
	return JSON.stringify(left) === JSON.stringify(right);
}
