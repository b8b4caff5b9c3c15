// Reads the names of a header row, whose encoding is unknown, and decides what may be shown of them.

import { isAscii } from 'node:buffer';
import { latin1 } from '../../../../src/base/card/ascii.ts';
import { type FieldName, foldFieldName, readFieldName } from '../../../../src/base/card/names/field-names.ts';
import { decodeCell } from '../cell.ts';
import type { Cells } from '../row.ts';

const windows1252 = new TextDecoder('windows-1252');
const utf8 = new TextDecoder('utf-8');

/** A name longer than this is shortened when it is shown. */
const MAX_SHOWN_LENGTH = 40;
const MAX_SHOWN_NAMES = 50;
/** A name with more digits than this may contain a CVV. */
const MAX_SHOWN_DIGITS = 2;

/** Holds the name of a column, read in both possible encodings, because a file does not say which it uses. */
export class HeaderName {
	readonly readings: readonly string[];

	constructor(bytes: Uint8Array) {
		// Nearly all names are ASCII and a hostile row has thousands of names, so ASCII is read only once.
		if (isAscii(bytes)) {
			this.readings = [latin1(bytes, 0, bytes.length).trim()];
			return;
		}
		const readings = [utf8.decode(bytes), windows1252.decode(bytes)].map((text) => text.trim().normalize());
		this.readings = readings[0] === readings[1] ? readings.slice(1) : readings;
	}

	/** Returns the name for messages. Every byte is valid in Windows-1252, so UTF-8 is preferred where it is valid. */
	get text(): string {
		return this.readings[0].includes('\ufffd') ? this.readings[1] : this.readings[0];
	}

	/** Returns what the vocabulary knows about the name. */
	get meaning(): FieldName | undefined {
		for (const reading of this.readings) {
			// In this encoding some bytes of the name are no character, so a letter is lost. The rest may look like another
			// name (`n?m`, once `núm`, like `nm`), so this reading is skipped.
			if (reading.includes('\ufffd')) continue;
			const meaning = readFieldName(reading);
			if (meaning !== undefined) return meaning;
		}
		return undefined;
	}

	/** Returns the name without case, blanks and punctuation. */
	get folded(): string {
		return foldFieldName(this.text);
	}

	get digitCount(): number {
		return (this.text.match(/[0-9]/g) ?? []).length;
	}

	/** Returns true if the name has letters, and no more digits than a name usually has. */
	get isNameLike(): boolean {
		return this.digitCount <= MAX_SHOWN_DIGITS && /\p{L}/u.test(this.text);
	}

	/**
	 * Returns the name in a form that may be shown: short, on one line, without digits that may belong to a card number.
	 */
	get shown(): string {
		const text = this.text.replace(/\p{Cc}+/gu, ' ').slice(0, MAX_SHOWN_LENGTH);
		return this.digitCount > MAX_SHOWN_DIGITS ? text.replace(/\d/g, '#') : text;
	}

	is(name: string): boolean {
		return this.readings.includes(name.trim().normalize());
	}

	isLoosely(name: string): boolean {
		return this.readings.some((reading) => foldFieldName(reading) === foldFieldName(name));
	}
}

/** Returns the names in the cells of a row, `limit` of them at most. */
export function namesOf(bytes: Buffer, { starts, ends, escapes, count }: Cells, limit = count): HeaderName[] {
	return Array.from({ length: Math.min(count, limit) }, (_, i) => {
		const isEscaped = escapes[i] === 1;
		return new HeaderName(isEscaped ? decodeCell(bytes, starts[i], ends[i]) : bytes.subarray(starts[i], ends[i]));
	});
}

/**
 * Lists the names of a header row for an error text. A data row mistaken for a header may hold cards, so nothing is
 * listed if most cells do not look like names.
 */
export function listNames(names: readonly HeaderName[]): string {
	const filled = names.filter(({ text }) => text !== '');
	if (filled.filter(({ isNameLike }) => isNameLike).length * 2 <= filled.length) {
		return 'a row that does not look like a header';
	}
	const shown = names.slice(0, MAX_SHOWN_NAMES).map((name) => `"${name.shown}"`);
	return `the columns ${shown.join(', ')}${names.length > shown.length ? ' and more' : ''}`;
}

/**
 * Returns the name of a column for reports: its own name, or its position from 1 if it has no name or one with a number
 * in it.
 */
export function columnLabel(names: readonly HeaderName[], index: number): string {
	const name = names[index];
	if (name === undefined || name.text === '' || name.digitCount > MAX_SHOWN_DIGITS) return `column ${index + 1}`;
	return name.shown;
}
