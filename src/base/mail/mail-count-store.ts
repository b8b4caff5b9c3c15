import type { Knex } from 'knex';
import type { AccountId } from '../database/ids.ts';
import { queryRows } from '../database/sql.ts';

export interface CountedMail {
	/** What is counted, such as `account 7`. */
	readonly name: string;
	/** The account whose mails are counted; null if mails of several accounts are. */
	readonly accountId: AccountId | null;
	readonly most: number;
	/** A count that began at this time or before it begins anew. */
	readonly endedBy: number;
	readonly now: number;
}

/**
 * Counts a mail. Returns false, and counts nothing, if `most` mails were already counted. Daemons that count at the same
 * moment wait for each other, because they change the same row.
 */
export async function countMail(transaction: Knex, mail: CountedMail): Promise<boolean> {
	const { name, accountId, most, endedBy, now } = mail;
	const counted = await queryRows(
		transaction,
		`insert into mail_counts (name, account_id, since, count) values (?, ?, ?, 1)
		 on conflict (name) do update set
		   count = case when mail_counts.since <= ? then 1 else mail_counts.count + 1 end,
		   since = case when mail_counts.since <= ? then excluded.since else mail_counts.since end
		 where mail_counts.since <= ? or mail_counts.count < ?
		 returning count`,
		[name, accountId, now, endedBy, endedBy, endedBy, most],
	);
	return counted.length > 0;
}

export async function removeMailCounts(knex: Knex, before: number): Promise<number> {
	return knex('mail_counts').where('since', '<', before).delete();
}
