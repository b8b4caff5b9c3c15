// Offers the payment gateway to the HTTP routes (spec §2.7, shapes §7): operations through drivers, credentials,
// transactions.

import { CARD_TYPES } from '../../../base/card/brand.ts';
import { CardNumber } from '../../../base/card/card-number.ts';
import { Cvv } from '../../../base/card/clear-cvv.ts';
import { writtenExpiry } from '../../../base/card/expiry.ts';
import type { Clock } from '../../../base/clock.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import type { ListPage } from '../../../base/database/list-page.ts';
import { badInput } from '../../../base/errors.ts';
import type { Logger } from '../../../base/log/log.ts';
import { actorOf, type Principal } from '../../../people/identity/principal.ts';
import type { Actor } from '../../../trail/actor.ts';
import type { Resolved } from '../../../vault/cards/card-reader.ts';
import type { Token } from '../../../vault/tokens/token.ts';
import { type AttemptQuery, type AttemptRow, attemptStore, type JournalQuestion } from './attempt-store.ts';
import { openGatewayCredentials, secretsOf } from './credentials.ts';
import type { Credentials, GatewayDriver, KnownPayment } from './driver.ts';
import { callDriver, type OnGatewayCall } from './driver-call.ts';
import { Journal, type JournalOptions } from './journal.ts';
import { type GatewayCard, type Order, type Outcome, outcomeOf } from './operation.ts';
import { settleAttempts, settleNow } from './settle.ts';
import { type JournalEntry, journalEntryOf, type Transaction, transactionOf } from './transaction.ts';

/** The deadline for every call to a provider, the same as for a relay (spec §8). */
const DEADLINE_MS = 29_000;
/**
 * Other daemons do not query the outcome of a new attempt until the deadline and this time have passed. Within this
 * time, the daemon that began the attempt has to prepare it; if that takes longer, it sends nothing, because another
 * daemon may have recorded an outcome already when the gateway answers.
 */
const LEASE_MARGIN_MS = 31_000;

/** At most this many operations of one payment are shown with it. */
const MAX_OF_PAYMENT = 100;

/** Describes an operation that a caller requests, already read and checked. */
export interface GatewayRequest {
	readonly caller: Pick<Principal, 'ownerId' | 'accountId' | 'userId' | 'apiKeyId' | 'sshKeyId' | 'address'>;
	readonly driver: GatewayDriver;
	readonly order: Order;
	readonly credentialsId: string | undefined;
	readonly credentials: Credentials;
	/** The card in clear. A PreAuth or a Charge has either this or a token. */
	readonly card: GatewayCard | undefined;
	readonly stored: { readonly token: Token; readonly found: Resolved } | undefined;
	/** The caller's idempotency key. Each account under one owner has its own keys. */
	readonly callerKey: string | undefined;
}

export interface GatewayOptions extends JournalOptions {
	readonly drivers: readonly GatewayDriver[];
	readonly logger: Logger;
	readonly onCall?: OnGatewayCall;
	readonly deadlineMs?: number;
}

export type Gateway = ReturnType<typeof openGateway>;

