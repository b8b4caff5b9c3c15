// Keeps mails in the database until the mail server has accepted them, so that none is lost while that server or a
// daemon is down. A mail may be sent twice if a daemon dies after sending it and before noting that it was sent.

import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { Clock } from '../clock.ts';
import { transact } from '../database/dialect.ts';
import type { AccountId } from '../database/ids.ts';
import type { Database } from '../database/open.ts';
import { makeUlid } from '../database/ulid.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { SealedRows } from '../keys/rows/sealed-rows.ts';
import { openValue, sealValue } from '../keys/rows/sealed-values.ts';
import type { Logger } from '../log/log.ts';
import { type Mail, MailRefusedError, type MailSender } from './mail.ts';
import { type MailLimit, type MailLimits, openMailLimits } from './mail-limits.ts';
import { insertMail, type MailRow, mailStore, removeMail } from './mail-store.ts';

export interface QueuedMail {
	readonly accountId: AccountId;
	/** The primary account that has caused the mail; null if somebody without an account has. */
	readonly ownerId: AccountId | null;
	/** The thing to which the mail relates, such as `card-request 01j…`. */
	readonly about: string;
	readonly mail: Mail;
	/** The mail is given up after this time, because it is useless then, for example because its link has expired. */
	readonly giveUpAt: Date;
}

/**
 * This function puts a mail into the queue; it is sent after the transaction was committed and `wake` was called.
 * @throws ServiceError `mail-limit-reached` if the account, or the account to this recipient, has sent too many
 */
export type PutMail = (mail: QueuedMail, transaction: Knex.Transaction) => Promise<void>;

export type MailOutcome = 'sent' | 'failed';

/**
 * This function is called when a mail was sent or given up, in the transaction that removes the mail from the queue.
 */
export type OnMailSettled = (about: string, outcome: MailOutcome, transaction: Knex.Transaction) => Promise<void>;

const AT_ONCE = 3;
/** A mail that is being sent is claimed for this time, which is longer than the timeouts of a connection. */
const CLAIM_MS = 120_000;
const FIRST_WAIT_MS = 60_000;
const LAST_WAIT_MS = 3_600_000;
/** A mail to a mailbox that has got enough is tried again after this time. */
const FULL_WAIT_MS = 3_600_000;

export interface MailQueueOptions {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly clock: Clock;
	readonly logger: Pick<Logger, 'warn' | 'error'>;
	readonly onSettled?: OnMailSettled;
	readonly limits: MailLimits;
	readonly onLimited?: (limit: MailLimit) => void;
	/** The connection to the mail server; undefined if none is configured. */
	readonly sender: MailSender | undefined;
}

export type MailQueue = ReturnType<typeof openMailQueue>;

