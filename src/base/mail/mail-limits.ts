// Limits the mails that an account causes and those that a mailbox gets, over all daemons.

import type { Knex } from 'knex';
import type { Clock } from '../clock.ts';
import type { AccountId } from '../database/ids.ts';
import { ServiceError } from '../errors.ts';
import { hashUnder } from '../keys/credential-hash.ts';
import type { SealingKey } from '../keys/key-ring.ts';
import { countMail, removeMailCounts } from './mail-count-store.ts';

export interface MailLimits {
	/** The mails that an account, with its sub-users and properties, may cause in a day. */
	readonly maxPerAccount: number;
	/** The mails that an account may cause to one recipient in a day. */
	readonly maxPerRecipient: number;
}

/**
 * The limit that was reached: of an account, of an account to a recipient, of mails that anybody may ask for, or of all
 * mails to a mailbox.
 */
export type MailLimit = 'account' | 'recipient' | 'anybody' | 'mailbox';

export interface CountableMail {
	/** The primary account that has caused the mail; null if somebody without an account has. */
	readonly ownerId: AccountId | null;
	readonly address: string;
}

const DAY_MS = 24 * 3_600_000;
/** At most one mail that anybody may ask for, such as that for a forgotten password, goes to a mailbox in this time. */
const ANYBODY_EVERY_MS = 2 * 60_000;
/**
 * A mailbox gets as many mails from all accounts together as this number of accounts may send to it. It is more than one,
 * so that no account alone can keep the mails of others from somebody.
 */
const ACCOUNTS_A_MAILBOX = 3;

export function openMailLimits(options: {
	readonly clock: Clock;
	readonly limits: MailLimits;
	/** Counts a mail that a limit has stopped or delayed. */
	readonly onLimited?: (limit: MailLimit) => void;
}) {
	const { clock, limits, onLimited } = options;
	const { maxPerAccount, maxPerRecipient } = limits;
	const count = async (
		transaction: Knex,
		limit: MailLimit,
		mail: { readonly name: string; readonly ownerId?: AccountId; readonly most: number; readonly windowMs?: number },
	): Promise<boolean> => {
		const { name, ownerId = null, most, windowMs = DAY_MS } = mail;
		const now = clock.now().getTime();
		const isAllowed = await countMail(transaction, { name, accountId: ownerId, most, endedBy: now - windowMs, now });
		if (!isAllowed) onLimited?.(limit);
		return isAllowed;
	};
	const refused = (moreInfo: string) => new ServiceError('mail-limit-reached', { moreInfo });
	return {
		/**
		 * Counts a mail that is about to be put into the queue.
		 * @throws ServiceError `mail-limit-reached`, which names the limit and tells nothing of mails of others
		 */
		async take(transaction: Knex, { ownerId, address }: CountableMail, key: SealingKey): Promise<void> {
			const to = hashOf(address, key);
			if (ownerId === null) {
				const spaced = { name: `anybody to ${to}`, most: 1, windowMs: ANYBODY_EVERY_MS };
				const daily = { name: `anybody to ${to} a day`, most: maxPerRecipient };
				for (const mail of [spaced, daily])
					if (!(await count(transaction, 'anybody', mail))) throw refused('too many mails to this recipient');
				return;
			}
			const all = { name: `account ${ownerId}`, ownerId, most: maxPerAccount };
			if (!(await count(transaction, 'account', all)))
				throw refused(`mail.maxPerAccount: the account may send ${maxPerAccount} mails in a day`);
			const some = { name: `account ${ownerId} to ${to}`, ownerId, most: maxPerRecipient };
			if (!(await count(transaction, 'recipient', some)))
				throw refused(`mail.maxPerRecipient: the account may send ${maxPerRecipient} mails to a recipient in a day`);
		},
		/**
		 * Counts a mail that is about to be sent; returns false if the mailbox has got enough from all accounts. Such a mail
		 * waits as if its mail server were busy, because a refusal would tell an account of the mails of others.
		 */
		async mayReach(transaction: Knex, address: string, key: SealingKey): Promise<boolean> {
			const most = ACCOUNTS_A_MAILBOX * maxPerRecipient;
			return count(transaction, 'mailbox', { name: `to ${hashOf(address, key)}`, most });
		},
		purge: (knex: Knex) => removeMailCounts(knex, clock.now().getTime() - DAY_MS),
	};
}

export function isMailLimit(error: unknown): error is ServiceError {
	return error instanceof ServiceError && error.reason === 'mail-limit-reached';
}

/** Names a mailbox by a hash, so that the table of counts shows nobody's address. */
function hashOf(address: string, key: SealingKey): string {
	return hashUnder(key, `mail to ${address.normalize('NFKC').toLowerCase()}`).hash;
}
