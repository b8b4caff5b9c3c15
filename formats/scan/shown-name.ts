import { isUtf8 } from 'node:buffer';

const MAX_SHOWN = 60;
/** A name with as many digits may be a card number. */
const MAX_SHOWN_DIGITS = 7;

/** The text of a name: UTF-8 where it is that, else Latin-1. */
export function nameText(name: Buffer): string {
	return isUtf8(name) ? name.toString() : name.toString('latin1');
}

/** A name for a report of numbers in the file; undefined when it is empty or may be one itself. */
export function fieldName(name: string): string | undefined {
	return name === '' || countDigits(name) > MAX_SHOWN_DIGITS ? undefined : shownName(name);
}

function countDigits(name: string): number {
	return (name.match(/\p{N}/gu) ?? []).length;
}

/** A name of a key or an element for people: it is structure, but one that hides a card number has its digits masked. */
export function shownName(name: string): string {
	const shown = Array.from(name.replace(/[^\p{L}\p{M}\p{N}_:.\- ]/gu, '?'))
		.slice(0, MAX_SHOWN)
		.join('');
	return countDigits(name) > MAX_SHOWN_DIGITS ? shown.replace(/\p{N}/gu, '#') : shown;
}
