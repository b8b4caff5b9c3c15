// Keeps the journal of attempts: each is durable before anything is sent, and its outcome is recorded only once.

import { createHmac, randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { Clock } from '../../../base/clock.ts';
import { transact } from '../../../base/database/dialect.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import type { Database } from '../../../base/database/open.ts';
import { makeUlid } from '../../../base/database/ulid.ts';
import { badInput } from '../../../base/errors.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import type { SealedRows } from '../../../base/keys/rows/sealed-rows.ts';
import { type NewEvent, recordEvents } from '../../../base/outbox/record-events.ts';
import type { Actor } from '../../../trail/actor.ts';
import type { Audit } from '../../../trail/audit.ts';
import type { Token } from '../../../vault/tokens/token.ts';
import type { Vault } from '../../../vault/vault.ts';
import { type AttemptRow, type AttemptState, attemptStore } from './attempt-store.ts';
import { sealCredentials } from './credentials.ts';
import type { Credentials, GatewayDriver, KnownPayment } from './driver.ts';
import { CARD_OPERATIONS, type Order, type Outcome, type Result } from './operation.ts';
import { orderOf } from './transaction.ts';

/** A caller's idempotency key is remembered for this time, as it is for HTTP calls (shapes §1). */
const CALLER_KEY_MS = 24 * 3_600_000;

/** Holds the facts of an attempt that are written before it is sent. */
export interface NewAttempt {
	readonly accountId: AccountId;
	/** The account that calls: the owner itself or a sub-user of it. */
	readonly callerId: AccountId;
	readonly userId: string;
	readonly gateway: string;
	readonly order: Order;
	readonly credentialsId: string | undefined;
	readonly credentials: Credentials;
	readonly token: Token | undefined;
	readonly maskedNumber: string | undefined;
	/** The caller's own idempotency key. Under one key only one attempt is created. */
	readonly callerKey: string | undefined;
	/** The time for which only this daemon deals with the attempt: until then no other one queries its outcome. */
	readonly leaseMs: number;
}

/** Returns the event that tells the outcome of an attempt. Endpoints of the account that owns it are told. */
function settledEvent({ id, account_id, user_id, gateway, operation }: AttemptRow, result: Result): NewEvent {
	const told = { account: user_id, transaction: id, gateway, operation, result };
	return { type: 'payment.settled', accountId: account_id, about: `payment ${id}`, data: told };
}

/** Names who records the outcome of an attempt, and the driver that was used, unless it no longer exists. */
export interface Settling {
	readonly actor: Actor;
	readonly driver: GatewayDriver | undefined;
}

export interface JournalOptions {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly vault: Vault;
	readonly audit: Audit;
	readonly clock: Clock;
}

const STATES: Readonly<Record<Result, AttemptState>> = {
	Success: 'approved',
	Accepted: 'approved',
	Rejected: 'declined',
	TemporaryFailure: 'failed',
	FatalFailure: 'failed',
};

/** Writes attempts to the database. No other code does. */
export class Journal {
	readonly #options: JournalOptions;
	readonly #store: ReturnType<typeof attemptStore>;

	constructor(options: JournalOptions) {
		this.#options = options;
		this.#store = attemptStore(options.database.knex);
	}

	/**
	 * Writes an attempt durably, or returns the one written under the same caller's key.
	 * @throws ServiceError if the earlier attempt was for another order
	 */
	async begin(attempt: NewAttempt): Promise<{ readonly row: AttemptRow; readonly isNew: boolean }> {
		const { keyRing } = this.#options;
		const now = this.#now();
		const id = makeUlid(now);
		const hashes = await this.#callerKeyHashes(attempt);
		const place = { account_id: attempt.accountId, id };
		const { key_id, sealed } = await sealCredentials(keyRing, sealedAttemptCredentials, place, attempt.credentials);
		const row = newRow(attempt, { id, now, callerKeyHash: hashes[0] ?? null });
		const fresh: AttemptRow = { ...row, key_id, sealed_credentials: sealed };
		for (;;) {
			const earlier = hashes.length > 0 ? await this.#store.findByCallerKey(attempt.accountId, hashes) : undefined;
			if (earlier && earlier.created_at > now - CALLER_KEY_MS) {
				checkSameOrder(earlier, fresh);
				return { row: earlier, isNew: false };
			}
			if (earlier) await this.#store.forgetCallerKey(earlier.id);
			if (await this.#store.insert(fresh)) return { row: fresh, isNew: true };
		}
	}

	/**
	 * Records the outcome of an attempt. An approved authorisation destroys the CVV of its card in the same transaction
	 * (shapes §3). Returns false and changes nothing if an outcome was recorded before.
	 */
	async settle(row: AttemptRow, answered: Outcome, { actor, driver }: Settling): Promise<boolean> {
		const { database, vault, audit } = this.#options;
		const place = row.token === null ? undefined : await vault.locate(row.token as Token);
		const isAuthorised = answered.result === 'Success' && CARD_OPERATIONS.has(row.operation);
		const record = async (transaction: Knex.Transaction, destroyCvv?: () => Promise<void>) => {
			const outcome = (await this.#findRefusal(row, answered, driver, transaction)) ?? answered;
			const isOurs = await attemptStore(transaction).changeOpen(row.id, {
				state: STATES[outcome.result],
				result: outcome.result,
				description: outcome.description,
				gateway_reference: outcome.gatewayReference,
				gateway_result_code: outcome.gatewayResultCode,
				gateway_result_description: outcome.gatewayResultDescription,
				authorization_code: outcome.authorizationCode,
				settled_at: this.#now(),
				due_at: null,
				key_id: null,
				sealed_credentials: null,
			});
			if (!isOurs) return false;
			await destroyCvv?.();
			await recordEvents(transaction, [settledEvent(row, outcome.result)], this.#now());
			await audit.record(auditEntry(row, actor, outcome.result, place?.accountId), transaction);
			return true;
		};
		return isAuthorised && place ? vault.cvvs.transact(place, record) : transact(database, record);
	}

	/** Notes that the outcome of an attempt is unknown, and when to query it next; null means never. */
	async markUnknown(
		row: AttemptRow,
		dueAt: number | null,
		actor: Actor = { userId: row.user_id, accountId: row.account_id },
	): Promise<void> {
		const { database, audit, vault } = this.#options;
		const isFirst = row.state === 'sent';
		const place = isFirst && row.token !== null ? await vault.locate(row.token as Token) : undefined;
		await transact(database, async (transaction) => {
			const changes = { state: 'unknown', due_at: dueAt, queries: isFirst ? 0 : row.queries + 1 } as const;
			const isOurs = await attemptStore(transaction).changeOpen(row.id, changes);
			if (isOurs && isFirst) await audit.record(auditEntry(row, actor, 'unknown', place?.accountId), transaction);
		});
	}

	async listDue(limit: number): Promise<AttemptRow[]> {
		return this.#store.listDue(this.#now(), limit);
	}

	/**
	 * Returns the facts about a payment from the journal of this account. A payment of another account is not found,
	 * like one made outside this service.
	 */
	async findPayment(accountId: AccountId, gateway: string, reference: string): Promise<KnownPayment | undefined> {
		const beginning = await this.#store.findBeginning(accountId, gateway, reference);
		return beginning && this.#paymentOf(beginning, reference, this.#store);
	}

	/**
	 * Asks the driver whether an approval must become a refusal, if the gateway keeps no records of payments itself.
	 * The payment is locked meanwhile, so that no other attempt can change it.
	 */
	async #findRefusal(
		row: AttemptRow,
		{ result }: Outcome,
		driver: GatewayDriver | undefined,
		transaction: Knex.Transaction,
	): Promise<Outcome | undefined> {
		const reference = row.original_reference;
		if (!driver?.findRefusal || reference === null || STATES[result] !== 'approved') return undefined;
		const store = attemptStore(transaction);
		const beginning = await store.findBeginning(row.account_id, row.gateway, reference);
		if (!beginning) return undefined;
		await store.lock(beginning.id, this.#options.database.dialect);
		return driver.findRefusal(orderOf(row), await this.#paymentOf(beginning, reference, store));
	}

	async #paymentOf(beginning: AttemptRow, reference: string, store: ReturnType<typeof attemptStore>) {
		const sums = await store.sumsSince(beginning.account_id, beginning.gateway, reference);
		const amountMinor = beginning.amount_minor ?? 0;
		return {
			operation: beginning.operation,
			currency: beginning.currency ?? '',
			amountMinor,
			capturedMinor: beginning.operation === 'Charge' ? amountMinor : (sums.get('Capture') ?? 0),
			refundedMinor: sums.get('Refund') ?? 0,
			isVoided: sums.has('Void'),
		};
	}

	/** Hashes the caller's key with a secret, so that the text that they chose cannot be guessed from the hash. */
	async #callerKeyHashes({ callerId, callerKey }: NewAttempt): Promise<string[]> {
		if (callerKey === undefined) return [];
		const keys = await this.#options.keyRing.all('credential');
		const text = `gateway attempt ${callerId} ${callerKey}`;
		return keys.map(({ secret }) => createHmac('sha256', secret).update(text).digest('hex'));
	}

	#now(): number {
		return this.#options.clock.now().getTime();
	}
}

/**
 * Names the table and columns with the credentials of attempts, so that they can be sealed again under a new key. They
 * are kept while an outcome may have to be queried.
 */
export const sealedAttemptCredentials: SealedRows = {
	table: 'gateway_attempts',
	id: ['account_id', 'id'],
	column: 'sealed_credentials',
	label: ({ account_id, id }, keyId) => Buffer.from(`tokendrop gateway attempt ${account_id}/${id}/${keyId}`),
};

/** If two attempts have equal values in these columns, they are the same order. */
const ORDER_COLUMNS = [
	...(['operation', 'gateway', 'credentials_id', 'amount_minor', 'currency', 'my_ref', 'token'] as const),
	...(['masked_number', 'original_reference'] as const),
];

function checkSameOrder(earlier: AttemptRow, wanted: AttemptRow): void {
	if (ORDER_COLUMNS.every((column) => earlier[column] === wanted[column])) return;
	throw badInput('Idempotency-Key', 'was used before with another request');
}

function newRow(
	attempt: NewAttempt,
	{ id, now, callerKeyHash }: { id: string; now: number; callerKeyHash: string | null },
): Omit<AttemptRow, 'key_id' | 'sealed_credentials'> {
	const { order } = attempt;
	return {
		id,
		account_id: attempt.accountId,
		user_id: attempt.userId,
		operation: order.operation,
		gateway: attempt.gateway,
		credentials_id: attempt.credentialsId ?? null,
		amount_minor: order.amount?.minor ?? null,
		currency: order.amount?.currency ?? null,
		my_ref: order.myRef ?? null,
		token: attempt.token ?? null,
		masked_number: attempt.maskedNumber ?? null,
		original_reference: order.gatewayReference ?? null,
		idempotency_key: randomUUID(),
		caller_key_hash: callerKeyHash,
		state: 'sent',
		result: null,
		description: null,
		gateway_reference: null,
		gateway_result_code: null,
		gateway_result_description: null,
		authorization_code: null,
		created_at: now,
		settled_at: null,
		due_at: now + attempt.leaseMs,
		queries: 0,
	};
}

/** Returns the entry of an attempt, which belongs to the account that owns the card. */
function auditEntry(row: AttemptRow, actor: Actor, result: string, account = row.account_id) {
	const { gateway, amount_minor, currency, token, masked_number } = row;
	const subject = token ? `token ${token}` : masked_number ? `card ${masked_number}` : `gateway transaction ${row.id}`;
	return {
		actor,
		account,
		action: `gateway.${row.operation.toLowerCase()}`,
		subject,
		details: { gateway, transaction: row.id, amountMinor: amount_minor, currency, result },
	};
}
