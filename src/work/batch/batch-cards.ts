import type { RecordFields } from '../../vault/pages/record-codec.ts';

/** Describes what was read of one card of a batch, and whether it is accepted. */
export interface JudgedCard {
	/** The record to be stored; null if the card is not accepted. */
	readonly fields: RecordFields | null;
	readonly cvv: Uint8Array | null;
	readonly warning: string | null;
	readonly error: string | null;
	/** The reference of this card, which is used instead of the reference of the batch. */
	readonly reference?: string;
}

/** What a reader holds before its first card. */
export const NO_CARD: JudgedCard = { fields: null, cvv: null, warning: null, error: null };

/** Reads the cards in the body of a batch, whatever the format of the body is. */
export interface BatchCards {
	/** The card that `next` has just read. The object is reused, so it must be used before the next card is read. */
	readonly card: JudgedCard;
	/** Takes the next piece of the body, or null at its end. Returns the most cards that can now be read. */
	feed(piece: Buffer | null): number | Promise<number>;
	/**
	 * Reads the next card. Returns false if the card has not arrived completely.
	 * @throws BatchError if the rest of the body cannot be read
	 */
	next(): boolean;
	/** Forgets the bytes of the cards that have been read. */
	forget(): void;
	wipe(): void;
}

/** This error means that the rest of the body cannot be read; `place` says where the first unreadable byte is. */
export class BatchError extends Error {
	override readonly name = 'BatchError';
	constructor(place: string, expectation: string) {
		super(`body: ${expectation} at ${place}`);
	}
}

/** The limit is small, because a card that arrives byte by byte is read again for each byte. */
export const MAX_CARD_BYTES = 65_536;
