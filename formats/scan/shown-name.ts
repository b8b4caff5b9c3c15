import { isUtf8 } from 'node:buffer';

const MAX_SHOWN = 60;
/** A name with more digits than this may be a card number. */
const MAX_SHOWN_DIGITS = 7;

/** Returns the text of a name, read as UTF-8 if it is valid and otherwise as Latin-1. */
export function nameText(name: Buffer): string {
	return isUtf8(name) ? name.toString() : name.toString('latin1');
}

/** Returns a name for a report of numbers in the file, or undefined if it is empty or may itself be a number. */
export function fieldName(name: string): string | undefined {
	return name === '' || countDigits(name) > MAX_SHOWN_DIGITS ? undefined : shownName(name);
}

function countDigits(name: string): number {
	return (name.match(/\p{N}/gu) ?? []).length;
}

/** Returns the name of a key or an element for people to read. If it may hide a card number, its digits are masked. */
export function shownName(name: string): string {
	const shown = Array.from(name.replace(/[^\p{L}\p{M}\p{N}_:.\- ]/gu, '?'))
		.slice(0, MAX_SHOWN)
		.join('');
	return countDigits(name) > MAX_SHOWN_DIGITS ? shown.replace(/\p{N}/gu, '#') : shown;
}
