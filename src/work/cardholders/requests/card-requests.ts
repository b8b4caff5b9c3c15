// Manages card requests from the call that creates them to the answer of the cardholder (spec §2.6, shapes §6).

import type { Knex } from 'knex';
import type { Clock } from '../../../base/clock.ts';
import { transact } from '../../../base/database/dialect.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import type { ListPage } from '../../../base/database/list-page.ts';
import type { Database } from '../../../base/database/open.ts';
import type { SqlTransaction } from '../../../base/database/sql.ts';
import { isUlid, makeUlid } from '../../../base/database/ulid.ts';
import { credentialHasher } from '../../../base/keys/credential-hash.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import { openValue, sealValue } from '../../../base/keys/rows/sealed-values.ts';
import type { Logger } from '../../../base/log/log.ts';
import { isMailLimit } from '../../../base/mail/mail-limits.ts';
import type { MailQueue, QueuedMail } from '../../../base/mail/mail-queue.ts';
import { removeMailsAbout } from '../../../base/mail/mail-store.ts';
import { type NewEvent, recordEvents } from '../../../base/outbox/record-events.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import { makerIdOf } from '../../../people/identity/makers.ts';
import { actorOf, type Principal } from '../../../people/identity/principal.ts';
import { makeSecret } from '../../../people/portal-users/sign-in/secret-hash.ts';
import type { Audit } from '../../../trail/audit.ts';
import type { Token } from '../../../vault/tokens/token.ts';
import {
	type CardRequest,
	type CardRequestPlan,
	type CardRequestState,
	cardRequestOf,
	type PastRequest,
	pastRequestOf,
	type RequestQuestion,
	type SealedPart,
} from './card-request.ts';
import { findBySecret } from './link-secret.ts';
import { requestMail } from './mail-letter.ts';
import type { MailStyles } from './mail-style.ts';
import { aboutRequest } from './note-mail.ts';
import {
	type CardRequestRow,
	type CompletedRow,
	completeIn,
	requestStore,
	sealedCardRequests,
	sealedRequestParts,
} from './request-store.ts';

/** An open request, and the caller who created it and for whom the card will be stored. */
export interface OpenedRequest {
	readonly request: CardRequest;
	readonly principal: Principal;
	/** The name by which the cardholder knows the sender. */
	readonly sender: string;
}

