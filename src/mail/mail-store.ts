import type { Knex } from 'knex';
import { type Dialect, transact } from '../database/dialect.ts';
import type { AccountId, KeyId } from '../database/ids.ts';
import type { PlainTransaction } from '../database/plain-transaction.ts';

/** A mail that was not sent yet. */
export interface MailRow {
	readonly id: string;
	readonly account_id: AccountId;
	/** What the mail is about, for the code that is told of its outcome. */
	readonly about: string;
	readonly key_id: KeyId;
	readonly sealed: Buffer;
	readonly created_at: number;
	/** After this time the mail is of no use any more. */
	readonly give_up_at: number;
	readonly attempts: number;
	readonly next_at: number;
	/** The try that holds the mail, and the time after which another may take it. */
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
		/** Takes mails that are due, the oldest first, and returns them. Mails that another daemon holds are skipped. */
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
		/** Lets a mail wait for its next try. */
		async postpone(id: string, claim: string, next: { attempts: number; next_at: number }): Promise<void> {
			await knex('mails')
				.where({ id, claim })
				.update({ ...next, claim: null, claimed_until: null });
		},
	};
}

/** Puts a mail into the queue. */
export async function insertMail(transaction: Knex, row: MailRow): Promise<void> {
	await transaction('mails').insert(row);
}

/** Removes a mail that was sent or given up. Returns false if another try has taken it over. */
export async function removeMail(transaction: Knex, { id, claim }: { id: string; claim: string }): Promise<boolean> {
	return (await transaction('mails').where({ id, claim }).delete()) === 1;
}

/** Removes the waiting mails about something that has ended. */
export async function removeMailsAbout(transaction: Pick<PlainTransaction, 'raw'>, about: string): Promise<void> {
	await transaction.raw('delete from mails where about = ?', [about]);
}
