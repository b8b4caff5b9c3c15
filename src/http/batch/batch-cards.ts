import type { RecordFields } from '../../vault/record-codec.ts';

/** What was read of a card, and what came of it. */
export interface JudgedCard {
	/** What to store; null when the card is not accepted. */
	readonly fields: RecordFields | null;
	readonly cvv: Uint8Array | null;
	readonly warning: string | null;
	/** Why it is not accepted. */
	readonly error: string | null;
	/** Its own reference, which wins over that of the batch. */
	readonly reference?: string;
}

/** The cards in the body of a batch, whatever its format is. */
export interface BatchCards {
	/** The card that `next` has read; what it holds is used before the next one is read. */
	readonly card: JudgedCard;
	/** Takes the next piece of the body, null at its end; returns how many cards there are at most in what is there now. */
	feed(piece: Buffer | null): number | Promise<number>;
	/** Reads the next card; false if that has not arrived. @throws BatchError when the rest of the body cannot be read */
	next(): boolean;
	/** Forgets the bytes of the cards that were read. */
	forget(): void;
	wipe(): void;
}

/** The rest of the body cannot be read; `place` is that of the first unreadable byte. */
export class BatchError extends Error {
	override readonly name = 'BatchError';
	constructor(place: string, expectation: string) {
		super(`body: ${expectation} at ${place}`);
	}
}

/** A card may be as long as in a file. One that arrives byte by byte is read again each time, so the limit is small. */
export const MAX_CARD_BYTES = 65_536;
