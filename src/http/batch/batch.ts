// Stores the cards of a batch and writes one line of the answer for each.

import { Cvv } from '../../card/cvv-code.ts';
import { ServiceError } from '../../errors.ts';
import { Duplicates } from '../../transfer/duplicates.ts';
import type { BulkStore } from '../../vault/bulk-store.ts';
import { ELIMINATION_LIMIT_PASSED } from '../../vault/elimination.ts';
import type { RecordFields } from '../../vault/record-codec.ts';
import type { Token } from '../../vault/token.ts';
import type { AnswerLines } from './answer-lines.ts';
import { BatchCard } from './card.ts';
import { BatchError, BatchItems } from './items.ts';

/**
 * The JSON of a card has at least this many bytes, so a piece of the body cannot hold more cards than its length
 * divided by this.
 */
const MIN_CARD_BYTES = 64;
/**
 * A card object may have this size, as in a file. An object that arrives byte by byte is read again each time, so the
 * limit is small.
 */
const MAX_CARD_BYTES = 65_536;

export interface CardBatchOptions {
	readonly store: BulkStore;
	readonly lines: AnswerLines;
	readonly now: Date;
	readonly keepsCvv: boolean;
	readonly reference?: string;
	readonly eliminatesDuplicates: boolean;
	/** Takes units of the allowance and returns how many it got; absent if the account has no limit. */
	takeUnits?(units: number): Promise<number>;
	/** Adds the merchant and reference of the batch to a card that the account already had. */
	attach(token: Token, cvv: Cvv | undefined): Promise<void>;
}

/** This text is written for the card at which the allowance ends. */
const ALLOWANCE_ENDED =
	'The processing allowance of the account is used up: neither this card nor one behind it is stored';

/** A card that waits until it is known which cards the account already has and how many more may be stored. */
interface Waiting {
	readonly index: number;
	readonly fields: RecordFields | null;
	readonly cvv: Uint8Array | null;
	readonly warning: string | null;
	readonly error: string | null;
}

/**
 * Holds one batch. Lines are written before their cards are durable, so the code that sends the lines must wait for
 * that.
 */
export class CardBatch {
	/** The number of items read so far. */
	count = 0;
	cards = 0;
	refused = 0;
	readonly #options: CardBatchOptions;
	readonly #card: BatchCard;
	readonly #items: BatchItems;
	readonly #duplicates: Duplicates | null;
	/** True if cards are stored only after their piece of the body was read. */
	readonly #defers: boolean;
	/** This many cards may still be stored. */
	#units = Number.POSITIVE_INFINITY;
	#hasEnded = false;
	#held: Buffer = Buffer.alloc(0);
	/** The cards of the current piece that already had a token. */
	#known: { readonly token: Token; readonly cvv: Buffer | null }[] = [];

	constructor(options: CardBatchOptions) {
		this.#options = options;
		this.#card = new BatchCard(options.now);
		this.#items = new BatchItems(this.#card.line);
		this.#duplicates = options.eliminatesDuplicates ? new Duplicates(options.store) : null;
		this.#defers = this.#duplicates !== null || options.takeUnits !== undefined;
	}

