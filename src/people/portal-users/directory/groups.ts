// Keeps the groups that the directory of an account sends, and who is in them. What a group gives is decided by the rules
// of the provider that names this directory in its file, as it is where the provider itself says the groups of somebody.

import type { Knex } from 'knex';
import { holdsCardNumber } from '../../../base/card/spelling/spelled-number.ts';
import { isUniqueViolation } from '../../../base/database/dialect.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import { badInput, ServiceError } from '../../../base/errors.ts';
import type { RowSealer } from '../../../base/keys/rows/row-seals.ts';
import type { Actor } from '../../../trail/actor.ts';
import type { Account } from '../../identity/accounts/accounts.ts';
import type { PortalOptions } from '../options.ts';
import type { AccountRole } from '../rights.ts';
import { sealedPortalGroups, sealedPortalMemberships, sealedPortalUsers } from '../sealed-rows.ts';
import type { GroupRule } from '../sso/declared-provider.ts';
import { roleAfter, ruleFor } from '../sso/group-rules.ts';
import { type PortalUserRow, userStore } from '../user-store.ts';
import type { UserRows } from '../users.ts';
import { type GroupRow, groupStore, type MembershipRow } from './group-store.ts';

export type DirectoryGroup = ReturnType<typeof shown>;

/** What a directory says of a group; it takes the place of everything that it said before. */
export interface DirectoryGroupChange {
	readonly name: string;
	readonly externalId: string | null;
	readonly members: readonly number[];
}

type MembersByGroup = ReadonlyMap<number, readonly { readonly user: number }[]>;

/** The role of somebody for whom no rule is: that of everybody of whom a directory says no role. */
const WITHOUT_RULE: AccountRole = 'viewer';
const MOST_GROUPS = 1_000;
const MAX_NAME_CHARACTERS = 255;

/** What one transaction reads and writes, while no other one changes the groups of the account. */
interface Step {
	readonly transaction: Knex.Transaction;
	readonly sealer: RowSealer;
	readonly account: Account;
	readonly actor: Actor;
}

export type DirectoryGroups = ReturnType<typeof openDirectoryGroups>;

