// Describes an attempt as its account sees it.

import type { AttemptRow } from './attempt-store.ts';
import { type Money, moneyOf } from './money.ts';
import { type Order, type Outcome, outcomeOf } from './operation.ts';

export type Transaction = ReturnType<typeof transactionOf>;

/** An attempt as the journal shows it to the people of its account. */
export type JournalEntry = ReturnType<typeof journalEntryOf>;

const OPEN_DESCRIPTION =
	'The outcome is not known: the gateway has not answered. It is settled as soon as it can be found.';

/** While the outcome is unknown, the result that the account sees is a temporary failure. */
export function transactionOf(row: AttemptRow) {
	return {
		id: row.id,
		gateway: row.gateway,
		operation: row.operation,
		state: row.state,
		outcome: outcomeOfRow(row),
		amount: amountOf(row),
		myRef: row.my_ref,
		/** The reference of the earlier payment that the attempt continues. */
		originalReference: row.original_reference,
		createdAt: new Date(row.created_at),
		/** The time when the outcome was recorded; null while it is unknown. */
		settledAt: row.settled_at === null ? null : new Date(row.settled_at),
	};
}

export function journalEntryOf(row: AttemptRow) {
	return {
		...transactionOf(row),
		/** The user ID of the account that gave the order. */
		userId: row.user_id,
		credentialsId: row.credentials_id,
		token: row.token,
		maskedNumber: row.masked_number,
		/** The number of queries so far, and the time of the next one; null if there is none. */
		queries: row.queries,
		dueAt: row.due_at === null ? null : new Date(row.due_at),
	};
}

/** Tells whether an attempt may have been carried out although its outcome is not known yet. */
export function isOpen({ state }: Pick<Transaction, 'state'>): boolean {
	return state === 'sent' || state === 'unknown';
}

/** Returns the order of an attempt without the details that are not stored. A status query needs no more. */
export function orderOf(row: AttemptRow): Order {
	return {
		operation: row.operation,
		amount: amountOf(row),
		myRef: row.my_ref ?? undefined,
		gatewayReference: row.original_reference ?? undefined,
		payer: {},
	};
}

function amountOf({ amount_minor, currency }: AttemptRow): Money | undefined {
	return amount_minor === null || currency === null ? undefined : moneyOf(amount_minor, currency);
}

function outcomeOfRow(row: AttemptRow): Outcome {
	if (row.result === null) return outcomeOf('TemporaryFailure', OPEN_DESCRIPTION);
	return {
		result: row.result,
		description: row.description ?? '',
		gatewayReference: row.gateway_reference,
		gatewayResultCode: row.gateway_result_code,
		gatewayResultDescription: row.gateway_result_description,
		authorizationCode: row.authorization_code,
	};
}
