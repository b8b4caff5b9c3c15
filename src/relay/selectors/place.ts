import type { Edits } from '../../transfer/splice.ts';

/**
 * The place of a value in a body, kept as byte offsets. It does not need the tape any more, because it may be written
 * long after it was found.
 */
export interface Place {
	/** The byte offset of the text that is replaced. */
	readonly start: number;
	/** The plain text at the place, with references, escapes and encoding resolved. */
	read(): string;
	/**
	 * Writes the text with the escapes and the encoding that the place requires; an empty text empties the place.
	 * @param isDate allows a bare JSON number to lose leading zeros.
	 */
	write(edits: Edits, text: string, isDate: boolean): void;
}

/** Writes text that is the same in every charset. */
export function writeAscii(edits: Edits, start: number, end: number, text: string): void {
	const at = edits.add(start, end, text.length);
	edits.target.write(text, at, text.length, 'latin1');
}
