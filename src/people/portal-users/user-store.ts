import type { Knex } from 'knex';
import { beginsWith, byteOrdered, type Dialect, firstRow, insertRow } from '../../base/database/dialect.ts';
import type { AccountId } from '../../base/database/ids.ts';
import { countUpTo, type ListPage, readListPage } from '../../base/database/list-page.ts';
import type { RowSeal } from '../../base/keys/rows/row-seals.ts';
import type { PortalRole } from './rights.ts';

export interface PortalUserRow extends RowSeal {
	readonly id: number;
	readonly account_id: AccountId | null;
	readonly operator: string | null;
	readonly name: string;
	readonly role: PortalRole;
	readonly language: string | null;
	readonly password_hash: string | null;
	readonly has_factor: boolean | number;
	readonly version: number;
	readonly created_at: number;
	readonly blocked_at: number | null;
	readonly password_tries: number;
	readonly password_tries_from: number;
	readonly code_tries: number;
	readonly code_tries_from: number;
	readonly last_login_at: number | null;
}

/** The kinds of secret that somebody may try to guess: the password, and a code or passkey as the second factor. */
export type Tried = 'password' | 'code';

/** After ten wrong secrets of a user, no further one is checked for half an hour, as PCI DSS 8.3.4 requires. */
export const TRIES = { most: 10, windowMs: 30 * 60_000 } as const;

type Seal = Pick<PortalUserRow, 'seal_key' | 'seal'>;

/** Returns methods for the table `portal_users`. Each method except `remove` runs a single SQL statement. */
export function userStore(knex: Knex) {
	const users = () => knex<PortalUserRow>('portal_users');
	return {
		/** @throws a unique violation if the name is already used */
		async insert(row: Omit<PortalUserRow, 'id' | keyof Seal>): Promise<PortalUserRow> {
			return insertRow(users(), row);
		},
		async putSeal(id: number, seal: Seal): Promise<void> {
			await users().where({ id }).update(seal);
		},
		async findById(id: number): Promise<PortalUserRow | undefined> {
			return firstRow(users().where({ id }));
		},
		async findByName(name: string): Promise<PortalUserRow | undefined> {
			return users().where({ name }).first();
		},
		/** Returns a page of the users of an account, or of the operators if the account is null; the oldest first. */
		async list(accountId: AccountId | null, page: ListPage<number>): Promise<PortalUserRow[]> {
			return readListPage(users().where({ account_id: accountId }), 'id', page, 'asc');
		},
		async count(accountId: AccountId, most: number): Promise<number> {
			return countUpTo(knex, users().where({ account_id: accountId }), most);
		},
		async listNamed(dialect: Dialect, accountId: AccountId, text: string, limit: number): Promise<PortalUserRow[]> {
			return users()
				.where({ account_id: accountId })
				.whereRaw(...beginsWith(dialect, 'name', text))
				.orderByRaw(byteOrdered(dialect, 'name'))
				.limit(limit);
		},
		async listAll(limit: number): Promise<PortalUserRow[]> {
			return users().orderBy('id').limit(limit);
		},
		/** Changes a user if the row still has this version; returns false if it has another. */
		async change(id: number, version: number, row: Partial<PortalUserRow>): Promise<boolean> {
			return (
				(await users()
					.where({ id, version })
					.update(row as never)) === 1
			);
		},
		/** Changes the language, which the row's seal does not cover. */
		async setLanguage(id: number, language: string | null): Promise<void> {
			await users().where({ id }).update({ language });
		},
		async noteLogin(id: number, at: number): Promise<void> {
			await users().where({ id }).update({ last_login_at: at });
		},
		/**
		 * Counts an attempt before it is checked, so that attempts at the same moment are all counted. The count begins
		 * anew if the last counted attempt was before the window of `TRIES`. Returns false, and counts nothing, if so many
		 * attempts were already counted.
		 */
		async countTry(id: number, tried: Tried, now: number) {
			const { most, windowMs } = TRIES;
			const [tries, from] = [`${tried}_tries`, `${tried}_tries_from`] as const;
			const changed = await users()
				.where({ id })
				.andWhere((either) => either.where(tries, '<', most).orWhere(from, '<', now - windowMs))
				.update({
					[tries]: knex.raw(`case when ${from} < ? then 1 else ${tries} + 1 end`, [now - windowMs]),
					[from]: now,
				} as never);
			return changed === 1;
		},
		/** Resets the count of attempts after a correct one. */
		async forgetTries(id: number, tried: Tried): Promise<void> {
			await users()
				.where({ id })
				.update({ [`${tried}_tries`]: 0, [`${tried}_tries_from`]: 0 } as never);
		},
		/** Removes a user with all data that belong to them, except their second factors. */
		async remove(id: number): Promise<boolean> {
			for (const table of ['portal_links', 'portal_sessions', 'portal_logins'])
				await knex(table).where({ user_id: id }).delete();
			return (await users().where({ id }).delete()) === 1;
		},
	};
}