export function openDirectoryGroups(options: PortalOptions, users: UserRows) {
	const { database, keyRing, audit, clock, identity, providers } = options;
	const store = groupStore(database.knex);
	const now = () => clock.now().getTime();

	const rulesOf = ({ userId }: Account): GroupRule[] =>
		(providers?.list() ?? [])
			.filter(({ declared }) => declared.directory?.account === userId)
			.flatMap(({ declared }) => declared.rules);
	const accountOf = async (id: AccountId): Promise<Account> => {
		const account = await identity.accounts.findById(id);
		if (!account) throw new ServiceError('uri-not-found');
		return account;
	};
	const inStep = async <T>(accountId: AccountId, actor: Actor, work: (step: Step) => Promise<T>): Promise<T> => {
		const account = await accountOf(accountId);
		try {
			return await keyRing.seals.transact(database, async (transaction, sealer) => {
				await groupStore(transaction).lock(accountId);
				return work({ transaction, sealer, account, actor });
			});
		} catch (error) {
			if (!isUniqueViolation(error)) throw error;
			throw badInput('displayName', 'is taken; choose another');
		}
	};
	const record = ({ transaction, actor, account }: Step, action: string, subject: string, details: object) =>
		audit.record({ actor, action, subject, details: { account: account.userId, ...details } }, transaction);
	const groupsIn = async ({ transaction, sealer, account }: Step): Promise<GroupRow[]> =>
		(await groupStore(transaction).list(account.id)).filter((row) => sealer.isIntact(sealedPortalGroups, row));
	const membershipsIn = async ({ transaction, sealer, account }: Step): Promise<MembershipRow[]> => {
		const rows = await groupStore(transaction).listMemberships(account.id);
		return rows.filter((row) => sealer.isIntact(sealedPortalMemberships, row));
	};
	const getIn = async (step: Step, id: number): Promise<DirectoryGroup> => {
		const row = (await groupsIn(step)).find((each) => each.id === id);
		if (!row) throw new ServiceError('uri-not-found');
		return shown(row, membersByGroup(await membershipsIn(step)));
	};

	/** Writes the groups of a user, and gives them the role that follows. The groups themselves are written before. */
	const settle = async (
		step: Step,
		{ userId, groups: known }: { readonly userId: number; readonly groups: readonly GroupRow[] },
		change: (before: readonly number[]) => readonly number[],
	) => {
		const { transaction, sealer, account } = step;
		const user = await userStore(transaction).findById(userId);
		if (!user || user.account_id !== account.id || !sealer.isIntact(sealedPortalUsers, user))
			throw badInput('members', `there is no such person: ${userId}`);
		const found = await groupStore(transaction).findMembership(userId);
		const row = found && sealer.isIntact(sealedPortalMemberships, found) ? found : undefined;
		const before = row ? idsOf(row) : [];
		const after = [...new Set(change(before))].sort((a, b) => a - b);
		const names = known.filter(({ id }) => after.includes(id)).flatMap(namesOf);
		const ruled = ruleFor(rulesOf(account), names, account.userId)?.role ?? WITHOUT_RULE;
		const given = row?.given_role ?? WITHOUT_RULE;
		const role = roleAfter({ before: user.role, given, ruled });
		const [joined, left] = [after.filter((id) => !before.includes(id)), before.filter((id) => !after.includes(id))];
		if (role === undefined && joined.length + left.length === 0) return user;
		const next = {
			user_id: userId,
			account_id: account.id,
			group_ids: JSON.stringify(after),
			given_role: role ?? given,
			created_at: found?.created_at ?? now(),
		};
		await groupStore(transaction).putMembership(await sealer.renew(transaction, sealedPortalMemberships, next));
		const subject = `portal-user ${userId}`;
		if (joined.length + left.length > 0) await record(step, 'portal-user.groups', subject, { joined, left });
		if (role === undefined) return user;
		const changed = await users.change(transaction, sealer, user, { role });
		await record(step, 'portal-user.role', subject, { before: user.role, role, by: 'group' });
		return changed;
	};
	const settleAll = async (
		step: Step,
		members: readonly number[],
		change: (before: readonly number[]) => readonly number[],
	) => {
		const known = await groupsIn(step);
		for (const userId of members) await settle(step, { userId, groups: known }, change);
	};
	const join = (step: Step, id: number, members: readonly number[]) =>
		settleAll(step, members, (before) => [...before, id]);
	const leave = (step: Step, id: number, members: readonly number[]) =>
		settleAll(step, members, (before) => before.filter((other) => other !== id));

	const groups = {
		async list(accountId: AccountId): Promise<DirectoryGroup[]> {
			const rows = await keyRing.seals.list(sealedPortalGroups, () => store.list(accountId));
			const memberships = await keyRing.seals.list(sealedPortalMemberships, () => store.listMemberships(accountId));
			const members = membersByGroup(memberships);
			return rows.map((row) => shown(row, members));
		},
		/** Returns the groups in which each user is, by the id of the user. */
		async listByMember(
			accountId: AccountId,
		): Promise<ReadonlyMap<number, readonly { readonly group: DirectoryGroup }[]>> {
			const all = (await groups.list(accountId)).flatMap((group) => group.members.map((user) => ({ user, group })));
			return Map.groupBy(all, ({ user }) => user);
		},
		find: async (accountId: AccountId, id: number) => (await groups.list(accountId)).find((group) => group.id === id),
		/** @throws ServiceError if the name is taken or not valid, or somebody is not a user of the account */
		add(accountId: AccountId, said: DirectoryGroupChange, actor: Actor): Promise<DirectoryGroup> {
			requireKeepable(said);
			return inStep(accountId, actor, async (step) => {
				const { transaction, sealer } = step;
				const { name, externalId: external_id, members } = said;
				if ((await groupStore(transaction).list(accountId)).length >= MOST_GROUPS)
					throw new ServiceError('bad-input-data', { moreInfo: `an account has at most ${MOST_GROUPS} groups` });
				const row = await groupStore(transaction).insert({
					account_id: accountId,
					name,
					external_id,
					created_at: now(),
				});
				await groupStore(transaction).change(row.id, sealer.seal(sealedPortalGroups, row));
				await record(step, 'portal-group.add', `portal-group ${row.id}`, { name });
				await join(step, row.id, members);
				return getIn(step, row.id);
			});
		},
		/** Changes a group; `changeOf` is told how it is, while nobody else changes it. @throws ServiceError as `add` does */
		change(
			{ accountId, id }: Pick<DirectoryGroup, 'id' | 'accountId'>,
			changeOf: (now: DirectoryGroup) => DirectoryGroupChange,
			actor: Actor,
		): Promise<DirectoryGroup> {
			return inStep(accountId, actor, async (step) => {
				const { transaction, sealer } = step;
				const before = await getIn(step, id);
				const { name, externalId, members } = changeOf(before);
				requireKeepable({ name, externalId, members });
				const isNamedAnew = name !== before.name || externalId !== (before.externalId ?? null);
				if (isNamedAnew) {
					const row = { id, account_id: accountId, name, external_id: externalId, created_at: now() };
					await groupStore(transaction).change(id, await sealer.renew(transaction, sealedPortalGroups, row));
					await record(step, 'portal-group.change', `portal-group ${id}`, { before: before.name, name });
				}
				const wanted = new Set(members);
				const gone = before.members.filter((userId) => !wanted.has(userId));
				await leave(step, id, gone);
				// Another name may be that of a rule, and so give those who stay another role.
				const isHere = new Set(isNamedAnew ? [] : before.members);
				await join(
					step,
					id,
					members.filter((userId) => !isHere.has(userId)),
				);
				return getIn(step, id);
			});
		},
		/** Removes a group. Its members stay, without what it gave them. */
		remove({ accountId, id }: Pick<DirectoryGroup, 'id' | 'accountId'>, actor: Actor): Promise<void> {
			return inStep(accountId, actor, async (step) => {
				const { name, members } = await getIn(step, id);
				const { transaction, sealer } = step;
				await sealer.end(transaction, sealedPortalGroups, ...(await groupStore(transaction).remove(id)));
				await leave(step, id, members);
				await record(step, 'portal-group.remove', `portal-group ${id}`, { name });
			});
		},
		/**
		 * Gives a user the role that the rules say now of the groups in which the directory has put them, and returns the row.
		 * The rules may have changed since the directory spoke last.
		 */
		async follow(user: PortalUserRow, actorOf: (account: Account) => Actor): Promise<PortalUserRow> {
			const { account_id: accountId } = user;
			const isKnown = accountId !== null && (await store.findMembership(user.id)) !== undefined;
			if (!isKnown) return user;
			const actor = actorOf(await accountOf(accountId));
			return inStep(accountId, actor, async (step) =>
				settle(step, { userId: user.id, groups: await groupsIn(step) }, (before) => before),
			);
		},
	};
	return groups;
}

