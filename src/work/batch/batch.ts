// Stores the cards of a batch and writes one line of the answer for each.

import { Cvv } from '../../base/card/clear-cvv.ts';
import { ServiceError } from '../../base/errors.ts';
import { Slices } from '../../base/threads/slices.ts';
import type { CardWriter } from '../../vault/cards/card-writer.ts';
import { ELIMINATION_LIMIT_PASSED } from '../../vault/cards/elimination.ts';
import type { RecordFields } from '../../vault/pages/record-codec.ts';
import { TOKEN_BYTES, type Token } from '../../vault/tokens/token.ts';
import type { CardLines } from './answer-lines.ts';
import { type BatchCards, BatchError, type JudgedCard } from './batch-cards.ts';

export interface CardBatchOptions {
	readonly writer: CardWriter;
	readonly lines: CardLines;
	readonly cards: BatchCards;
	readonly keepsCvv: boolean;
	readonly reference?: string;
	/** Takes up to `units` units of the allowance and returns how many it took. Absent if the account has no limit. */
	takeUnits?(units: number): Promise<number>;
	/** Adds the merchant of the batch, a CVV and a reference to a card that the account already had. */
	attach(token: Token, cvv: Cvv | undefined, reference: string | undefined): Promise<void>;
}

/** So many items are read and looked up together before others get a turn. A piece of usual cards has fewer. */
const CARDS_AT_ONCE = 1024;

/** The error text of the card at which the allowance ends. */
const ALLOWANCE_ENDED =
	'The processing allowance of the account is used up: neither this card nor one behind it is stored';

/** A card that waits until it is known which cards the account already has and how many more may be stored. */
interface Waiting extends JudgedCard {
	readonly index: number;
}

/**
 * Reads and stores the cards of one batch. Lines are written before their cards are durable, so the code that sends the
 * lines must first wait until the cards are durable.
 */
export class CardBatch {
	/** The number of items of the body that were read so far, whether or not each of them is a valid card. */
	count = 0;
	cards = 0;
	refused = 0;
	/** The reason why the rest of the cards was not read or not stored; the last line of the answer says it too. */
	cutBy: ServiceError | undefined;
	readonly #options: CardBatchOptions;
	readonly #cards: BatchCards;
	/**
	 * True if cards are stored only after their whole piece of the body was read, because units or duplicates are looked
	 * up for all of them at once.
	 */
	readonly #defers: boolean;
	readonly #slices = new Slices();
	#units = Number.POSITIVE_INFINITY;
	#hasEnded = false;
	/** The cards of the current piece that already had a token. */
	#known: { readonly token: Token; readonly cvv: Buffer | null; readonly reference?: string }[] = [];

	constructor(options: CardBatchOptions) {
		this.#options = options;
		this.#cards = options.cards;
		this.#defers = options.writer.duplicates !== null || options.takeUnits !== undefined;
	}

	/**
	 * Takes the next piece of the body; null means its end. Returns whether the batch can continue. A piece may hold tens of
	 * thousands of items that are no cards, so others get a turn after some of them.
	 */
	async take(piece: Buffer | null): Promise<boolean> {
		const { writer } = this.#options;
		const most = await this.#cards.feed(piece);
		let state: 'more' | 'read' | 'broken' = 'more';
		while (state === 'more') {
			await writer.reserve(Math.min(most, CARDS_AT_ONCE) + 1);
			const waiting: Waiting[] = [];
			try {
				state = this.#takeCards(waiting) ? 'more' : 'read';
			} catch (error) {
				if (!(error instanceof BatchError)) throw error;
				waiting.push({ index: this.count++, fields: null, cvv: null, warning: null, error: error.message });
				state = 'broken';
				this.cutBy = new ServiceError('bad-input-data', { moreInfo: error.message });
			}
			if (waiting.length > 0) await this.#placeWaiting(waiting);
			if (this.#hasEnded) break;
			await this.#slices.giveWay();
		}
		this.#cards.forget();
		await writer.drain();
		return state !== 'broken' && !this.#hasEnded;
	}

	wipe(): void {
		this.#cards.wipe();
		this.#options.writer.wipe();
	}

	/** Reads some cards; returns whether there may be more. */
	#takeCards(waiting: Waiting[]): boolean {
		const { duplicates } = this.#options.writer;
		for (let taken = 0; taken < CARDS_AT_ONCE; taken++) {
			if (!this.#cards.next()) return false;
			const { card } = this.#cards;
			const index = this.count++;
			if (this.#defers) {
				const fields = card.fields && copyOf(card.fields);
				if (fields) duplicates?.note(fields);
				const { warning, error, reference } = card;
				waiting.push({ index, fields, cvv: card.cvv && Buffer.from(card.cvv), warning, error, reference });
			} else this.#place(index, card);
		}
		return true;
	}

	async #placeWaiting(waiting: readonly Waiting[]): Promise<void> {
		const { writer, keepsCvv, attach } = this.#options;
		const { duplicates } = writer;
		if (duplicates) {
			await writer.settleInTurn(async () => this.#placeAll(waiting, await duplicates.lookUp()));
		} else await this.#placeAll(waiting, 0);
		for (const { token, cvv, reference } of this.#known) {
			await attach(token, keepsCvv && cvv ? new Cvv(cvv.toString()) : undefined, reference);
		}
		this.#known = [];
	}

	/** Stores the cards up to the first one for which no unit is left. */
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

	#place(index: number, { fields, cvv, warning, error, reference = this.#options.reference }: JudgedCard): void {
		const { writer, lines, keepsCvv } = this.#options;
		if (!fields) {
			this.refused++;
			lines.addError(index, error ?? 'not a card');
			return;
		}
		const lookedUp = writer.duplicates?.take();
		if (lookedUp === null) {
			this.refused++;
			lines.addError(index, ELIMINATION_LIMIT_PASSED);
			return;
		}
		if (this.#units-- <= 0) {
			this.#hasEnded = true;
			this.cutBy = new ServiceError('allowance-exceeded', { moreInfo: ALLOWANCE_ENDED });
			lines.addError(index, ALLOWANCE_ENDED);
			return;
		}
		this.cards++;
		const placement = writer.place(fields, lookedUp);
		const { tokens, offset } = placement;
		lines.addToken(index, tokens, offset, warning);
		if (!placement.isNew) {
			const token = tokens.toString('hex', offset, offset + TOKEN_BYTES) as Token;
			this.#known.push({ token, cvv: cvv && Buffer.from(cvv), reference });
			return;
		}
		if (reference !== undefined) writer.addReference(placement, reference);
		if (keepsCvv && cvv) writer.addCvv(placement, cvv);
	}
}

/** Copies the fields of a card, because they are used after the bytes from which they were read are gone. */
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
