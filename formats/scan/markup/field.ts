import { valueEnd, valueStart } from '../../../src/base/card/spelling/blanks.ts';
import { countLineEnds } from '../../../src/base/text/line-ends.ts';
import type { Findings } from '../../../src/engine/format.ts';
import { FIELD, type Field, type HeldCard } from '../held-card.ts';
import { WEIGHT } from '../held-cards.ts';
import { HeldValue, type Named } from '../held-value.ts';
import { InnerValues } from '../inner-values.ts';
import type { MarkupPath } from './selectors.ts';

/**
 * Holds the text of one field element while it is open: the run of bytes in which its value is spelled. There is one
 * object for each depth.
 */
export class OpenField extends HeldValue {
	field: Field = FIELD.NONE;
	card: HeldCard | null = null;
	path: MarkupPath | null = null;
	pieces = 0;
	hasChild = false;
	/** The values in its attributes and child elements; used for a number or CVV without a text of its own. */
	readonly inner = new InnerValues();
	/** The number of findings before the last of these values. */
	foundBefore = 0;
	/** The number or CVV element around this one, if its name is unknown. */
	owner: OpenField | null = null;

	/** Tells whether the element must have a number or CVV as its value. */
	get isValue(): boolean {
		const { field, path } = this;
		return (field === FIELD.NUMBER || field === FIELD.CVV) && path?.gate === WEIGHT.NONE && !path.isWord;
	}

	begin(field: Field, card: HeldCard, path: MarkupPath | null, name: Named): void {
		this.field = field;
		this.card = card;
		this.path = path;
		this.callAs(name);
		this.pieces = 0;
		this.isEscaped = false;
		this.hasChild = false;
		this.inner.clear();
		this.owner = null;
		this.#isLoneCdata = false;
	}

	/** Adds a value of an attribute or child element; `isUnknown` says that its name has no meaning. */
	addInner(bytes: Uint8Array, value: HeldValue, isUnknown: boolean, found: Findings): void {
		this.inner.add(bytes, value, isUnknown);
		this.foundBefore = found.length;
	}

	/** Adds a run of text; `line` is that of its first byte. */
	addText(bytes: Uint8Array, start: number, end: number, line: number, hasReference: boolean): void {
		const from = valueStart(bytes, start, end);
		if (from === end) return;
		this.#add(from, valueEnd(bytes, from, end), line + countLineEnds(bytes, start, from), hasReference);
	}

	/**
	 * Adds a CDATA section whose content is `[start, end)`. If it is alone and plain, its content is the value. Otherwise
	 * the value includes the section's marks and is read through `decode`.
	 */
	addCdata(bytes: Uint8Array, start: number, end: number, line: number): void {
		const from = valueStart(bytes, start, end);
		if (from === end) return;
		this.#isLoneCdata = this.pieces === 0;
		this.#insideStart = from;
		this.#insideEnd = valueEnd(bytes, from, end);
		this.#insideLine = line + countLineEnds(bytes, start, from);
		for (let i = from; i < end && this.#isLoneCdata; i++) {
			if (bytes[i] === 0x26 || bytes[i] === 0x3c) this.#isLoneCdata = false;
		}
		this.#add(start - CDATA_MARK_BYTES, end + 3, line, true);
	}

	#isLoneCdata = false;
	#insideStart = 0;
	#insideEnd = 0;
	#insideLine = 0;

	#add(start: number, end: number, line: number, isEscaped: boolean): void {
		if (this.pieces === 0) {
			this.start = start;
			this.line = line;
		}
		this.end = end;
		this.pieces++;
		this.isEscaped = isEscaped || this.isEscaped || this.pieces > 1;
	}

	/** Closes the element; returns whether there is a value. */
	finish(): boolean {
		if (this.pieces === 1 && this.isEscaped && this.#isLoneCdata) {
			this.start = this.#insideStart;
			this.end = this.#insideEnd;
			this.line = this.#insideLine;
			this.isEscaped = false;
		}
		return this.pieces > 0;
	}
}

const CDATA_MARK_BYTES = '<![CDATA['.length;
