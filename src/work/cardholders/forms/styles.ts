// Manages the style sheets with which accounts make our forms look like their own pages.

import type { Knex } from 'knex';
import { cardNumberProblem } from '../../../base/card/spelling/clear-text.ts';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { transact } from '../../../base/database/dialect.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import type { Database } from '../../../base/database/open.ts';
import { badInput } from '../../../base/errors.ts';
import { openStyleSheets } from '../../../base/pages/style-sheets.ts';
import type { Accounts } from '../../../people/identity/accounts/accounts.ts';
import { namedRows } from '../../../people/identity/accounts/named-rows-store.ts';
import type { Audit } from '../../../trail/audit.ts';

export interface StyleRow {
	readonly account_id: AccountId;
	readonly name: string;
	readonly css: string;
	readonly changed_at: number;
}

function styleStore(knex: Knex) {
	return namedRows<StyleRow>(knex, 'form_styles', 'name');
}

/** The name of the style sheet for forms that name none. */
export const DEFAULT_STYLE = 'default';
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

export interface StyledAccount {
	readonly accountId: AccountId;
	readonly ownerId: AccountId;
}

export type Styles = ReturnType<typeof openStyles>;

export function openStyles(options: {
	readonly database: Database;
	readonly clock?: Clock;
	readonly accounts: Pick<Accounts, 'get'>;
	readonly audit: Pick<Audit, 'record'>;
}) {
	const { database, clock = systemClock, accounts, audit } = options;
	const store = styleStore(database.knex);
	const sheets = openStyleSheets();
	const find = async ({ accountId, ownerId }: StyledAccount, name = DEFAULT_STYLE): Promise<string | undefined> => {
		if (!NAME.test(name)) return undefined;
		for (const id of new Set([accountId, ownerId])) {
			const row = await store.find(id, name);
			if (row) return row.css;
		}
		return undefined;
	};
	const used = async ({ ownerId }: Pick<StyledAccount, 'ownerId'>, field: string, sheet: string): Promise<string> => {
		const { css, problem } = await sheets.read(ownerId, sheet);
		if (problem !== undefined) throw badInput(field, problem);
		return css;
	};
	return {
		has: async (account: StyledAccount, name: string) => (await find(account, name)) !== undefined,
		/**
		 * Returns what a page may use of the style sheet of a name (the default one if no name is given), that of the account
		 * or else that of its primary account, and after it of a sheet that the caller gives. Empty if there is nothing.
		 */
		async pageCss(
			account: StyledAccount,
			{ name, given }: { readonly name?: string; readonly given?: string } = {},
		): Promise<string> {
			const all = [await find(account, name), given].filter((css) => css !== undefined && css !== '');
			// A sheet that exceeds a limit was refused when it was given. One that was stored before this limit is left out.
			return (await Promise.all(all.map(async (css) => (await sheets.read(account.ownerId, css!)).css))).join('\n');
		},
		/**
		 * Checks a style sheet that a caller gives for a page.
		 * @throws ServiceError about the field if the sheet exceeds a limit
		 */
		async check(account: StyledAccount, field: string, css: string | undefined): Promise<void> {
			if (css) await used(account, field, css);
		},
		list: async (userId: string) => store.list((await accounts.get(userId)).id),
		/**
		 * Stores a style sheet, and returns the part of it that pages will use.
		 * @throws ServiceError if the name is not valid, the sheet is too long, or no rule of it may be used
		 */
		async set(userId: string, { name, css }: Record<'name' | 'css', string>, actor: string): Promise<string> {
			if (!NAME.test(name)) throw badInput('name', 'expected up to 64 letters, digits, dots, hyphens and underscores');
			for (const [field, text] of Object.entries({ name, css })) {
				const problem = cardNumberProblem(text);
				if (problem !== undefined) throw badInput(field, problem);
			}
			const { id } = await accounts.get(userId);
			const kept = await used({ ownerId: id }, 'css', css);
			if (kept === '') throw badInput('css', 'has no rule that a form may use');
			await transact(database, async (transaction) => {
				await styleStore(transaction).put({ account_id: id, name, css, changed_at: clock.now().getTime() });
				const entry = { actor, action: 'form-style.set', subject: `account ${userId}`, details: { name } };
				await audit.record(entry, transaction);
			});
			return kept;
		},
		/** @throws ServiceError if there is none of this name */
		async remove(userId: string, name: string, actor: string): Promise<void> {
			const { id } = await accounts.get(userId);
			await transact(database, async (transaction) => {
				if (!(await styleStore(transaction).remove(id, name))) throw badInput('name', 'the account has no such style');
				const entry = { actor, action: 'form-style.remove', subject: `account ${userId}`, details: { name } };
				await audit.record(entry, transaction);
			});
		},
	};
}
