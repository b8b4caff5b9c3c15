import type { Knex } from 'knex';
import type { AccountId } from '../../../base/database/ids.ts';
import { namedRows } from '../../../people/identity/accounts/named-rows-store.ts';

export interface StyleRow {
	readonly account_id: AccountId;
	readonly name: string;
	readonly css: string;
	readonly changed_at: number;
}

export function styleStore(knex: Knex) {
	return namedRows<StyleRow>(knex, 'form_styles', 'name');
}
