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
	/** The card is associated with this merchant as soon as it is stored. */
	readonly merchantId?: AccountId;
	/** If true and the card is already stored, its existing token is returned. */
	readonly eliminatesDuplicates?: boolean;
	/** The person or program that stores the card, for the audit trail. */
	readonly actor?: Actor;
	/** If set, the audit trail records that the cardholder typed the card into a form. */
	readonly door?: 'form';
	/**
	 * True if this is a copy of another account's card. Such a copy gets no fingerprint, so that duplicate elimination
	 * never finds it.
	 */
	readonly isOfOthers?: boolean;
	/** Describes the third party's message that contained the card; absent if the card came in another way. */
	readonly message?: StoredMessage;
	/** The CVV is kept under the default policy; the caller has checked that the account allows retention. */
	readonly cvv?: Cvv;
	/**
	 * Writes further rows in the transaction that stores the card. If it throws, the card is refused. It may be called
	 * again if another card of the same transaction is refused, because the transaction is then rolled back and repeated.
	 * So it may change nothing but the database.
	 */
	readonly alongside?: (result: StoreResult, transaction: PlainTransaction) => Promise<void>;
	/**
	 * Writes further rows in the transaction that stores the card, as `alongside` does. Requests that have the same
	 * function `write` and are stored in the same transaction share one call of it.
	 */
	readonly together?: WrittenTogether;
}

/**
 * Describes rows that a request needs together with its card. One call of `write` writes them for all requests of a
 * commit that name the same function.
 */
export interface WrittenTogether {
	/** Identifies the request among those that are passed to `write`. It may be the key of the row that is written. */
	readonly name: string;
	/**
	 * Writes rows for several requests. `stored` has the result of each request under its `name`. Returns the names of
	 * the requests that it refuses.
	 */
	readonly write: (
		stored: ReadonlyMap<string, StoreResult>,
		transaction: PlainTransaction,
	) => Promise<ReadonlySet<string>>;
	/** Returns the error that the caller gets if `write` refuses the request. */
	readonly refusal: () => Error;
}

/**
 * Describes the message of a third party in which cards came. All cards of a message share one entry in the audit
 * trail, which says how many there were.
 */
export interface StoredMessage {
	readonly action: 'card.capture' | 'card.inbound';
	readonly subject: string;
	readonly details: Readonly<Record<string, string | number>>;
}

/**
 * Like `StoreRequest`, but for a record of any kind: instead of a card it has the fields of the record. Storing the
 * record wipes the digits and the spelling in `fields`.
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

/** Converts a card to the fields of its record. */
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

/**
 * Returns the fields of a stored record. Their bytes are copies, so that they stay valid when the page of the record is
 * wiped.
 */
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
 * Decides whether a card gets a fingerprint, by which duplicate elimination can find it later. A copy of another
 * account's card never gets one. A card in a message gets one only if the request eliminates duplicates.
 */
export function needsFingerprint({ fields, message, eliminatesDuplicates, isOfOthers }: RecordRequest): boolean {
	return fields.kind === 'card' && !isOfOthers && (message === undefined || eliminatesDuplicates === true);
}
