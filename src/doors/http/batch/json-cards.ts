import { ServiceError } from '../../../base/errors.ts';
import { type BatchCards, BatchError, MAX_CARD_BYTES } from '../../../work/batch/batch-cards.ts';
import { BatchItems } from '../../../work/batch/items.ts';
import { BatchCard } from './card.ts';

/** The JSON of a card has at least this many bytes, which limits how many cards a piece can hold. */
const MIN_CARD_BYTES = 64;

export class JsonCards implements BatchCards {
	readonly card: BatchCard;
	readonly #items: BatchItems;
	#bytes: Buffer = Buffer.alloc(0);
	#isLast = false;

	constructor(now: Date) {
		this.card = new BatchCard(now);
		this.#items = new BatchItems(this.card.line);
	}

	feed(piece: Buffer | null): number {
		this.#isLast = piece === null;
		if (piece !== null) this.#bytes = this.#bytes.length === 0 ? piece : Buffer.concat([this.#bytes, piece]);
		return Math.ceil(this.#bytes.length / MIN_CARD_BYTES);
	}

	next(): boolean {
		const items = this.#items;
		const bytes = this.#bytes;
		const found = items.find(bytes, this.#isLast);
		if (found === 'none') {
			if (bytes.length - items.settled > MAX_CARD_BYTES) throw this.#tooLong(items.settled);
			return false;
		}
		// However the body was cut into pieces, the same cards are refused.
		if (items.end - items.start > MAX_CARD_BYTES) throw this.#tooLong(items.start);
		if (found === 'plain') this.card.readPlain();
		else this.#readText(bytes.subarray(items.start, items.end));
		return true;
	}

	#tooLong(offset: number): BatchError {
		return new BatchError(`offset ${this.#items.base + offset}`, `a card is longer than ${MAX_CARD_BYTES} bytes`);
	}

	#readText(json: Buffer): void {
		try {
			this.card.readText(json);
		} catch (error) {
			if (!(error instanceof ServiceError)) throw error;
			if (this.#items.isList) throw new BatchError(`offset ${this.#items.base + this.#items.start}`, 'not valid JSON');
			this.card.refuse('not valid JSON');
		}
	}

	forget(): void {
		this.#bytes = this.#bytes.subarray(this.#items.settled);
		this.#items.forget();
	}

	wipe(): void {
		this.card.wipe();
		this.#bytes = Buffer.alloc(0);
	}
}
