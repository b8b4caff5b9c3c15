// Manages the users of the portal: those of accounts, and operators. A change of a user's access ends their sessions
// and their earlier links.

import type { Knex } from 'knex';
import { holdsCardNumber } from '../../base/card/spelling/spelled-number.ts';
import { isUniqueViolation } from '../../base/database/dialect.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { ListPage } from '../../base/database/list-page.ts';
import { badInput, ServiceError, type Told } from '../../base/errors.ts';
import { told } from '../../base/failures.ts';
import type { RowSealer } from '../../base/keys/rows/row-seals.ts';
import type { Actor } from '../../trail/actor.ts';
import { nameAlone, nameWithin } from '../identity/accounts/user-id.ts';
import { removeFromDirectory } from './directory/directory.ts';
import { removeFactors } from './factors/remove-factors.ts';
import type { PortalOptions } from './options.ts';
import { isAccountRole, type PortalRole } from './rights.ts';
import { sealedPortalUsers } from './sealed-rows.ts';
import { removeIdentities } from './sso/identities.ts';
import { type PortalUserRow, userStore } from './user-store.ts';

export type PortalUser = ReturnType<typeof userOf>;

export interface NewPortalUser {
	readonly name: string;
	/** The account of the user and their role in it, or the name of an operator. */
	readonly of: { readonly accountId: AccountId; readonly role: string } | { readonly operator: string };
	/**
	 * Who has chosen the name: an operator unless given. People of the account must not learn from the outcome which names
	 * other accounts have. Therefore the user gets the name behind that of the account, unless it is a mail address that
	 * only its reader will see in the link: then it stands alone if nobody has it. A name that a provider or a directory
	 * says always stands behind that of the account, because nobody has shown that it is theirs.
	 */
	readonly chosenBy?: 'account' | 'directory';
	readonly language?: string | null;
}

type WithNewUser = (transaction: Knex.Transaction, sealer: RowSealer, user: PortalUserRow) => Promise<void>;

const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._@+-]*$/u;
const MAX_NAME_CHARACTERS = 254;
const MAX_USERS = 1_000;

/**
 * Returns a name as it is stored, whatever case it was typed in. The user ID of an account in front of it keeps its case,
 * because two accounts may differ in nothing else.
 */
export function nameOf(typed: string): string {
	const text = typed.normalize('NFC').trim();
	const alone = nameAlone(text);
	return text.slice(0, text.length - alone.length) + alone.toLowerCase();
}

/** Tells whether a text can be the name of a user. Only such texts are looked up in the database. */
export function isName(name: string): boolean {
	const alone = nameAlone(name);
	const isPrefixed = /^(?:[A-Za-z0-9._@-]+~)*$/.test(name.slice(0, name.length - alone.length));
	return NAME.test(alone) && isPrefixed && name.length <= MAX_NAME_CHARACTERS && !holdsCardNumber(name);
}

export type UserChange = Partial<Pick<PortalUserRow, 'name' | 'role' | 'password_hash' | 'has_factor' | 'blocked_at'>>;

/** Gives the rest of the portal access to the rows of users. A row whose seal is broken is treated as absent. */
export function openUserRows({ database, keyRing }: Pick<PortalOptions, 'database' | 'keyRing'>) {
	const store = userStore(database.knex);
	const intact = (read: () => Promise<PortalUserRow | undefined>) => keyRing.seals.find(sealedPortalUsers, read);
	return {
		findById: (id: number) => intact(() => store.findById(id)),
		findByName: async (name: string) => (isName(name) ? intact(() => store.findByName(name)) : undefined),
		/**
		 * Changes a user and returns the new row. Its new version ends the user's sessions and links.
		 * @throws ServiceError if somebody else changed the user in the meantime
		 */
		async change(transaction: Knex.Transaction, sealer: RowSealer, row: PortalUserRow, change: UserChange) {
			const { version, seal_key, seal } = await sealer.renew(transaction, sealedPortalUsers, { ...row, ...change });
			const changed = { ...change, version, seal_key, seal };
			if (!(await userStore(transaction).change(row.id, row.version, changed))) {
				const moreInfo = 'the user was changed in the meantime: look again';
				throw new ServiceError('bad-input-data', { moreInfo, told: told('changed-meanwhile') });
			}
			return { ...row, ...changed };
		},
	};
}

export type UserRows = ReturnType<typeof openUserRows>;

export type PortalUsers = ReturnType<typeof openUsers>;

