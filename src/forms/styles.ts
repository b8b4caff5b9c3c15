// Manages the style sheets with which accounts make our forms look like their own pages.

import type { Audit } from '../audit/audit.ts';
import { type Clock, systemClock } from '../clock.ts';
import { transact } from '../database/dialect.ts';
import type { AccountId } from '../database/ids.ts';
import type { Database } from '../database/open.ts';
import { ServiceError } from '../errors.ts';
import type { Accounts } from '../identity/accounts.ts';
import { type StyleRow, styleStore } from './style-store.ts';

/** The name of the style sheet for forms that name none. */
export const DEFAULT_STYLE = 'default';
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

export interface Styles {
	/**
	 * Returns the style sheet of a name (the default one if no name is given) as it was stored: that of the account, or
	 * else that of its primary account. Returns undefined if neither account has it.
	 */
	find(
		account: { readonly accountId: AccountId; readonly ownerId: AccountId },
		name?: string,
	): Promise<string | undefined>;
	list(userId: string): Promise<readonly StyleRow[]>;
	/**
	 * Stores a style sheet, and returns the part of it that pages will use.
	 * @throws ServiceError if the name is not valid, the sheet is too long, or no rule of it may be used
	 */
	set(userId: string, style: { readonly name: string; readonly css: string }, actor: string): Promise<string>;
	/**
	 * Removes a style sheet.
	 * @throws ServiceError if there is none of this name
	 */
	remove(userId: string, name: string, actor: string): Promise<void>;
}

export function openStyles({
	database,
	clock = systemClock,
	accounts,
	audit,
}: {
	readonly database: Database;
	readonly clock?: Clock;
	readonly accounts: Pick<Accounts, 'get'>;
	readonly audit: Pick<Audit, 'record'>;
}): Styles {
	const store = styleStore(database.knex);
	const refuse = (field: string, problem: string) => new ServiceError('bad-input-data', { field, problem });
	return {
		async find({ accountId, ownerId }, name = DEFAULT_STYLE) {
			if (!NAME.test(name)) return undefined;
			for (const id of new Set([accountId, ownerId])) {
				const row = await store.find(id, name);
				if (row) return row.css;
			}
			return undefined;
		},
		async list(userId) {
			return store.list((await accounts.get(userId)).id);
		},
		async set(userId, { name, css }, actor) {
			if (!NAME.test(name)) throw refuse('name', 'expected up to 64 letters, digits, dots, hyphens and underscores');
			const { MAX_CSS_CHARACTERS, sanitiseCss } = await import('../pages/css.ts');
			if (css.length > MAX_CSS_CHARACTERS) throw refuse('css', `longer than ${MAX_CSS_CHARACTERS} characters`);
			const used = sanitiseCss(css);
			if (used === '') throw refuse('css', 'has no rule that a form may use');
			const { id } = await accounts.get(userId);
			await transact(database, async (transaction) => {
				await styleStore(transaction).put({ account_id: id, name, css, changed_at: clock.now().getTime() });
				const entry = { actor, action: 'form-style.set', subject: `account ${userId}`, details: { name } };
				await audit.record(entry, transaction);
			});
			return used;
		},
		async remove(userId, name, actor) {
			const { id } = await accounts.get(userId);
			await transact(database, async (transaction) => {
				if (!(await styleStore(transaction).remove(id, name))) throw refuse('name', 'the account has no such style');
				const entry = { actor, action: 'form-style.remove', subject: `account ${userId}`, details: { name } };
				await audit.record(entry, transaction);
			});
		},
	};
}