/** Opens the queue; the database must be migrated. Closing the queue also closes the connection to the mail server. */
export function openMailQueue(options: MailQueueOptions) {
	const { database, keyRing, clock, logger, sender, onSettled } = options;
	const limits = openMailLimits(options);
	const store = mailStore(database);
	let isClosed = false;
	let running: Promise<number> | undefined;
	let isWanted = false;
	const now = () => clock.now().getTime();

	const settle = async ({ id, about }: MailRow, claim: string, outcome: MailOutcome) =>
		transact(database, async (transaction) => {
			if (await removeMail(transaction, { id, claim })) await onSettled?.(about, outcome, transaction);
		});
	const mayReach = async (address: string): Promise<boolean> => {
		const key = await keyRing.current('credential');
		return transact(database, (transaction) => limits.mayReach(transaction, address, key));
	};
	const sendOne = async (row: MailRow, claim: string): Promise<boolean> => {
		if (row.give_up_at <= now()) {
			await settle(row, claim, 'failed');
			return false;
		}
		const mail = await openSealed(keyRing, row);
		if (row.attempts === 0 && !(await mayReach(mail.to.address))) {
			logger.warn({ mail: row.id, about: row.about }, 'a mail waits, because its recipient has got many within a day');
			const next_at = now() + FULL_WAIT_MS;
			if (next_at >= row.give_up_at) await settle(row, claim, 'failed');
			else await store.postpone(row.id, claim, { attempts: 0, next_at });
			return false;
		}
		try {
			await sender!.send(mail, row.id);
		} catch (err) {
			const attempts = row.attempts + 1;
			const next_at = now() + Math.min(FIRST_WAIT_MS * 2 ** row.attempts, LAST_WAIT_MS);
			const isLast = err instanceof MailRefusedError || next_at >= row.give_up_at;
			logger.warn({ mail: row.id, about: row.about, attempts, isLast, err }, 'a mail was not sent');
			if (isLast) await settle(row, claim, 'failed');
			else await store.postpone(row.id, claim, { attempts, next_at });
			return false;
		}
		await settle(row, claim, 'sent');
		return true;
	};
	const sendDue = async (): Promise<number> => {
		let sent = 0;
		while (!isClosed) {
			const claim = randomUUID();
			const rows = await store.claimDue({ claim, until: now() + CLAIM_MS, now: now(), limit: AT_ONCE });
			if (rows.length === 0) break;
			const results = await Promise.allSettled(rows.map((row) => sendOne(row, claim)));
			for (const result of results) {
				if (result.status === 'rejected') throw result.reason;
				if (result.value) sent++;
			}
		}
		return sent;
	};
	const run = async (): Promise<number> => {
		if (!sender) return 0;
		while (running) await running.catch(() => {});
		running = sendDue();
		try {
			return await running;
		} finally {
			running = undefined;
			if (isWanted) wake();
		}
	};
	const wake = () => {
		if (!sender || isClosed) return;
		// A run in progress may have missed a mail that was queued during it, so it is followed by another run.
		isWanted = running !== undefined;
		if (!isWanted) run().catch((err: unknown) => logger.error({ err }, 'the queue of mails could not be read'));
	};

	return {
		/** False if no mail server is set; nothing may be put into the queue then. */
		isOpen: sender !== undefined,
		/**
		 * Fetches the key that seals mails, and returns the function that puts mails into the queue. It must not be called
		 * inside a transaction, because it may create the key in a transaction of its own.
		 */
		async prepare(): Promise<PutMail> {
			const [key, countKey] = [await keyRing.current('secret'), await keyRing.current('credential')];
			return async ({ accountId, ownerId, about, mail, giveUpAt }, transaction) => {
				await limits.take(transaction, { ownerId, address: mail.to.address }, countKey);
				const at = now();
				const id = makeUlid(at);
				await insertMail(transaction, {
					id,
					account_id: accountId,
					about,
					...sealValue(key, sealedMails, { id }, mail),
					created_at: at,
					give_up_at: giveUpAt.getTime(),
					attempts: 0,
					next_at: at,
					claim: null,
					claimed_until: null,
				});
			};
		},
		/** Starts sending the waiting mails, and returns before they are sent. */
		wake,
		/** Sends every mail that is due, and returns how many were sent. */
		run,
		/** Removes counts of mails that are over, and returns how many. */
		purge: () => limits.purge(database.knex),
		/** Waits for the mails that are being sent, and ends the sending of mails. */
		async close(): Promise<void> {
			isClosed = true;
			await running?.catch(() => {});
			sender?.close();
		},
	};
}

export function openSealed(keyRing: KeyRing, row: MailRow): Promise<Mail> {
	return openValue<Mail>(keyRing, sealedMails, row);
}

/**
 * Declares the table and columns with the waiting mails, so that they can be sealed again under a new key. They are
 * sealed, because they contain links and names.
 */
export const sealedMails: SealedRows = {
	table: 'mails',
	id: ['id'],
	column: 'sealed',
	label: ({ id }, keyId) => Buffer.from(`tokendrop mail ${id}/${keyId}`),
};
