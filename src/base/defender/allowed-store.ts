import type { Knex } from 'knex';
import { insertNew } from '../database/dialect.ts';

export interface AllowedRow {
	readonly range: string;
	/** The user whose failed logins from this range are not counted; null means those of every user. */
	readonly user_id: string | null;
	readonly created_at: number;
}

/** A row with this account id applies to everybody and belongs to no account. */
const EVERYBODY = 0;

/** Each method is a single statement over `allowed_addresses`. */
export function allowedStore(knex: Knex) {
	const keyOf = (accountId: number | undefined, range: string) => ({ account_id: accountId ?? EVERYBODY, range });
	return {
		/** Adds a range; returns whether it is new. */
		async add(accountId: number | undefined, range: string, nowMs: number): Promise<boolean> {
			const row = { ...keyOf(accountId, range), created_at: nowMs };
			return insertNew(knex('allowed_addresses'), row, 'account_id', 'range');
		},
		/** Removes a range; returns whether it existed. */
		async remove(accountId: number | undefined, range: string): Promise<boolean> {
			return (await knex('allowed_addresses').where(keyOf(accountId, range)).delete()) > 0;
		},
		/** Returns the rows, oldest first. */
		async list(): Promise<AllowedRow[]> {
			return knex('allowed_addresses as l')
				.leftJoin('accounts as a', 'a.id', 'l.account_id')
				.orderBy(['l.created_at', 'l.range'])
				.select('l.range', 'a.user_id', 'l.created_at');
		},
	};
}
