// Describes a single card to be stored, and converts it to record fields.

import type { Actor } from '../actor.ts';
import type { CardTypeIndex } from '../card/brand.ts';
import type { CardNumber } from '../card/card-number.ts';
import type { Cvv } from '../card/cvv-code.ts';
import type { Expiry } from '../card/expiry.ts';
import type { AccountId } from '../database/ids.ts';
import type { PlainTransaction } from '../database/plain-transaction.ts';
import type { RecordFields, StoredRecord } from './record-codec.ts';
import type { Token } from './token.ts';

/** Describes a card that was checked and accepted. */
export interface NewCard {
	readonly number: CardNumber;
	readonly expiry: Expiry;
	readonly type: CardTypeIndex;
	readonly name?: string;
	readonly issueNumber?: string;
	/** The caller's own id for the cardholder (`OwnerID` in shapes §2). */
	readonly owner?: string;
	/** The details of a virtual card, as JSON. */
	readonly virtual?: string;
}

export interface StoreRequest {
	/** The account that will own the card; `creatorId` is the user of that account who stores it. */
	readonly accountId: AccountId;
	readonly creatorId: AccountId;
	readonly card: NewCard;
	/** The caller's own reference for the card; it need not be unique (shapes §11). */
	readonly reference?: string;
	/** The card is associated with this account from the start. */
	readonly merchantId?: AccountId;
	/** If true and the card is already stored, its existing token is returned. */
	readonly eliminatesDuplicates?: boolean;
	/** The person or program that stores the card, for the audit trail. */
	readonly actor?: Actor;
	/** If set, the audit trail records that the cardholder typed the card into a form. */
	readonly door?: 'form';
	/** True if this is a copy of another account's card, so that no later search for duplicates finds it. */
	readonly isOfOthers?: boolean;
	/** The third party's message that contained the card. */
	readonly message?: StoredMessage;
	/** The CVV is kept under the default policy; the caller has checked that the account allows retention. */
	readonly cvv?: Cvv;
	/**
	 * Writes further rows in the transaction that stores the card, and refuses the card by throwing. It may be called
	 * again if the transaction was rolled back because of another card, so it may change nothing but the database.
	 */
	readonly alongside?: (result: StoreResult, transaction: PlainTransaction) => Promise<void>;
	/**
	 * Does the same as `alongside` for many requests at once: one call of `write` serves all requests with the same `write`.
	 */
	readonly together?: WrittenTogether;
}

/**
 * Describes rows that a request needs with its card. They are written in one statement with those of similar requests.
 */
export interface WrittenTogether {
	/** The name of the request when it is passed to `write`, for example the key of its row. */
	readonly name: string;
	/** Writes the rows of several requests and returns the names of those that it refuses. */
	readonly write: (
		stored: ReadonlyMap<string, StoreResult>,
		transaction: PlainTransaction,
	) => Promise<ReadonlySet<string>>;
	/** Creates the error that the caller of a refused request gets. */
	readonly refusal: () => Error;
}

/** The cards of one message share one entry in the audit trail, which says how many there were. */
export interface StoredMessage {
	readonly action: 'card.capture' | 'card.inbound';
	readonly subject: string;
	readonly details: Readonly<Record<string, string | number>>;
}

/**
 * A record of any kind that is to be stored. A card is given as a `StoreRequest`. Storing wipes the record's digits and
 * spelling.
 */
export type RecordRequest = Omit<StoreRequest, 'card'> & {
	readonly fields: RecordFields;
	/** The name of the event in the audit trail; `card.store` unless given. */
	readonly action?: 'card.duplicate' | 'card.network-token' | 'data-block.store';
};

export interface StoreResult {
	readonly token: Token;
	/** False if duplicate elimination found an earlier token. */
	readonly isNew: boolean;
}

/** Returns the record fields of a card. */
export function fieldsOf(card: NewCard): RecordFields {
	const text = (value: string | undefined) => (value ? Buffer.from(value) : null);
	const digits = Buffer.from(card.number.reveal());
	return {
		kind: 'card',
		shape: 'plain',
		expiry: card.expiry,
		type: card.type,
		digits,
		digitCount: digits.length,
		spelling: null,
		name: text(card.name),
		issueNumber: text(card.issueNumber),
		owner: text(card.owner),
		virtual: text(card.virtual),
	};
}

/** Returns the record fields of a stored record, copied into their own memory. */
export function copyOf(record: StoredRecord): RecordFields {
	const copy = (bytes: Buffer | null) => (bytes ? Buffer.from(bytes) : null);
	const { kind, shape, expiry, type, digits, presentation } = record;
	return {
		...{ kind, shape, expiry, type },
		digits: Buffer.from(digits),
		digitCount: digits.length,
		spelling: presentation.equals(digits) ? null : Buffer.from(presentation),
		name: copy(record.name),
		issueNumber: copy(record.issueNumber),
		owner: copy(record.owner),
		virtual: copy(record.virtual),
	};
}

/**
 * Decides whether a card gets a fingerprint, by which the account can find it again. Copies of other accounts' cards
 * never get one; cards in messages get one only on request.
 */
export function needsFingerprint({ fields, message, eliminatesDuplicates, isOfOthers }: RecordRequest): boolean {
	return fields.kind === 'card' && !isOfOthers && (message === undefined || eliminatesDuplicates === true);
}
