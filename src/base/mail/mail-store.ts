import type { Knex } from 'knex';
import { type Dialect, transact } from '../database/dialect.ts';
import type { AccountId, KeyId } from '../database/ids.ts';
import { execute, type SqlTarget } from '../database/sql.ts';

/** A mail that was not sent yet. */
export interface MailRow {
	readonly id: string;
	readonly account_id: AccountId;
	/**
	 * The thing to which the mail relates, such as a card request. `OnMailSettled` is called with this text when the mail
	 * was sent or given up, to tell which thing is concerned.
	 */
	readonly about: string;
	readonly key_id: KeyId;
	readonly sealed: Buffer;
	readonly created_at: number;
	/** The mail is given up after this time, because it is useless then, for example because its link has expired. */
	readonly give_up_at: number;
	readonly attempts: number;
	readonly next_at: number;
	/** The claim that holds the mail. After `claimed_until`, another claim may take it. */
	readonly claim: string | null;
	readonly claimed_until: number | null;
}

export interface MailClaim {
	readonly claim: string;
	readonly until: number;
	readonly now: number;
	readonly limit: number;
}

export function mailStore(database: { readonly knex: Knex; readonly dialect: Dialect }) {
	const { knex, dialect } = database;
	return {
		/**
		 * Claims mails that are due and returns them, beginning with those that have waited longest. Mails that another
		 * claim holds are skipped.
		 */
		async claimDue({ claim, until, now, limit }: MailClaim): Promise<MailRow[]> {
			return transact(database, async (transaction) => {
				const query = transaction('mails')
					.where('next_at', '<=', now)
					.andWhere((either) => either.whereNull('claim').orWhere('claimed_until', '<=', now))
					.orderBy('next_at')
					.limit(limit);
				if (dialect === 'postgres') query.forUpdate().skipLocked();
				const ids = (await query.select('id')).map(({ id }) => id);
				await transaction('mails').whereIn('id', ids).update({ claim, claimed_until: until });
				return transaction<MailRow>('mails').whereIn('id', ids).orderBy('next_at');
			});
		},
		/** Postpones a mail to the time of its next attempt, and releases its claim. */
		async postpone(id: string, claim: string, next: { attempts: number; next_at: number }): Promise<void> {
			await knex('mails')
				.where({ id, claim })
				.update({ ...next, claim: null, claimed_until: null });
		},
	};
}

export async function insertMail(transaction: Knex, row: MailRow): Promise<void> {
	await transaction('mails').insert(row);
}

/** Removes a mail that was sent or given up. Returns false if another claim has taken it over. */
export async function removeMail(transaction: Knex, { id, claim }: { id: string; claim: string }): Promise<boolean> {
	return (await transaction('mails').where({ id, claim }).delete()) === 1;
}

/** Removes the waiting mails that relate to a thing that has ended, such as a card request. */
export async function removeMailsAbout(transaction: SqlTarget, about: string): Promise<void> {
	await execute(transaction, 'delete from mails where about = ?', [about]);
}
