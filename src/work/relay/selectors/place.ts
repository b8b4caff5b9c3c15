import type { Edits } from '../../../engine/splice.ts';

/**
 * The place of a value in a body, kept as byte offsets. It works without the tape: a value may be written to the place
 * long after the place was found, when the tape already holds another body.
 */
export interface Place {
	/** The byte offset of the text that is replaced. */
	readonly start: number;
	/** The plain text at the place, with references, escapes and encoding resolved. */
	read(): string;
	/**
	 * Writes the text with the escapes and the encoding that the place requires; an empty text empties the place.
	 * @param isDate is true for a month or a year. If one replaces a JSON number without quotes, it may lose leading
	 * zeros.
	 */
	write(edits: Edits, text: string, isDate: boolean): void;
}

/** Writes ASCII text, whose bytes are the same in every supported charset. */
export function writeAscii(edits: Edits, start: number, end: number, text: string): void {
	const at = edits.add(start, end, text.length);
	edits.target.write(text, at, text.length, 'latin1');
}