/** Opens the gateway with its drivers; the database must be migrated. */
export function openGateway(options: GatewayOptions) {
	const { drivers, vault, logger, deadlineMs = DEADLINE_MS, onCall } = options;
	const byName = new Map(drivers.map((driver) => [driver.name.toLowerCase(), driver]));
	const journal = new Journal(options);
	const store = attemptStore(options.database.knex);
	const credentials = openGatewayCredentials(options);
	const findDriver = (name: string) => byName.get(name.toLowerCase());

	const settling = { ...options, journal, credentials, findDriver, deadlineMs };

	const operate = async (request: GatewayRequest): Promise<Transaction & { readonly isReplay: boolean }> => {
		const { caller, driver, order, stored } = request;
		const known = await findKnown(request);
		const card = stored ? cardOf(stored.found) : request.card;
		const begunAt = performance.now();
		const { row, isNew } = await journal.begin({
			accountId: caller.ownerId,
			callerId: caller.accountId,
			userId: caller.userId,
			gateway: driver.name,
			order,
			credentialsId: request.credentialsId,
			credentials: request.credentials,
			callerKey: request.callerKey,
			token: stored?.token,
			maskedNumber: card?.number.masked(),
			leaseMs: deadlineMs + LEASE_MARGIN_MS,
		});
		if (!isNew) return { ...transactionOf(row), isReplay: true };
		const ready = await withCvv(request, row, card);
		if (performance.now() - begunAt > LEASE_MARGIN_MS) {
			// Preparing the attempt took so long that another daemon may already have recorded an outcome for it, so
			// nothing is sent any more.
			return { ...(await record(request, row, outcomeOf('TemporaryFailure', 'Nothing was sent.'))), isReplay: false };
		}
		const outcome = await callDriver({
			driver,
			order,
			known,
			card: ready,
			deadlineMs,
			logger,
			onCall,
			attemptId: row.id,
			idempotencyKey: row.idempotency_key,
			accountId: row.account_id,
			credentials: request.credentials,
			secrets: secretsOf(driver, request.credentials),
		});
		return { ...(await record(request, row, outcome)), isReplay: false };
	};

	/** Finds the payment that a Capture, Refund or Void refers to. The amount must be in the currency of that payment. */
	const findKnown = async ({ caller, driver, order }: GatewayRequest): Promise<KnownPayment | undefined> => {
		if (order.gatewayReference === undefined) return undefined;
		const known = await journal.findPayment(caller.ownerId, driver.name, order.gatewayReference);
		if (known && order.amount && order.amount.currency !== known.currency) {
			throw badInput('Currency', 'expected the currency of the original payment');
		}
		return known;
	};

	/**
	 * Adds the stored CVV to a stored card, if the retention policy of the CVV allows this gateway to receive it. A use
	 * of the CVV is counted before it is sent, and stays counted in any case. If adding the CVV fails, nothing was
	 * sent, and the journal records that.
	 */
	const withCvv = async (request: GatewayRequest, row: AttemptRow, card: GatewayCard | undefined) => {
		const { driver, stored } = request;
		if (!stored || !card) return card;
		try {
			const cvv = await vault.cvvs.use(stored.found, { type: 'Gateway', data: driver.name });
			if (!cvv) return card;
			const digits = cvv.digits.toString('latin1');
			cvv.wipe();
			return { ...card, cvv: new Cvv(digits) };
		} catch (error) {
			await record(request, row, outcomeOf('TemporaryFailure', 'Nothing was sent.'));
			throw error;
		}
	};

	/**
	 * Records the outcome of an attempt. The caller gets the gateway's answer even if recording fails; an attempt that
	 * stays in the state `sent` is queried later.
	 */
	const record = async ({ caller }: GatewayRequest, row: AttemptRow, outcome: Outcome | 'unknown') => {
		const actor = actorOf(caller);
		try {
			if (outcome === 'unknown') await journal.markUnknown(row, row.created_at + deadlineMs + LEASE_MARGIN_MS, actor);
			else await journal.settle(row, outcome, { actor, driver: findDriver(row.gateway) });
		} catch (error) {
			logger.error({ transaction: row.id, err: error }, 'the outcome of a gateway operation could not be recorded');
		}
		const seen = transactionOf({ ...row, state: 'unknown' });
		if (outcome === 'unknown') return seen;
		const settled = (await store.find(row.account_id, row.id).catch(() => undefined)) ?? row;
		return settled.result === null ? { ...seen, outcome } : transactionOf(settled);
	};

	const queries = sharedQueries(options.clock);

	return {
		drivers: [...drivers].sort((a, b) => (a.name < b.name ? -1 : 1)),
		credentials,
		/** Finds a driver by its name in any case. */
		findDriver,
		/**
		 * Carries out an operation, or returns its result if the caller's idempotency key was used before (`isReplay`). If
		 * the gateway declines or fails, that is a result and not an error.
		 * @throws ServiceError if the request contradicts the payment it refers to
		 */
		operate,
		async find(accountId: AccountId, id: string): Promise<Transaction | undefined> {
			const row = await store.find(accountId, id);
			return row && transactionOf(row);
		},
		async list(accountId: AccountId, query: AttemptQuery): Promise<Transaction[]> {
			return (await store.list(accountId, query)).map(transactionOf);
		},
		async journal(accountId: AccountId, question: JournalQuestion, page: ListPage<string>): Promise<JournalEntry[]> {
			return (await store.listNewest(accountId, question, page)).map(journalEntryOf);
		},
		countJournal: (accountId: AccountId, question: JournalQuestion, most: number) =>
			store.countNewest(accountId, question, most),
		/** Returns an entry of the journal, and all entries about the same payment, oldest first. */
		async findEntry(accountId: AccountId, id: string) {
			const row = await store.find(accountId, id);
			if (!row) return undefined;
			const gatewayReference = row.original_reference ?? row.gateway_reference;
			const query = { gatewayReference: gatewayReference ?? '', gateway: row.gateway, from: 0, num: MAX_OF_PAYMENT };
			const ofPayment = gatewayReference === null ? [row] : await store.list(accountId, query);
			return { entry: journalEntryOf(row), payment: ofPayment.map(journalEntryOf) };
		},
		/**
		 * Queries the outcome of one attempt now; returns false if the outcome was recorded before, the attempt is still
		 * being sent, or the outcome stays unknown.
		 */
		async settleOne(accountId: AccountId, id: string, actor: Actor): Promise<boolean> {
			const row = await store.find(accountId, id);
			if (row === undefined || row.settled_at !== null) return false;
			return queries(id, () => settleNow(settling, row, actor));
		},
		/** Queries the outcomes of attempts that are due. The schedule runs this on one daemon at a time. */
		settle: () => settleAttempts(settling),
	};
}

/**
 * Returns a stored card without its CVV.
 * @throws ServiceError for a card that came from a file without an expiry
 */
function cardOf({ record }: Resolved): GatewayCard {
	const { expiry } = record;
	if (expiry === 0) {
		throw badInput('CardToken', 'the card was stored without an expiration date');
	}
	return {
		number: new CardNumber(record.digits.toString('latin1')),
		...writtenExpiry(expiry),
		cvv: undefined,
		name: record.name?.toString('utf8'),
		type: CARD_TYPES[record.type],
	};
}

/** A query that a user requests serves every further request for the same attempt that comes within this time. */
const SERVES_MS = 10_000;

/**
 * Returns a function that queries the outcome of an attempt when a user requests it, unless a user has requested it a
 * moment ago: then the answer of that query is returned. Otherwise somebody who clicks again and again would send a
 * query to the gateway with each click, and gateways refuse the calls of merchants who send too many.
 */
function sharedQueries(clock: Clock): (id: string, query: () => Promise<boolean>) => Promise<boolean> {
	const recent = new Map<string, { readonly atMs: number; readonly answer: Promise<boolean> }>();
	return (id, query) => {
		const atMs = clock.now().getTime();
		for (const [other, asked] of recent) if (atMs - asked.atMs >= SERVES_MS) recent.delete(other);
		const known = recent.get(id);
		if (known) return known.answer;
		const answer = query();
		recent.set(id, { atMs, answer });
		answer.catch(() => recent.delete(id));
		return answer;
	};
}
