// A card on its way into the vault one by one, and its form as record fields.

import type { Actor } from '../actor.ts';
import type { CardTypeIndex } from '../card/brand.ts';
import type { CardNumber } from '../card/card-number.ts';
import type { Cvv } from '../card/cvv-code.ts';
import type { Expiry } from '../card/expiry.ts';
import type { AccountId } from '../database/ids.ts';
import type { PlainTransaction } from '../database/plain-transaction.ts';
import type { RecordFields, StoredRecord } from './record-codec.ts';
import type { Token } from './token.ts';

/** A judged card. */
export interface NewCard {
	readonly number: CardNumber;
	readonly expiry: Expiry;
	readonly type: CardTypeIndex;
	readonly name?: string;
	readonly issueNumber?: string;
	/** The caller's own id for the cardholder (`OwnerID`, shapes §2). */
	readonly owner?: string;
	/** JSON of what is said of a virtual card. */
	readonly virtual?: string;
}

export interface StoreRequest {
	/** Whose card it will be, and which user of that account brings it. */
	readonly accountId: AccountId;
	readonly creatorId: AccountId;
	readonly card: NewCard;
	/** Caller-chosen; need not be unique (shapes §11). */
	readonly reference?: string;
	/** Associated with this account from the start. */
	readonly merchantId?: AccountId;
	/** Give back the token this account already has for the card. */
	readonly eliminatesDuplicates?: boolean;
	/** Whoever stores it, for the trail of what happened to cards. */
	readonly actor?: Actor;
	/** Somebody else's card: no later look for duplicates finds it. */
	readonly isOfOthers?: boolean;
	/** The message of a third party it came in. */
	readonly message?: StoredMessage;
	/** Kept under the default policy; the caller has checked that the account is set up for it. */
	readonly cvv?: Cvv;
	/** Written in the transaction that stores the card, which stands or falls with it. */
	readonly alongside?: (result: StoreResult, transaction: PlainTransaction) => Promise<void>;
}

/** Cards of one message share one entry in the trail of what happened to cards: it says how many there were. */
export interface StoredMessage {
	readonly action: 'card.capture' | 'card.inbound';
	readonly subject: string;
	readonly details: Readonly<Record<string, string | number>>;
}

/** Any record on its way into the vault; a card comes as a `StoreRequest`. The store wipes its digits and spelling. */
export type RecordRequest = Omit<StoreRequest, 'card'> & {
	readonly fields: RecordFields;
	/** What the audit trail calls it; `card.store` unless given. */
	readonly action?: 'card.duplicate' | 'card.network-token' | 'data-block.store';
};

export interface StoreResult {
	readonly token: Token;
	/** False when duplicate elimination found an earlier token. */
	readonly isNew: boolean;
}

/** Record fields of a card. */
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

/** Record fields of a stored record, in memory of their own. */
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
