// Defines the facts about a token that may be shown. Of the number these are only the first six and last four digits.
// The CVV is not among them.

import { CARD_TYPES, type CardType } from '../../base/card/brand.ts';
import type { Expiry } from '../../base/card/expiry.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { RecordKind, StoredRecord } from '../pages/record-codec.ts';
import type { Token } from './token.ts';

export interface TokenMetadata {
	readonly token: Token;
	readonly kind: RecordKind;
	readonly createdAt: Date;
	/** The primary account that owns the token; `creatorId` is the user of that account who stored the card. */
	readonly accountId: AccountId;
	readonly creatorId: AccountId;
	readonly reference: string | null;
	readonly cardType: CardType | null;
	readonly leadingDigits: string | null;
	readonly lastDigits: string | null;
	/** The expiry as `YYYYMM`, or 0 if unknown. */
	readonly expiry: Expiry;
	readonly nameOnCard: string | null;
	readonly issueNumber: string | null;
	/** The caller's own id for the cardholder. */
	readonly owner: string | null;
	/** The details of a virtual card, as JSON. */
	readonly virtual: string | null;
	/** The time at which a kept CVV expires; null if none is kept. */
	readonly cvvEndsAt: Date | null;
	readonly merchantIds: readonly AccountId[];
}

/**
 * Returns those facts about a token that its record contains; the other facts come from the page and from tables beside
 * it.
 */
export function factsOf(record: StoredRecord) {
	const digits = record.digits;
	const isCard = record.kind !== 'data-block' && digits.length >= 12;
	const text = (bytes: Buffer | null) => (bytes ? bytes.toString('utf8') : null);
	return {
		kind: record.kind,
		cardType: isCard && record.type !== 0 ? CARD_TYPES[record.type] : null,
		leadingDigits: isCard ? digits.toString('latin1', 0, 6) : null,
		lastDigits: isCard ? digits.toString('latin1', digits.length - 4) : null,
		expiry: record.expiry,
		nameOnCard: text(record.name),
		issueNumber: text(record.issueNumber),
		owner: text(record.owner),
		virtual: text(record.virtual),
	};
}