export interface NewCardRequest {
	/** The public URL, with which links begin. */
	readonly baseUrl: string;
	readonly alongside?: (id: string, transaction: Knex.Transaction) => Promise<void>;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MAX_PER_RUN = 500;
/** A link consists of the public URL, this path and its secret. */
const LINK_PATH = '/cardrequest/';

export type CardRequests = ReturnType<typeof openCardRequests>;

/** Opens the management of card requests; the database must be migrated. */
export function openCardRequests(options: {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly identity: Pick<Identity, 'findMaker'>;
	readonly audit: Audit;
	readonly clock: Clock;
	readonly logger: Pick<Logger, 'error'>;
	readonly mails: MailQueue;
	readonly mailStyles: Pick<MailStyles, 'find'>;
	readonly settings: {
		readonly mailFrom: string | undefined;
		readonly expirationMinutes: number;
		/** The hours after which a cardholder is reminded; null if nobody is reminded. */
		readonly reminderHours: number | null;
		readonly keptDays: number;
	};
}) {
	const { database, keyRing, identity, audit, clock, logger, mails, mailStyles, settings } = options;
	const store = requestStore(database.knex);
	const hasher = credentialHasher(keyRing);
	const now = () => clock.now().getTime();
	const findIntact = (read: () => Promise<CardRequestRow | undefined>) => keyRing.seals.find(sealedCardRequests, read);
	const isOpen = (row: CardRequestRow) => row.ended_at === null && row.expires_at > now();
	const partIn = (row: CardRequestRow) => openValue<SealedPart>(keyRing, sealedRequestParts, row);
	const read = async (row: CardRequestRow) => cardRequestOf(row, await partIn(row));
	const readPast = async (row: CardRequestRow) => pastRequestOf(row, await partIn(row), now());

	const findOpen = async ({ ownerId }: Pick<Principal, 'ownerId'>, id: string): Promise<CardRequestRow | undefined> => {
		const row = isUlid(id) ? await findIntact(() => store.find(id)) : undefined;
		return row?.owner_id === ownerId && isOpen(row) ? row : undefined;
	};
	const mailOf = async (request: CardRequest, isReminder = false): Promise<QueuedMail | undefined> => {
		const { mailFrom: from } = settings;
		if (!mails.isOpen || from === undefined || request.recipient.email === undefined) return undefined;
		const style = await mailStyles.find(request.ownerId);
		return {
			accountId: request.accountId,
			ownerId: request.ownerId,
			about: aboutRequest(request.id),
			giveUpAt: request.expiresAt,
			mail: requestMail(request, { style, from, isReminder }),
		};
	};

	return {
		/** Creates a request, and puts its mail into the queue if there is a mail server and a mail address. */
		async create(principal: Principal, plan: CardRequestPlan, { baseUrl, alongside }: NewCardRequest) {
			const id = makeUlid(now());
			const secret = makeSecret('cr');
			const part = partOf(plan, `${baseUrl}${LINK_PATH}${secret}`);
			const { hash } = await hasher.hashNew(secret);
			const expiresAt = now() + (plan.expirationMinutes ?? settings.expirationMinutes) * MINUTE_MS;
			const values = newRow(principal, plan, {
				id,
				hash,
				now: now(),
				expiresAt,
				...sealValue(await keyRing.current('secret'), sealedRequestParts, { id }, part),
			});
			const request = cardRequestOf({ ...values, seal_key: values.key_id, seal: values.sealed }, part);
			const mail = await mailOf(request);
			const putMail = mail && (await mails.prepare());
			await keyRing.seals.transact(database, async (transaction, sealer) => {
				await requestStore(transaction).insert({ ...values, ...sealer.seal(sealedCardRequests, values) });
				await putMail?.(mail!, transaction);
				await alongside?.(id, transaction);
				const details = { kind: request.kind, isMailed: mail !== undefined };
				const entry = { actor: actorOf(principal), action: 'card-request.create', subject: aboutRequest(id), details };
				await audit.record(entry, transaction);
			});
			mails.wake();
			return request;
		},
		/** Returns a request of the caller's account that is neither completed, cancelled nor expired. */
		async find(principal: Pick<Principal, 'ownerId'>, id: string): Promise<CardRequest | undefined> {
			const row = await findOpen(principal, id);
			return row && read(row);
		},
		/** Returns a request of the caller's account that is open or has ended and is still kept. */
		async findPast({ ownerId }: Pick<Principal, 'ownerId'>, id: string): Promise<PastRequest | undefined> {
			const row = isUlid(id) ? await findIntact(() => store.find(id)) : undefined;
			return row?.owner_id === ownerId ? readPast(row) : undefined;
		},
		/** Lists requests of the caller's account, open or ended, newest first. */
		async list({ ownerId }: Pick<Principal, 'ownerId'>, question: RequestQuestion, page: ListPage<string>) {
			const rows = await keyRing.seals.list(sealedCardRequests, () => store.list(ownerId, question, page));
			return Array.fromAsync(rows, readPast);
		},
		/** Counts the requests of the caller's account that fit, up to `most`. */
		count: ({ ownerId }: Pick<Principal, 'ownerId'>, question: RequestQuestion, most: number) =>
			store.count(ownerId, question, most),
		/** Cancels an open request; returns false if the account has no open request with this id. */
		async cancel(principal: Principal, id: string): Promise<boolean> {
			const row = await findOpen(principal, id);
			if (!row) return false;
			return keyRing.seals.transact(database, async (transaction, sealer) => {
				// Mails are removed first: the mail queue also locks a mail before the request of the mail, and locking them in
				// another order could cause a deadlock.
				await removeMailsAbout(transaction, aboutRequest(id));
				if (!(await requestStore(transaction).end(id, 'Cancelled', now()))) return false;
				await sealer.end(transaction, sealedCardRequests, row);
				const entry = { actor: actorOf(principal), action: 'card-request.cancel', subject: aboutRequest(id) };
				await audit.record(entry, transaction);
				return true;
			});
		},
		/** Returns the request of a link, and notes that its page was viewed; undefined if it works no more. */
		async open(secret: string): Promise<OpenedRequest | undefined> {
			const row = await findIntact(() =>
				findBySecret(hasher, { kind: 'cr', secret }, (hashes) => store.findByHash(hashes)),
			);
			if (!row || !isOpen(row)) return undefined;
			const principal = await identity.findMaker(Number(row.api_key_id), row.account_id);
			// A request ends with the API key that created it, so that revoking a stolen key also stops its requests.
			if (principal?.accountId !== row.account_id || !principal.permissions.has('CardRequest')) return undefined;
			// A request for a CVV ends when its account may keep none any more.
			if (row.card_token !== null && !principal.cvvRetention) return undefined;
			await store.move(row.id, BEFORE_VIEW, 'FormViewed');
			const { fromName } = await mailStyles.find(row.owner_id);
			return { request: await read(row), principal, sender: fromName ?? row.sender_id };
		},
		/**
		 * Prepares the completion of a request, before the transaction that stores the card. The function that it returns
		 * completes the request in that transaction; it returns false if the request has ended meanwhile.
		 */
		async prepareCompletion(id: string): Promise<(token: Token, transaction: SqlTransaction) => Promise<boolean>> {
			const sealer = await keyRing.seals.sealer();
			return async (token, transaction) => {
				await removeMailsAbout(transaction, aboutRequest(id));
				const row = await completeIn(transaction, { id, token, now: now() });
				if (row) {
					await sealer.end(transaction, sealedCardRequests, row);
					await recordEvents(transaction, [eventOf('card_request.completed', row)], now());
				}
				return row !== undefined;
			};
		},
		/** Records that the cardholder sent a card that could not be stored. */
		async noteFailure(id: string): Promise<void> {
			await store.move(id, [...BEFORE_VIEW, 'FormViewed'], 'StoreFailed');
		},
		async expire(): Promise<number> {
			let count = 0;
			for (const row of await store.listExpired(now(), MAX_PER_RUN)) {
				await transact(database, async (transaction) => {
					await removeMailsAbout(transaction, aboutRequest(row.id));
					if (!(await requestStore(transaction).end(row.id, 'LinkExpired', now()))) return;
					await recordEvents(transaction, [eventOf('card_request.expired', row)], now());
					count++;
				});
			}
			return count;
		},
		async remind(): Promise<number> {
			const { reminderHours } = settings;
			if (reminderHours === null || !mails.isOpen) return 0;
			const dueUntil = { createdBefore: now() - reminderHours * HOUR_MS, now: now() };
			const due = await store.listUnanswered(dueUntil, MAX_PER_RUN);
			const putMail = await mails.prepare();
			let count = 0;
			for (const row of due) {
				try {
					const intact = await findIntact(() => store.find(row.id));
					const mail = intact && (await mailOf(await read(intact), true));
					await transact(database, async (transaction) => {
						if (!(await requestStore(transaction).noteReminder(row.id, now())) || !mail) return;
						try {
							await putMail(mail, transaction);
							count++;
						} catch (error) {
							// A reminder is no duty. Without this, the requests of one account would be tried for ever, before others.
							if (!isMailLimit(error)) throw error;
						}
					});
				} catch (err) {
					// A request whose sealed part cannot be opened must not prevent the reminders of the others.
					logger.error({ cardRequest: row.id, err }, 'a cardholder could not be reminded');
				}
			}
			mails.wake();
			return count;
		},
		/** Removes requests that ended long ago; returns how many. */
		purge: () => store.removeEnded(now() - settings.keptDays * 24 * HOUR_MS),
	};
}

/** The states of a request whose page was not viewed yet. No request moves from a later state back to one of these. */
const BEFORE_VIEW: readonly CardRequestState[] = ['MessageQueued', 'MessageSent', 'MessageFailed'];

function eventOf(type: NewEvent['type'], { id, account_id, kind, reference }: CompletedRow): NewEvent {
	const told = { request: id, kind, reference };
	return { type, accountId: Number(account_id) as AccountId, about: aboutRequest(id), data: told };
}

function partOf(plan: CardRequestPlan, url: string): SealedPart {
	const { recipient, css, successUrl, failureUrl, card } = plan;
	return { url, recipient, css, successUrl, failureUrl, lastDigits: card?.lastDigits };
}

function newRow(
	principal: Principal,
	plan: CardRequestPlan,
	at: Pick<CardRequestRow, 'id' | 'hash' | 'key_id' | 'sealed'> & { readonly now: number; readonly expiresAt: number },
): Omit<CardRequestRow, 'seal_key' | 'seal'> {
	const { accountId, ownerId, userId } = principal;
	const { id, hash, key_id, sealed, now, expiresAt } = at;
	return {
		id,
		hash,
		account_id: accountId,
		owner_id: ownerId,
		api_key_id: makerIdOf(principal),
		sender_id: userId,
		kind: plan.card ? 'cvv' : 'card',
		reference: plan.reference ?? id,
		card_token: plan.card?.token ?? null,
		result_token: null,
		require_cvv: plan.requireCvv ?? null,
		card_types: plan.cardTypes?.join(',') ?? null,
		language: plan.language ?? null,
		state: 'MessageQueued',
		created_at: now,
		expires_at: expiresAt,
		ended_at: null,
		reminded_at: null,
		key_id,
		sealed,
	};
}
