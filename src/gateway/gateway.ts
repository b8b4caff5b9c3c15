// The payment gateway as doors see it (spec §2.7, shapes §7): operations through drivers, credentials, transactions.

import { CARD_TYPES } from '../card/brand.ts';
import { CardNumber } from '../card/card-number.ts';
import { Cvv } from '../card/cvv-code.ts';
import type { AccountId } from '../database/ids.ts';
import { ServiceError } from '../errors.ts';
import { actorOf, type Principal } from '../identity/principal.ts';
import type { Logger } from '../log.ts';
import type { Resolved } from '../vault/card-reader.ts';
import type { Token } from '../vault/token.ts';
import type { AttemptQuery, AttemptRow } from './attempt-store.ts';
import { type GatewayCredentials, openGatewayCredentials, secretsOf } from './credentials.ts';
import type { Credentials, GatewayDriver, KnownPayment } from './driver.ts';
import { callDriver, type OnGatewayCall } from './driver-call.ts';
import { Journal, type JournalRooms } from './journal.ts';
import { type GatewayCard, type Order, type Outcome, outcomeOf } from './operation.ts';
import { settleAttempts } from './settle.ts';
import { type Transaction, transactionOf } from './transaction.ts';

/** One deadline for every call of a provider: what a relay has as well (spec §8). */
const DEADLINE_MS = 29_000;
/** How much longer than its deadline an attempt is left to the daemon that sends it; so long after its beginning it may be sent. */
const LEASE_MARGIN_MS = 31_000;

/** An operation a caller asks for, read and checked. */
export interface GatewayRequest {
	readonly caller: Pick<Principal, 'ownerId' | 'accountId' | 'userId' | 'apiKeyId' | 'sshKeyId' | 'address'>;
	readonly driver: GatewayDriver;
	readonly order: Order;
	readonly credentialsId: string | undefined;
	readonly credentials: Credentials;
	/** For PreAuth and Charge one of the two. */
	readonly card: GatewayCard | undefined;
	readonly stored: { readonly token: Token; readonly found: Resolved } | undefined;
	/** The caller's idempotency key; accounts under one owner each have their own. */
	readonly callerKey: string | undefined;
}

export interface Gateway {
	/** Every driver there is, in order of names. */
	readonly drivers: readonly GatewayDriver[];
	readonly credentials: GatewayCredentials;
	/** By its name in any case. */
	findDriver(name: string): GatewayDriver | undefined;
	/**
	 * Carries out an operation, or gives what became of it when the caller's key was used before (`isReplay`). Declines
	 * and failures are values. @throws ServiceError for a request that contradicts the payment it is about
	 */
	operate(request: GatewayRequest): Promise<Transaction & { readonly isReplay: boolean }>;
	find(accountId: AccountId, id: string): Promise<Transaction | undefined>;
	/** Oldest first. */
	list(accountId: AccountId, query: AttemptQuery): Promise<Transaction[]>;
	/** Asks for the outcomes that are due. Run by the schedule, on one daemon at a time. */
	settle(): Promise<{ readonly settled: number; readonly open: number }>;
}

export interface GatewayOptions extends JournalRooms {
	readonly drivers: readonly GatewayDriver[];
	readonly logger: Logger;
	readonly onCall?: OnGatewayCall;
	readonly deadlineMs?: number;
}

