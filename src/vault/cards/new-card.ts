// Describes a single card to be stored, and converts it to record fields.

import type { CardTypeIndex } from '../../base/card/brand.ts';
import type { CardNumber } from '../../base/card/card-number.ts';
import { PART } from '../../base/card/card-parts.ts';
import type { Cvv } from '../../base/card/clear-cvv.ts';
import { EXPIRY_ABSENT, type Expiry } from '../../base/card/expiry.ts';
import type { CardReading } from '../../base/card/read-card.ts';
import type { Shape } from '../../base/card/shape.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { SqlTransaction } from '../../base/database/sql.ts';
import type { Actor } from '../../trail/actor.ts';
import type { RecordFields, StoredRecord } from '../pages/record-codec.ts';
import type { Token } from '../tokens/token.ts';

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
	readonly actor?: Actor;
	/** If set, the audit trail records that the cardholder typed the card into a form. */
	readonly door?: 'form';
	/** True if this is a copy of another account's card, which duplicate elimination never finds. */
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
	readonly alongside?: (result: StoreResult, transaction: SqlTransaction) => Promise<void>;
	/** Writes further rows as `alongside` does, for many requests at once. */
	readonly together?: WrittenTogether;
}

/** Rows that a request needs together with its card. Requests of a commit with the same `write` share one call of it. */
export interface WrittenTogether {
	/** Identifies the request among those that are passed to `write`. It may be the key of the row that is written. */
	readonly name: string;
	/** Takes the result of each request under its `name`, and returns the names of the requests that it refuses. */
	readonly write: (
		stored: ReadonlyMap<string, StoreResult>,
		transaction: SqlTransaction,
	) => Promise<ReadonlySet<string>>;
	/** Returns the error that the caller gets if `write` refuses the request. */
	readonly refusal: () => Error;
}

/** The message of a third party in which cards came. They share one entry in the audit trail, which says how many. */
export interface StoredMessage {
	readonly action: 'card.capture' | 'card.inbound';
	readonly subject: string;
	readonly details: Readonly<Record<string, string | number>>;
}

/** Like `StoreRequest`, but for a record of any kind. Storing it wipes the digits and the spelling in `fields`. */
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

/** Holds a request, the token that its record got, and the page of a new record. */
export interface Stored {
	readonly request: RecordRequest;
	readonly result: StoreResult;
	readonly page: number | undefined;
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

/** Returns the fields of a stored record, as copies that stay valid when the page of the record is wiped. */
export function copyOf(record: StoredRecord): RecordFields {
	const copy = (bytes: Buffer | null) => (bytes ? Buffer.from(bytes) : null);
	const { kind, shape, expiry, type, digits, presentation } = record;
	return {
		kind,
		shape,
		expiry,
		type,
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
 * The record of a card that was read. Its bytes are those of the reading, so it is valid until the next card is read;
 * the object is reused then.
 */
export class CardRecord implements RecordFields {
	readonly kind = 'card';
	shape: Shape = 'plain';
	expiry = EXPIRY_ABSENT;
	type: CardTypeIndex = 0;
	digits: Uint8Array = Buffer.alloc(0);
	digitCount = 0;
	spelling: Uint8Array | null = null;
	name: Uint8Array | null = null;
	issueNumber: Uint8Array | null = null;
	owner: Uint8Array | null = null;
	virtual: Uint8Array | null = null;

	/** Takes over the card that the reading has accepted. */
	fill(reading: CardReading): this {
		this.expiry = reading.expiry;
		this.type = reading.type;
		this.digits = reading.number.digits;
		this.digitCount = reading.number.count;
		this.name = reading.text(PART.name);
		this.issueNumber = reading.text(PART.issueNumber);
		this.owner = reading.text(PART.owner);
		return this;
	}

	/** Forgets the texts, which point into the bytes of a file or body. */
	forget(): void {
		this.spelling = this.name = this.issueNumber = this.owner = this.virtual = null;
	}
}
