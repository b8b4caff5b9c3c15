// Carries out the operation of a session: first the payment is made, then the card is stored. Every step is recorded in
// the database before the next one begins. So if a call is repeated after a lost answer or a crash, it continues where
// the first one stopped. The card is stored and the session is ended in one transaction, so a repeated call does not
// store the card again.

import { randomUUID } from 'node:crypto';
import type { Cvv } from '../../../base/card/clear-cvv.ts';
import { badInput } from '../../../base/errors.ts';
import { sealValue } from '../../../base/keys/rows/sealed-values.ts';
import { type Principal, storedBy } from '../../../people/identity/principal.ts';
import type { NewCard } from '../../../vault/cards/new-card.ts';
import { isOpen, type Transaction } from '../gateway/transaction.ts';
import { STEPS } from './operation.ts';
import { type ChosenGateway, getGateway, pay } from './payment.ts';
import type { WalletSession } from './session.ts';
import {
	completeIn,
	type SessionEnd,
	type SessionProgress,
	type SessionRow,
	sealedSessions,
	sessionStore,
} from './session-store.ts';
import { type StoredResult, sealedResults } from './stored-result.ts';
import type { WalletOptions } from './wallet.ts';

/**
 * A call claims its session for this long, which is longer than a payment may take. If a daemon dies, other calls have
 * to wait until its claim ends.
 */
const CLAIM_MS = 60_000;
/** At most so many payments of a session may be refused, so that no open page serves to try out card numbers. */
const MAX_ATTEMPTS = 5;

/** Holds a card as the page sent it, already checked. */
export interface WalletCard {
	readonly card: NewCard;
	/** The CVV to send to the gateway. If something is paid, the CVV is never kept. */
	readonly cvv: Cvv | undefined;
	/**
	 * The CVV to store with the card. It is undefined if the session includes a payment, if the account may not keep
	 * CVVs, or if the session forbids it.
	 */
	readonly keptCvv: Cvv | undefined;
	readonly masked: object;
	/** This function is called for each unit of the allowance, as soon as the call has used it. */
	onUsed(): void;
}

interface Request {
	readonly session: WalletSession;
	readonly principal: Principal;
	readonly card: WalletCard;
}

/**
 * Does those steps of a session's operation that were not done by an earlier call.
 * @throws ServiceError
 */
export async function carryOut(options: WalletOptions, request: Request): Promise<void> {
	const { database, clock } = options;
	const { id } = request.session;
	const store = sessionStore(database.knex);
	const now = clock.now().getTime();
	const claim = randomUUID();
	if (!(await store.claim(id, { claim, until: now + CLAIM_MS, now }))) {
		if ((await store.find(id))?.completed_at != null) return;
		throw badInput('session', 'another call is under way');
	}
	const row = (await store.find(id))!;
	const work = new Work(options, request, { row, claim });
	try {
		await work.run();
	} finally {
		if (!work.isCompleted) await store.release(id, claim, work.progress);
	}
}

/** Does the work of the one call that holds the claim on the session. */
class Work {
	isCompleted = false;
	/** What has been done so far. It is stored in the session if the call ends before the operation is complete. */
	progress: SessionProgress;
	readonly #options: WalletOptions;
	readonly #request: Request;
	readonly #row: SessionRow;
	readonly #claim: string;
	readonly #store: ReturnType<typeof sessionStore>;

	constructor(options: WalletOptions, request: Request, { row, claim }: { row: SessionRow; claim: string }) {
		this.#options = options;
		this.#request = request;
		this.#row = row;
		this.#claim = claim;
		this.#store = sessionStore(options.database.knex);
		this.progress = { attempts: row.attempts, transaction_id: row.transaction_id };
	}

