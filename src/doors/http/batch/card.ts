// Reads and judges one card of a batch in JSON. If its JSON is plain, its parts are read where they stand. If it has
// escapes or an unusual layout, the JSON is parsed as a whole, which decodes the escapes, and the parts are copied.

import { PART } from '../../../base/card/card-parts.ts';
import { CardReading, DOORS } from '../../../base/card/read-card.ts';
import { PROBLEMS, WARNING_LINES } from '../../../base/card/verdict.ts';
import { ServiceError } from '../../../base/errors.ts';
import { CardRecord } from '../../../vault/cards/new-card.ts';
import type { JudgedCard } from '../../../work/batch/batch-cards.ts';
import { CardLine } from '../../../work/batch/card-line.ts';
import { decodeBody } from '../input/body-text.ts';
import { parseJsonBody } from '../input/request-body.ts';
import { type CardMember, cardIn, MEMBER_NAMES, putParts } from '../tokens/card-body.ts';
import { findVirtual } from '../tokens/virtual-card.ts';

/** These problems have texts of their own, which do not name the part (spec §4.1). */
const WITHOUT_NAME: readonly string[] = ['number', 'expiry', 'cvv'];

/** Reads one card and holds what was read of it. The object is reused for the next card. */
export class BatchCard implements JudgedCard {
	fields: CardRecord | null = null;
	cvv: Uint8Array | null = null;
	warning: string | null = null;
	error: string | null = null;
	readonly line: CardLine;
	readonly #reading: CardReading;
	readonly #record = new CardRecord();

	constructor(now: Date) {
		this.#reading = new CardReading(DOORS.call, now);
		this.line = new CardLine(this.#reading.parts);
	}

	/** Reads the card whose parts were located by the last `line.read`. */
	readPlain(): void {
		this.#clear();
		this.#judge();
	}

	/**
	 * Reads a card from its JSON.
	 * @throws ServiceError `message-malformed` if the text is not JSON
	 */
	readText(json: Buffer): void {
		this.#clear();
		try {
			const card = cardIn(parseJsonBody(decodeBody(json)));
			const [problem] = putParts(card, this.#reading.parts);
			if (problem) throw problem;
			const virtual = findVirtual(card);
			this.#record.virtual = virtual === undefined ? null : Buffer.from(JSON.stringify(virtual));
			this.#judge();
		} catch (error) {
			if (!(error instanceof ServiceError) || error.reason === 'message-malformed') throw error;
			this.error = error.moreInfo ?? error.message;
		}
	}

	/** Records that the item is not JSON at all. */
	refuse(error: string): void {
		this.#clear();
		this.error = error;
	}

	wipe(): void {
		this.#clear();
		this.#reading.wipe();
	}

	#judge(): void {
		const reading = this.#reading;
		if (reading.read() !== 'accepted') {
			const [[part, problem]] = reading.faults();
			const isNamed = problem === 'required' || !WITHOUT_NAME.includes(part);
			const place = isNamed ? `BankCard.${MEMBER_NAMES[part as CardMember]}: ` : '';
			this.error = `${place}${PROBLEMS[problem]}`;
			return;
		}
		this.fields = this.#record.fill(reading);
		this.cvv = reading.cvv === 'absent' ? null : reading.parts.of(PART.cvv);
		this.warning = WARNING_LINES[reading.warnings] || null;
	}

	#clear(): void {
		this.fields = this.cvv = this.warning = this.error = null;
		this.#record.forget();
	}
}
