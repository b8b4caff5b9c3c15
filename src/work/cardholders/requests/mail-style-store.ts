import type { Knex } from 'knex';
import type { AccountId } from '../../../base/database/ids.ts';

export interface MailStyleRow {
	readonly account_id: AccountId;
	readonly from_name: string | null;
	readonly from_address: string | null;
	readonly reply_to: string | null;
	readonly logo_url: string | null;
	readonly colour: string | null;
	readonly updated_at: number;
}

export function mailStyleStore(knex: Knex) {
	return {
		async find(accountId: AccountId): Promise<MailStyleRow | undefined> {
			return knex<MailStyleRow>('mail_styles').where({ account_id: accountId }).first();
		},
		async put(row: MailStyleRow): Promise<void> {
			await knex('mail_styles').insert(row).onConflict('account_id').merge();
		},
		async remove(accountId: AccountId): Promise<boolean> {
			return (await knex('mail_styles').where({ account_id: accountId }).delete()) === 1;
		},
	};
}