	/** Takes the next piece of the body; null means the end. Tells whether the batch can continue. */
	async take(piece: Buffer | null): Promise<boolean> {
		const bytes = piece === null ? this.#held : this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece]);
		await this.#options.store.reserve(Math.ceil(bytes.length / MIN_CARD_BYTES) + 1);
		const waiting: Waiting[] = [];
		let canGoOn = true;
		try {
			this.#takeItems(bytes, piece === null, waiting);
		} catch (error) {
			if (!(error instanceof BatchError)) throw error;
			waiting.push({ index: this.count++, fields: null, cvv: null, warning: null, error: error.message });
			canGoOn = false;
		}
		if (waiting.length > 0) await this.#placeWaiting(waiting);
		this.#held = bytes.subarray(this.#items.settled);
		this.#items.forget();
		if (this.#options.store.isDue()) await this.#options.store.drain();
		return canGoOn && !this.#hasEnded;
	}

	wipe(): void {
		this.#card.wipe();
		this.#options.store.wipe();
		this.#held = Buffer.alloc(0);
	}

	#takeItems(bytes: Buffer, isLast: boolean, waiting: Waiting[]): void {
		const items = this.#items;
		const card = this.#card;
		for (let found = items.find(bytes, isLast); found !== 'none'; found = items.find(bytes, isLast)) {
			if (found === 'text' || !card.readPlain(bytes)) this.#readText(bytes.subarray(items.start, items.end));
			const index = this.count++;
			if (this.#defers) {
				const fields = card.fields && copyOf(card.fields);
				if (fields) this.#duplicates?.note(fields);
				const cvv = card.cvv && Buffer.from(card.cvv);
				waiting.push({ index, fields, cvv, warning: card.warning, error: card.error });
			} else this.#place(index, card);
		}
		if (bytes.length - items.settled > MAX_CARD_BYTES) {
			throw new BatchError(items.base + items.settled, `a card is longer than ${MAX_CARD_BYTES} bytes`);
		}
	}

	#readText(json: Buffer): void {
		try {
			this.#card.readText(json);
		} catch (error) {
			if (!(error instanceof ServiceError)) throw error;
			if (this.#items.isList) throw new BatchError(this.#items.base + this.#items.start, 'not valid JSON');
			this.#card.refuse('not valid JSON');
		}
	}

	async #placeWaiting(waiting: readonly Waiting[]): Promise<void> {
		const duplicates = this.#duplicates;
		if (duplicates) {
			await this.#options.store.settleInTurn(async () => {
				await duplicates.lookUpNoted();
				await this.#placeAll(waiting, duplicates.countLeftOut());
			});
		} else await this.#placeAll(waiting, 0);
		for (const { token, cvv } of this.#known) {
			await this.#options.attach(token, this.#options.keepsCvv && cvv ? new Cvv(cvv.toString()) : undefined);
		}
		this.#known = [];
	}

	/** Stores cards up to the one for which there is no unit. */
	async #placeAll(waiting: readonly Waiting[], leftOut: number): Promise<void> {
		const { takeUnits } = this.#options;
		if (takeUnits) this.#units = await takeUnits(waiting.filter(({ fields }) => fields !== null).length - leftOut);
		for (const each of waiting) {
			this.#place(each.index, each);
			if (!this.#hasEnded) continue;
			this.count = each.index + 1;
			return;
		}
	}

	#place(index: number, { fields, cvv, warning, error }: Omit<Waiting, 'index'>): void {
		const { store, lines, keepsCvv, reference } = this.#options;
		if (!fields) {
			this.refused++;
			lines.addError(index, error ?? 'not a card');
			return;
		}
		const known = this.#duplicates?.take();
		if (known?.isLeftOut) {
			this.refused++;
			lines.addError(index, ELIMINATION_LIMIT_PASSED);
			return;
		}
		if (this.#units-- <= 0) {
			this.#hasEnded = true;
			lines.addError(index, ALLOWANCE_ENDED);
			return;
		}
		this.cards++;
		if (known?.token) {
			lines.addToken(index, known.token, 0, warning);
			this.#known.push({ token: known.token.toString('hex') as Token, cvv: cvv && Buffer.from(cvv) });
			return;
		}
		const placement = store.add(fields);
		lines.addToken(index, placement.tokens, placement.offset, warning);
		if (known) this.#duplicates!.remember(known, placement);
		if (reference !== undefined) store.addReference(placement, reference);
		if (keepsCvv && cvv) store.addCvv(placement, cvv, false);
	}
}

/** Returns fields in their own memory, because they are used after the bytes they were read from. */
function copyOf(fields: RecordFields): RecordFields {
	const text = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes);
	return {
		...fields,
		digits: Buffer.from(fields.digits.subarray(0, fields.digitCount)),
		name: text(fields.name),
		issueNumber: text(fields.issueNumber),
		owner: text(fields.owner),
	};
}