/** Removes what is known of the groups of a user, so that it does not count again if somebody puts its row back. */
export async function removeFromGroups(transaction: Knex.Transaction, sealer: RowSealer, userId: number) {
	const removed = await groupStore(transaction).removeMembership(userId);
	await sealer.end(transaction, sealedPortalMemberships, ...removed);
}

/** Returns the users in each group. A row is read once, not for each group. */
function membersByGroup(memberships: readonly MembershipRow[]): MembersByGroup {
	const all = memberships.flatMap((row) => idsOf(row).map((group) => ({ group, user: row.user_id })));
	return Map.groupBy(all, ({ group }) => group);
}

function shown({ id, account_id: accountId, name, external_id }: GroupRow, all: MembersByGroup) {
	return {
		id,
		accountId,
		name,
		/** How the directory itself calls the group. */
		externalId: external_id ?? undefined,
		/** The ids of the users who are in it. */
		members: (all.get(id) ?? []).map(({ user }) => user),
	};
}

function idsOf({ group_ids }: MembershipRow): number[] {
	return JSON.parse(group_ids) as number[];
}

/** Returns the names by which a rule may name a group. Providers that list no names of groups list what the directory calls them. */
function namesOf({ name, external_id }: GroupRow): string[] {
	return external_id === null ? [name] : [name, external_id];
}

function requireKeepable({ name, externalId }: DirectoryGroupChange): void {
	for (const [field, text] of [
		['displayName', name],
		['externalId', externalId ?? ''],
	]) {
		const problem =
			text.length > MAX_NAME_CHARACTERS
				? `expected at most ${MAX_NAME_CHARACTERS} characters`
				: holdsCardNumber(text) && 'must not look like a card number';
		if (problem) throw badInput(field, problem);
	}
}