export function openUsers(
	options: PortalOptions,
	rows: UserRows,
	{ canMail }: { readonly canMail: (user: Pick<PortalUser, 'name' | 'accountId'>) => boolean },
) {
	const { database, keyRing, audit, clock, identity, operators } = options;
	const store = userStore(database.knex);
	const now = () => clock.now().getTime();
	const refuse = (field: string, problem: string, why?: Told): never => {
		throw badInput(field, problem, why);
	};
	const get = async (id: number): Promise<PortalUserRow> =>
		(await rows.findById(id)) ?? refuse('name', 'there is no such user', told('not-there'));
	const accountOf = async ({ account_id: id }: Pick<PortalUserRow, 'account_id'>) =>
		id === null ? null : ((await identity.accounts.findById(id))?.userId ?? null);
	const listed = async (read: () => Promise<PortalUserRow[]>) =>
		(await keyRing.seals.judge(sealedPortalUsers, read)).map(({ row, isBroken }) => userOf(row, isBroken));
	const changed = async (
		id: number,
		action: string,
		actor: Actor,
		change: UserChange,
		more: { readonly details?: object; readonly loses?: 'factors' | 'everything' } = {},
	) => {
		const row = await get(id);
		const account = await accountOf(row);
		return userOf(
			await keyRing.seals.transact(database, async (transaction, sealer) => {
				if (more.loses) await removeFactors(transaction, sealer, id);
				if (more.loses === 'everything') await removeIdentities(transaction, sealer, id);
				const next = await rows.change(transaction, sealer, row, change);
				const details = { account, ...more.details };
				await audit.record({ actor, action, subject: `portal-user ${id}`, details }, transaction);
				return next;
			}),
		);
	};

	const namesFor = async ({ name: typed, of, chosenBy }: NewPortalUser): Promise<string[]> => {
		const name = nameOf(typed);
		const account = 'operator' in of ? null : await accountOf({ account_id: of.accountId });
		const alone = account !== null && name.startsWith(nameWithin(account, '')) ? nameAlone(name) : name;
		const within = account === null ? name : nameWithin(account, alone);
		if (!isName(alone) || alone !== nameAlone(alone) || (chosenBy && !isName(within)))
			refuse(
				'name',
				'expected 1 to 254 letters, digits and . _ @ + -, as in an e-mail address, and no card number',
				told('name-malformed', { most: 254 }),
			);
		if ('operator' in of || !chosenBy) return [name];
		const [aloneRow, withinRow] = await Promise.all([store.findByName(alone), store.findByName(within)]);
		// Only of the names of their own account do they learn that they are taken.
		if (withinRow || aloneRow?.account_id === of.accountId) throw taken();
		const mayStandAlone = chosenBy === 'account' && !aloneRow;
		return mayStandAlone && canMail({ name: alone, accountId: of.accountId }) ? [alone, within] : [within];
	};
	const taken = (cause?: unknown) => badInput('name', 'is taken; choose another', told('already-there'), cause);

	return {
		/**
		 * Adds a user without a password. `also` writes what belongs to the user, in the same transaction.
		 * @throws ServiceError if the name is not valid or already used, the role is unknown, or there is no such operator
		 */
		async add(added: NewPortalUser, actor: Actor, also?: WithNewUser): Promise<PortalUser> {
			const { of, language = null } = added;
			const names = await namesFor(added);
			if ('operator' in of) {
				const standing = await operators.standing();
				if (!standing.some((each) => each.name === of.operator))
					refuse('operator', `there is no operator ${of.operator}: add them with \`operator add\``);
			} else if (!isAccountRole(of.role)) refuse('role', 'expected viewer, clerk, developer or manager');
			const row = {
				account_id: 'operator' in of ? null : of.accountId,
				operator: 'operator' in of ? of.operator : null,
				role: ('operator' in of ? 'operator' : of.role) as PortalRole,
				language,
				password_hash: null,
				has_factor: false,
				version: now(),
				created_at: now(),
				blocked_at: null,
				password_tries: 0,
				password_tries_from: 0,
				code_tries: 0,
				code_tries_from: 0,
				last_login_at: null,
			};
			const account = await accountOf(row);
			const insert = (name: string) =>
				keyRing.seals.transact(database, async (transaction, sealer) => {
					const inserted = await userStore(transaction).insert({ ...row, name });
					await userStore(transaction).putSeal(inserted.id, sealer.seal(sealedPortalUsers, inserted));
					const details = { name, role: row.role, account, operator: row.operator };
					const subject = `portal-user ${inserted.id}`;
					await audit.record({ actor, action: 'portal-user.add', subject, details }, transaction);
					await also?.(transaction, sealer, inserted);
					return userOf(inserted);
				});
			let cause: unknown;
			for (const name of names) {
				try {
					return await insert(name);
				} catch (error) {
					if (!isUniqueViolation(error)) throw error;
					cause = error;
				}
			}
			throw taken(cause);
		},
		/**
		 * Lists the users of an account, or the operators if the account is null, the oldest first; broken rows are among them.
		 * Without a page it lists the first thousand.
		 */
		list: (accountId: AccountId | null, page: ListPage<number> = { limit: MAX_USERS }) =>
			listed(() => store.list(accountId, page)),
		/** Counts the users of an account, up to `most`. */
		count: (accountId: AccountId, most: number) => store.count(accountId, most),
		/** Lists users of an account whose names begin with a text, in the order of the names. */
		listNamed: (accountId: AccountId, text: string, limit: number) =>
			listed(() => store.listNamed(database.dialect, accountId, nameOf(text), limit)),
		listAll: () => listed(() => store.listAll(MAX_USERS)),
		async findByName(name: string): Promise<PortalUser | undefined> {
			const row = await rows.findByName(nameOf(name));
			return row && userOf(row);
		},
		/** Finds the user with this id among the users of an account or, if the account is null, among the operators. */
		async find(accountId: AccountId | null, id: number): Promise<PortalUser | undefined> {
			const row = Number.isSafeInteger(id) ? await rows.findById(id) : undefined;
			return row?.account_id === accountId ? userOf(row) : undefined;
		},
		/** @throws ServiceError if there is no such user or role, and for operators, whose role stands elsewhere */
		async setRole(id: number, role: string, actor: Actor): Promise<PortalUser> {
			const { role: before } = await get(id);
			if (before === 'operator') refuse('role', 'an operator has the role that `operator add` gave them');
			if (!isAccountRole(role)) return refuse('role', 'expected viewer, clerk, developer or manager');
			return changed(id, 'portal-user.role', actor, { role }, { details: { before, role } });
		},
		/**
		 * Gives a user another name, as a directory says it: behind that of the account.
		 * @throws ServiceError if the name is not valid or taken
		 */
		async rename(id: number, typed: string, actor: Actor): Promise<PortalUser> {
			const { account_id: accountId, name: before, role } = await get(id);
			if (accountId === null) return refuse('name', 'an operator has the name that `portal-user add` gave them');
			const [name] = await namesFor({ name: typed, of: { accountId, role }, chosenBy: 'directory' });
			try {
				return await changed(id, 'portal-user.rename', actor, { name }, { details: { before, name } });
			} catch (error) {
				throw isUniqueViolation(error) ? taken(error) : error;
			}
		},
		setBlocked: (id: number, isBlocked: boolean, actor: Actor) =>
			changed(id, isBlocked ? 'portal-user.block' : 'portal-user.unblock', actor, {
				blocked_at: isBlocked ? now() : null,
			}),
		/** Removes the password, the second factors and the links to providers, so that the user can log in only by a new link. */
		reset: (id: number, actor: Actor) =>
			changed(id, 'portal-user.reset', actor, { password_hash: null, has_factor: false }, { loses: 'everything' }),
		/** Removes the second factors and keeps the password. */
		resetFactors: (id: number, actor: Actor) =>
			changed(id, 'portal-user.reset-factors', actor, { has_factor: false }, { loses: 'factors' }),
		async remove(id: number, actor: Actor): Promise<void> {
			const row = await get(id);
			const details = { name: row.name, account: await accountOf(row) };
			await keyRing.seals.transact(database, async (transaction, sealer) => {
				await removeFactors(transaction, sealer, id);
				await removeIdentities(transaction, sealer, id);
				await removeFromDirectory(transaction, sealer, id);
				if (!(await userStore(transaction).remove(id))) refuse('name', 'there is no such user', told('not-there'));
				await sealer.end(transaction, sealedPortalUsers, row);
				await audit.record({ actor, action: 'portal-user.remove', subject: `portal-user ${id}`, details }, transaction);
			});
		},
		setLanguage: (id: number, language: string | null) => store.setLanguage(id, language),
	};
}

export function userOf(row: PortalUserRow, isBroken = false) {
	const date = (at: number | null) => (at === null ? null : new Date(at));
	return {
		id: row.id,
		accountId: row.account_id,
		/** The operator's name in the table of operators; null for users of an account. */
		operator: row.operator,
		name: row.name,
		role: row.role,
		language: row.language,
		/** True once the user has set a password, for which new users get a link. */
		hasPassword: row.password_hash !== null,
		hasFactor: Boolean(row.has_factor),
		blockedAt: date(row.blocked_at),
		createdAt: new Date(row.created_at),
		lastLoginAt: date(row.last_login_at),
		/** The time of the last change of what the user may do, or a moment later. */
		changedAt: new Date(row.version),
		/** True if somebody has changed the row or put it back, so that the user cannot log in. Only lists have such rows. */
		isBroken,
	};
}
