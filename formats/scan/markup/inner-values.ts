import { isWrittenAsCvv } from '../held-cvvs.ts';

/** The positions of at most this many values are kept. */
const MAX_VALUES = 8;

/**
 * Holds the values in the attributes and child elements of an open number or CVV element: `<CVV><Digits>123</Digits></CVV>`.
 */
export class InnerValues {
	/** True if a value inside was already read as that of the field, as in `<CVV><PlainText>123</PlainText></CVV>`. */
	isRead = false;
	/** The number of values, without those of children's children. */
	count = 0;
	/** The start and end of each of these values. */
	readonly spans: number[] = [];
	/** True if a value inside, at any depth, is written like a CVV. */
	hasCode = false;
	/** Tells of the last value whether its name has no meaning, how it is written, and how many findings came before it. */
	isUnknown = false;
	isEscaped = false;
	line = 0;
	found = 0;

	clear(): void {
		this.isRead = this.hasCode = false;
		this.count = 0;
		if (this.spans.length > 0) this.spans.length = 0;
	}

	/** Adds the value of an attribute or of a child element. */
	add(
		bytes: Uint8Array,
		start: number,
		end: number,
		how: { readonly isUnknown: boolean; readonly isEscaped: boolean; readonly line: number; readonly found: number },
	): void {
		this.addDeeper(bytes, start, end);
		this.count++;
		if (this.count <= MAX_VALUES) this.spans.push(start, end);
		this.isUnknown = how.isUnknown;
		this.isEscaped = how.isEscaped;
		this.line = how.line;
		this.found = how.found;
	}

	/** Notes the value of a child's child, which only tells that something was not read. */
	addDeeper(bytes: Uint8Array, start: number, end: number): void {
		this.hasCode ||= bytes[start] !== 0x2a && isWrittenAsCvv(bytes, start, end);
	}
}