/** Opens the gateway over drivers and a migrated database. */
export function openGateway(options: GatewayOptions): Gateway {
	const { drivers, vault, logger, deadlineMs = DEADLINE_MS, onCall } = options;
	const byName = new Map(drivers.map((driver) => [driver.name.toLowerCase(), driver]));
	const journal = new Journal(options);
	const credentials = openGatewayCredentials(options);
	const findDriver = (name: string) => byName.get(name.toLowerCase());

	const operate: Gateway['operate'] = async (request) => {
		const { caller, driver, order, stored } = request;
		const known = await findKnown(request);
		const card = stored ? cardOf(stored.found) : request.card;
		const begunAt = performance.now();
		const { row, isNew } = await journal.begin({
			...{ accountId: caller.ownerId, callerId: caller.accountId, userId: caller.userId },
			...{ gateway: driver.name, order },
			...{ credentialsId: request.credentialsId, credentials: request.credentials, callerKey: request.callerKey },
			token: stored?.token,
			maskedNumber: card?.number.masked(),
			leaseMs: deadlineMs + LEASE_MARGIN_MS,
		});
		if (!isNew) return { ...transactionOf(row), isReplay: true };
		const ready = await withCvv(request, row, card);
		if (performance.now() - begunAt > LEASE_MARGIN_MS) {
			// A process that hung for so long may find that others have settled the attempt: it is too late to send it.
			return { ...(await record(request, row, outcomeOf('TemporaryFailure', 'Nothing was sent.'))), isReplay: false };
		}
		const outcome = await callDriver({
			...{ driver, order, known, card: ready, deadlineMs, logger, onCall },
			...{ attemptId: row.id, idempotencyKey: row.idempotency_key, accountId: row.account_id },
			...{ credentials: request.credentials, secrets: secretsOf(driver, request.credentials) },
		});
		return { ...(await record(request, row, outcome)), isReplay: false };
	};

	/** The payment a Capture, Refund or Void is about. An amount in another currency than it was made in makes no sense. */
	const findKnown = async ({ caller, driver, order }: GatewayRequest): Promise<KnownPayment | undefined> => {
		if (order.gatewayReference === undefined) return undefined;
		const known = await journal.findPayment(caller.ownerId, driver.name, order.gatewayReference);
		if (known && order.amount && order.amount.currency !== known.currency) {
			throw new ServiceError('bad-input-data', {
				field: 'Currency',
				problem: 'expected the currency of the original payment',
			});
		}
		return known;
	};

	/**
	 * A stored card with its CVV, as far as its policy lets it go there; a use is counted before it leaves and never given
	 * back. When that fails nothing has been sent, and the journal says so.
	 */
	const withCvv = async (
		request: GatewayRequest,
		row: AttemptRow,
		card: GatewayCard | undefined,
	): Promise<GatewayCard | undefined> => {
		const { driver, stored } = request;
		if (!stored || !card) return card;
		try {
			const cvv = await vault.cvvs.use(stored.found, { type: 'Gateway', data: driver.name });
			if (!cvv) return card;
			const digits = cvv.digits.toString('latin1');
			cvv.digits.fill(0);
			return { ...card, cvv: new Cvv(digits) };
		} catch (error) {
			await record(request, row, outcomeOf('TemporaryFailure', 'Nothing was sent.'));
			throw error;
		}
	};

	/** What the gateway said is said to the caller whatever happens here: an attempt left `sent` is settled later. */
	const record = async (
		{ caller }: GatewayRequest,
		row: AttemptRow,
		outcome: Outcome | 'unknown',
	): Promise<Transaction> => {
		const actor = actorOf(caller);
		try {
			if (outcome === 'unknown') await journal.markUnknown(row, row.created_at + deadlineMs + LEASE_MARGIN_MS, actor);
			else await journal.settle(row, outcome, { actor, driver: findDriver(row.gateway) });
		} catch (error) {
			logger.error({ transaction: row.id, err: error }, 'the outcome of a gateway operation could not be recorded');
		}
		const seen = transactionOf({ ...row, state: 'unknown' });
		if (outcome === 'unknown') return seen;
		const settled = (await journal.find(row.account_id, row.id).catch(() => undefined)) ?? row;
		return settled.result === null ? { ...seen, outcome } : transactionOf(settled);
	};

	return {
		drivers: [...drivers].sort((a, b) => (a.name < b.name ? -1 : 1)),
		credentials,
		findDriver,
		operate,
		async find(accountId, id) {
			const row = await journal.find(accountId, id);
			return row && transactionOf(row);
		},
		async list(accountId, query) {
			return (await journal.list(accountId, query)).map(transactionOf);
		},
		settle: () => settleAttempts({ ...options, journal, credentials, findDriver, deadlineMs }),
	};
}

/** A stored card without its CVV. @throws ServiceError for one that came from a file without an expiry */
function cardOf({ record }: Resolved): GatewayCard {
	const { expiry } = record;
	if (expiry === 0) {
		throw new ServiceError('bad-input-data', {
			field: 'CardToken',
			problem: 'the card was stored without an expiration date',
		});
	}
	return {
		number: new CardNumber(record.digits.toString('latin1')),
		expiryMonth: String(expiry % 100).padStart(2, '0'),
		expiryYear: String(Math.floor(expiry / 100)),
		cvv: undefined,
		name: record.name?.toString('utf8'),
		type: CARD_TYPES[record.type],
	};
}