	async run(): Promise<void> {
		const { session, principal } = this.#request;
		const { payment, storesCard } = STEPS[session.operation];
		// Everything for which the session may be refused is checked first, before any money is moved.
		const merchantId =
			session.merchantId === undefined
				? undefined
				: await this.#options.identity.resolveAssociationTarget(principal, session.merchantId);
		if (payment) {
			const chosen = await getGateway(this.#options.gateway, principal, session);
			const { state } = await this.#pay(payment, chosen);
			if (state !== 'approved') return;
		}
		const endWith = await this.#ending();
		if (storesCard) await this.#storeCard(merchantId, payment === undefined, endWith);
		else {
			const { database, keyRing } = this.#options;
			const at = { id: session.id, claim: this.#claim };
			this.isCompleted = await keyRing.seals.transact(database, async (transaction, sealer) => {
				if (!(await completeIn(transaction, at, endWith(undefined)))) return false;
				await sealer.end(transaction, sealedSessions, this.#row);
				return true;
			});
		}
	}

	async #pay(operation: 'Charge' | 'PreAuth', chosen: ChosenGateway): Promise<Transaction> {
		const { session, principal, card } = this.#request;
		const before = this.progress;
		const attempt = await this.#nextAttempt();
		// The attempt is written to the database before it is sent. If the daemon then dies, a later call finds its
		// abandoned claim and knows that a payment was begun.
		if (!(await this.#store.note(session.id, this.#claim, { attempts: attempt, transaction_id: null }))) {
			throw badInput('session', 'another call is under way');
		}
		// If `pay` throws, nothing was sent to the gateway. The earlier progress is restored for this case, so that another
		// call may make the attempt under the same number.
		this.progress = before;
		const { isReplay, ...transaction } = await pay(this.#options.gateway, {
			session,
			operation,
			chosen,
			principal,
			attempt,
			card: card.card,
			cvv: card.cvv,
		});
		this.progress = { attempts: attempt, transaction_id: transaction.id };
		if (!isReplay) card.onUsed();
		// The result of the payment is stored before anything else happens, because the page or the daemon may be gone
		// before the answer arrives.
		await this.#store.note(session.id, this.#claim, this.progress);
		return transaction;
	}

	/**
	 * Returns the number of the next attempt. After a refused payment that is a new number. Otherwise the last attempt is
	 * repeated under its own number, so that its result is returned if the payment was already made.
	 */
	async #nextAttempt(): Promise<number> {
		const { attempts, transaction_id: transactionId } = this.progress;
		if (attempts === 0) return 1;
		if (transactionId === null) return attempts;
		const last = await this.#options.gateway.find(this.#request.session.ownerId, transactionId);
		if (!last || isOpen(last) || last.state === 'approved') return attempts;
		if (attempts >= MAX_ATTEMPTS) throw badInput('session', 'no further attempt is accepted in this session');
		return attempts + 1;
	}

	/** Stores the card and ends the session; either both happen or neither. */
	async #storeCard(
		merchantId: Awaited<ReturnType<WalletOptions['identity']['resolveAssociationTarget']>> | undefined,
		mayKeepCvv: boolean,
		endWith: (result: StoredResult) => SessionEnd,
	): Promise<void> {
		const { session, principal, card } = this.#request;
		const at = { id: session.id, claim: this.#claim };
		const sealer = await this.#options.keyRing.seals.sealer();
		await this.#options.vault.store({
			...storedBy(principal),
			card: card.card,
			reference: session.reference,
			merchantId,
			cvv: mayKeepCvv ? card.keptCvv : undefined,
			alongside: async ({ token }, transaction) => {
				const isOurs = await completeIn(transaction, at, endWith({ token, masked: card.masked }));
				if (!isOurs) throw badInput('session', 'another call is under way');
				await sealer.end(transaction, sealedSessions, this.#row);
			},
		});
		this.isCompleted = true;
		card.onUsed();
	}

	/**
	 * Returns a function that makes the values with which a session is ended. The key is fetched now, because a
	 * transaction must not wait for it.
	 */
	async #ending(): Promise<(result: StoredResult | undefined) => SessionEnd> {
		const { keyRing, clock } = this.#options;
		const key = await keyRing.current('secret');
		const completed_at = clock.now().getTime();
		const { session } = this.#request;
		return (result) => ({ ...this.progress, ...sealValue(key, sealedResults, session, result ?? null), completed_at });
	}
}
