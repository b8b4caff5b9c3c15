// Describes an attempt as its account sees it.

import type { AttemptRow, AttemptState } from './attempt-store.ts';
import { type Money, moneyOf } from './money.ts';
import { type Operation, type Order, type Outcome, outcomeOf } from './operation.ts';

export interface Transaction {
	readonly id: string;
	readonly gateway: string;
	readonly operation: Operation;
	readonly state: AttemptState;
	readonly outcome: Outcome;
	readonly amount: Money | undefined;
	readonly myRef: string | null;
	/** The reference of the earlier payment that the attempt continues. */
	readonly originalReference: string | null;
	readonly createdAt: Date;
	/** The time when the outcome was recorded; null while it is unknown. */
	readonly settledAt: Date | null;
}

/** An attempt as the journal shows it to the people of its account. */
export interface JournalEntry extends Transaction {
	/** The user ID of the account that gave the order. */
	readonly userId: string;
	readonly credentialsId: string | null;
	readonly token: string | null;
	readonly maskedNumber: string | null;
	/** The number of queries so far, and the time of the next one; null if there is none. */
	readonly queries: number;
	readonly dueAt: Date | null;
}

const OPEN_DESCRIPTION =
	'The outcome is not known: the gateway has not answered. It is settled as soon as it can be found.';

/** While the outcome is unknown, the result that the account sees is a temporary failure. */
export function transactionOf(row: AttemptRow): Transaction {
	return {
		id: row.id,
		gateway: row.gateway,
		operation: row.operation,
		state: row.state,
		outcome: outcomeOfRow(row),
		amount: amountOf(row),
		myRef: row.my_ref,
		originalReference: row.original_reference,
		createdAt: new Date(row.created_at),
		settledAt: row.settled_at === null ? null : new Date(row.settled_at),
	};
}

export function journalEntryOf(row: AttemptRow): JournalEntry {
	return {
		...transactionOf(row),
		userId: row.user_id,
		credentialsId: row.credentials_id,
		token: row.token,
		maskedNumber: row.masked_number,
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
