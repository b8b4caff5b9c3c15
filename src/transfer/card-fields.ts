import { PART } from '../card/card-parts.ts';
import { CardReader, DOORS, type Outcome } from '../card/read-card.ts';
import { CardRecord } from '../vault/card-record.ts';
import type { Finding, Format } from './format.ts';
import { Unescaped } from './unescaped.ts';

/** Hands the cards that a scanner found to the reader of cards, without the escapes of the format. */
export class CardFields {
	readonly reader: CardReader;
	readonly #format: Format;
	readonly #record = new CardRecord();

	constructor(format: Format, now: Date) {
		this.#format = format;
		this.reader = new CardReader(DOORS.found, now);
	}

	/** Reads and judges one finding. Bytes without escapes are not copied. */
	read(bytes: Buffer, finding: Finding): Outcome {
		const { parts } = this.reader;
		const isCopied = finding.isEscaped && (finding.isOther || this.#format.decode !== undefined);
		if (isCopied) parts.begin();
		else parts.bytes = bytes;
		this.#add(PART.number, bytes, finding, finding.numberStart, finding.numberEnd);
		this.#add(PART.cvv, bytes, finding, finding.cvvStart, finding.cvvEnd);
		this.#add(PART.type, bytes, finding, finding.typeStart, finding.typeEnd);
		this.#add(PART.name, bytes, finding, finding.nameStart, finding.nameEnd);
		this.#add(PART.reference, bytes, finding, finding.referenceStart, finding.referenceEnd);
		return this.reader.read(finding.expiry, finding.isOther);
	}

	#add(part: number, bytes: Buffer, { isEscaped, isOther }: Finding, start: number, end: number): void {
		const { parts } = this.reader;
		const { decode, escapes } = this.#format;
		if (!isEscaped || start === end) parts.set(part, start, end);
		// Outside the card fields, a text may also have escapes of other notations than that of the format.
		else if (isOther) parts.put(part, new Unescaped(bytes, start, end, escapes).bytes);
		else if (decode) parts.put(part, decode(bytes, start, end));
		else parts.set(part, start, end);
	}

	/** Returns the record to store for the finding that was just read and accepted. */
	record(bytes: Buffer, { shape, isEscaped, numberStart, numberEnd }: Finding): CardRecord {
		const record = this.#record.fill(this.reader);
		record.shape = shape;
		const isSpelled = this.reader.number.isGrouped || isEscaped;
		record.spelling = isSpelled ? bytes.subarray(numberStart, numberEnd) : null;
		return record;
	}

	wipe(): void {
		this.reader.wipe();
		this.#record.forget();
	}
}
