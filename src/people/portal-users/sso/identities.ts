// Links people at providers to users, creates users by the rules of groups, and lets their roles follow the groups.

import type { Knex } from 'knex';
import { isUniqueViolation } from '../../../base/database/dialect.ts';
import { ServiceError } from '../../../base/errors.ts';
import type { RowSealer } from '../../../base/keys/rows/row-seals.ts';
import type { Account } from '../../identity/accounts/accounts.ts';
import type { Client } from '../client.ts';
import type { Directory } from '../directory/directory.ts';
import { letsNumbersOut } from '../grants.ts';
import type { PortalOptions } from '../options.ts';
import type { AccountRole } from '../rights.ts';
import { sealedPortalIdentities } from '../sealed-rows.ts';
import type { PortalUserRow } from '../user-store.ts';
import type { PortalUsers, UserRows } from '../users.ts';
import type { GroupRule } from './declared-provider.ts';
import { roleAfter, ruleFor } from './group-rules.ts';
import { hashAtProvider, type IdentityRow, identityStore } from './identity-store.ts';
import type { ProvenPerson } from './provider.ts';
import type { OpenedProvider } from './providers.ts';

type Declared = OpenedProvider['declared'];

export type Identities = ReturnType<typeof openIdentities>;

export function openIdentities(
	options: PortalOptions,
	parts: { readonly users: UserRows; readonly people: PortalUsers; readonly directory: Directory },
) {
	const { users, people, directory } = parts;
	const { database, keyRing, audit, clock, identity } = options;
	const store = identityStore(database.knex);
	const now = () => clock.now().getTime();
	const actorAt = ({ userId, parentId, id }: Account, { name }: Declared, { address }: Client) => {
		return { userId, accountId: parentId ?? id, credential: `provider ${name}`, address };
	};
	const actorOf = async ({ account }: GroupRule, provider: Declared, client: Client) => {
		const found = await identity.accounts.find(account);
		if (!found || found.disabledAt !== null) return undefined;
		return { account: found, actor: actorAt(found, provider, client) };
	};

	const identities = {
		/** Finds the link of a person; undefined if there is none, or somebody has altered its row. */
		find: ({ issuer, subject }: Pick<ProvenPerson, 'issuer' | 'subject'>) =>
			keyRing.seals.find(sealedPortalIdentities, () => store.findById(hashAtProvider(issuer, subject))),
		async issuersOf(userId: number): Promise<string[]> {
			const rows = await keyRing.seals.list(sealedPortalIdentities, () => store.listOf(userId));
			return rows.map(({ issuer }) => issuer);
		},
		/** Writes a link. `role` is the one that a rule has given. */
		async link(
			transaction: Knex.Transaction,
			sealer: RowSealer,
			linked: {
				readonly person: Pick<ProvenPerson, 'issuer' | 'subject'>;
				readonly user: Pick<PortalUserRow, 'id' | 'account_id'>;
				readonly role: AccountRole | null;
			},
		): Promise<void> {
			const { user, role } = linked;
			const { issuer, subject } = linked.person;
			const row = {
				id: hashAtProvider(issuer, subject),
				issuer,
				subject,
				user_id: user.id,
				account_id: user.account_id,
				given_role: role,
				created_at: now(),
			};
			await identityStore(transaction).insert(await sealer.renew(transaction, sealedPortalIdentities, row));
		},
		/**
		 * Links a person to the user whom the directory of an account has made for them; undefined if there is none. A user who
		 * gets at card numbers is linked by an invitation only, because a directory may not make one.
		 */
		async linkFromDirectory(provider: Declared, person: ProvenPerson, client: Client) {
			const { name, directory: from } = provider;
			const account = from && (await identity.accounts.find(from.account));
			if (!account || person.directoryId === undefined) return undefined;
			const found = await directory.list(account.id, { externalId: person.directoryId });
			const user = found.length === 1 ? await users.findById(found[0].user.id) : undefined;
			if (!user || user.blocked_at !== null || letsNumbersOut(user.role)) return undefined;
			if ((await identities.issuersOf(user.id)).includes(person.issuer)) return undefined;
			const { issuer, subject } = person;
			const actor = actorAt(account, provider, client);
			await keyRing.seals.transact(database, async (transaction, sealer) => {
				await identities.link(transaction, sealer, { person, user, role: null });
				const details = { provider: name, issuer, subject, by: 'directory' };
				const about = `portal-user ${user.id}`;
				await audit.record({ actor, action: 'portal-user.provider', subject: about, details }, transaction);
			});
			return directory.groups.follow(user, () => actor);
		},
		/** Creates the user of a person by the first rule for one of their groups; undefined if there is none. */
		async create(provider: Declared, person: ProvenPerson, client: Client): Promise<PortalUserRow | undefined> {
			const rule = ruleFor(provider.rules, person.groups);
			const within = rule && (await actorOf(rule, provider, client));
			if (!within || person.name === undefined) return undefined;
			const { role } = rule;
			const added = { name: person.name, of: { accountId: within.account.id, role }, chosenBy: 'directory' } as const;
			try {
				const user = await people.add(added, within.actor, (transaction, sealer, row) =>
					identities.link(transaction, sealer, { person, user: row, role }),
				);
				return await users.findById(user.id);
			} catch (error) {
				// The name that the provider says may be none here, or belong to somebody whom only an invitation links.
				const isRefused = error instanceof ServiceError && error.reason === 'bad-input-data';
				if (!isRefused && !isUniqueViolation(error)) throw error;
				return undefined;
			}
		},
		/**
		 * Gives a person whom a rule has created the role that the rules say now. Returns undefined if no rule is for them any
		 * more. A role that people have given since then stays, and so does that of somebody who was invited. Somebody who is in
		 * groups of a directory gets the role that the rules say of these.
		 */
		async follow(
			provider: Declared,
			person: ProvenPerson,
			{ user, row }: { readonly user: PortalUserRow; readonly row: IdentityRow },
			client: Client,
		): Promise<PortalUserRow | undefined> {
			if (row.given_role === null)
				return directory.groups.follow(user, (account) => actorAt(account, provider, client));
			const account = user.account_id === null ? undefined : await identity.accounts.findById(user.account_id);
			const rule = account && ruleFor(provider.rules, person.groups, account.userId);
			const within = rule && (await actorOf(rule, provider, client));
			if (!within) return undefined;
			const { role: before } = user;
			const role = roleAfter({ before, given: row.given_role, ruled: rule.role });
			if (role === undefined) return user;
			return keyRing.seals.transact(database, async (transaction, sealer) => {
				const next = await users.change(transaction, sealer, user, { role });
				const given = { ...row, given_role: role };
				const renewed = await sealer.renew(transaction, sealedPortalIdentities, given);
				const { created_at, seal_key, seal } = renewed;
				await identityStore(transaction).change({ id: row.id, given_role: role, created_at, seal_key, seal });
				const details = { before, role, account: within.account.userId };
				const subject = `portal-user ${user.id}`;
				await audit.record({ actor: within.actor, action: 'portal-user.role', subject, details }, transaction);
				return next;
			});
		},
	};
	return identities;
}

/** Removes the links of a user to providers, so that none of them works again if somebody puts its row back. */
export async function removeIdentities(transaction: Knex.Transaction, sealer: RowSealer, userId: number) {
	await sealer.end(transaction, sealedPortalIdentities, ...(await identityStore(transaction).removeOf(userId)));
}
