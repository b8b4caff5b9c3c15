// Reads the fields of a card from the byte ranges of a finding and undoes the escapes of the format. Bytes without
// escapes are not copied.

import type { CardTypeIndex } from '../card/brand.ts';
import { type CvvReading, readCvv } from '../card/cvv.ts';
import { EXPIRY_ABSENT } from '../card/expiry.ts';
import type { NumberReading } from '../card/number.ts';
import type { RecordFields } from '../vault/record-codec.ts';
import type { Finding, Format } from './format.ts';
import { cutUtf8, utf8Of } from './plain-text.ts';

/** A name kept with a card has at most this many bytes. The name in the file is not changed. */
const MAX_NAME_BYTES = 1024;

/**
 * Reads the fields of one finding at a time. The objects it returns are reused for the next finding, so they are valid
 * only until then.
 */
export class CardFields {
	/** After `read`, the bytes from `start` to `end` of this buffer are the number without escapes. */
	bytes: Buffer = Buffer.alloc(0);
	start = 0;
	end = 0;
	readonly #format: Format;
	readonly #fields: RecordFields = {
		kind: 'card',
		shape: 'plain',
		expiry: EXPIRY_ABSENT,
		type: 0,
		digits: Buffer.alloc(0),
		digitCount: 0,
		spelling: null,
		name: null,
		issueNumber: null,
		owner: null,
	};

	constructor(format: Format) {
		this.#format = format;
	}

	/** Reads the number of a finding: afterwards `bytes[start, end)` is the number without escapes. */
	read(bytes: Buffer, finding: Finding): void {
		if (finding.isEscaped && this.#format.decode) {
			this.bytes = this.#format.decode(bytes, finding.numberStart, finding.numberEnd);
			this.start = 0;
			this.end = this.bytes.length;
		} else {
			this.bytes = bytes;
			this.start = finding.numberStart;
			this.end = finding.numberEnd;
		}
	}

	/**
	 * Returns the text of a field such as the name or the CVV, whose byte range in the finding is `[start, end)`.
	 * Escapes are replaced by the characters that they stand for.
	 */
	text(bytes: Buffer, finding: Finding, start: number, end: number): Buffer {
		return finding.isEscaped && this.#format.decode
			? this.#format.decode(bytes, start, end)
			: bytes.subarray(start, end);
	}

	/** Returns the characters of the CVV. */
	cvv(bytes: Buffer, finding: Finding): Buffer {
		return this.text(bytes, finding, finding.cvvStart, finding.cvvEnd);
	}

	readCvv(bytes: Buffer, finding: Finding): CvvReading {
		if (!finding.isEscaped) return readCvv(bytes, finding.cvvStart, finding.cvvEnd);
		const plain = this.cvv(bytes, finding);
		return readCvv(plain, 0, plain.length);
	}

	/**
	 * Returns the record to store for a finding. It is called after `read` was called for the same finding and the number
	 * was accepted.
	 */
	record(
		bytes: Buffer,
		finding: Finding,
		number: NumberReading,
		brand: CardTypeIndex,
		type: CardTypeIndex | undefined,
	): RecordFields {
		const fields = this.#fields;
		fields.shape = finding.shape;
		fields.expiry = Math.max(finding.expiry, EXPIRY_ABSENT);
		fields.type = type ?? brand;
		fields.digits = number.digits;
		fields.digitCount = number.count;
		fields.spelling =
			number.isGrouped || finding.isEscaped ? bytes.subarray(finding.numberStart, finding.numberEnd) : null;
		fields.name = null;
		if (finding.nameEnd > finding.nameStart) {
			const name = this.text(bytes, finding, finding.nameStart, finding.nameEnd);
			fields.name = cutUtf8(utf8Of(name), MAX_NAME_BYTES);
		}
		return fields;
	}

	wipe(): void {
		this.bytes = Buffer.alloc(0);
		this.#fields.digits = Buffer.alloc(0);
		this.#fields.spelling = null;
		this.#fields.name = null;
	}
}
