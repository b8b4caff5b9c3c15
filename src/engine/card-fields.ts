import { type CardParts, PART } from '../base/card/card-parts.ts';
import { Unescaped } from '../base/card/finder/unescaped.ts';
import { endOfWhole } from '../base/card/number.ts';
import { CardReading, DOORS, type Outcome } from '../base/card/read-card.ts';
import { CardRecord } from '../vault/cards/new-card.ts';
import type { Finding, Format } from './format.ts';

const MINUS = 0x2d;

/** Hands the cards that a scanner found to `CardReading`, without the escapes of the format. */
export class CardFields {
	readonly reading: CardReading;
	readonly #format: Format;
	readonly #record = new CardRecord();

	constructor(format: Format, now: Date) {
		this.#format = format;
		this.reading = new CardReading(DOORS.found, now);
	}

	/** Reads and judges one finding. Bytes without escapes are not copied. */
	read(bytes: Buffer, finding: Finding): Outcome {
		const { parts } = this.reading;
		if (finding.isEscaped) this.#addEscaped(bytes, finding);
		else {
			parts.bytes = bytes;
			parts.set(PART.number, finding.numberStart, finding.numberEnd);
			parts.set(PART.cvv, finding.cvvStart, finding.cvvEnd);
			parts.set(PART.type, finding.typeStart, finding.typeEnd);
			parts.set(PART.name, finding.nameStart, finding.nameEnd);
			parts.set(PART.reference, finding.referenceStart, finding.referenceEnd);
		}
		if (finding.shape === 'quoted') cutBareNumber(parts);
		return this.reading.read(finding.expiry, finding.isOther || finding.shape === 'other');
	}

	#addEscaped(bytes: Buffer, finding: Finding): void {
		const { parts } = this.reading;
		const isCopied = isInText(finding) || this.#format.decode !== undefined;
		if (isCopied) parts.begin();
		else parts.bytes = bytes;
		this.#add(PART.number, bytes, finding, finding.numberStart, finding.numberEnd);
		this.#add(PART.cvv, bytes, finding, finding.cvvStart, finding.cvvEnd);
		this.#add(PART.type, bytes, finding, finding.typeStart, finding.typeEnd);
		this.#add(PART.name, bytes, finding, finding.nameStart, finding.nameEnd);
		this.#add(PART.reference, bytes, finding, finding.referenceStart, finding.referenceEnd);
	}

	#add(part: number, bytes: Buffer, finding: Finding, start: number, end: number): void {
		const { parts } = this.reading;
		const { decode, escapes } = this.#format;
		if (start === end) parts.set(part, start, end);
		else if (part === PART.number && isInText(finding))
			parts.put(part, new Unescaped(bytes, start, end, escapes).bytes);
		else if (decode) parts.put(part, decode(bytes, start, end));
		else parts.set(part, start, end);
	}

	/** Returns the record to store for the finding that was just read and accepted. */
	record(bytes: Buffer, { shape, isEscaped, numberStart, numberEnd }: Finding): CardRecord {
		const record = this.#record.fill(this.reading);
		record.shape = shape;
		const { number, parts } = this.reading;
		const isCut = shape === 'quoted' && parts.spans[1] - parts.spans[0] < numberEnd - numberStart;
		const isSpelled = number.isGrouped || isEscaped || isCut;
		record.spelling = isSpelled ? bytes.subarray(numberStart, numberEnd) : null;
		return record;
	}

	wipe(): void {
		this.reading.wipe();
		this.#record.forget();
	}
}

/** Leaves out the sign and the fraction of zeros that a bare JSON number may have: `4111….0`. */
function cutBareNumber({ bytes, spans }: CardParts): void {
	if (bytes[spans[0]] === MINUS) spans[0]++;
	spans[1] = endOfWhole(bytes, spans[0], spans[1]);
}

/** Tells whether a number is among other text, which may also have escapes of other notations than that of the format. */
function isInText({ isOther, shape }: Finding): boolean {
	return isOther || shape === 'other';
}
