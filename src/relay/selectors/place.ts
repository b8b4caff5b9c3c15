import type { Edits } from '../../transfer/splice.ts';

/** Where a value stands in a body. It keeps no scan alive: it may be written long after it was found. */
export interface Place {
	/** Byte offset of what is replaced. */
	readonly start: number;
	/** What stands there in plain text: references, escapes and encoding resolved. */
	read(): string;
	/**
	 * Writes the text as the place spells it; an empty text empties the place.
	 *
	 * @param isDate a bare JSON number may lose leading zeros.
	 */
	write(edits: Edits, text: string, isDate: boolean): void;
}

/** Writes text that is the same in every charset. */
export function writeAscii(edits: Edits, start: number, end: number, text: string): void {
	const at = edits.add(start, end, text.length);
	edits.target.write(text, at, text.length, 'latin1');
}
