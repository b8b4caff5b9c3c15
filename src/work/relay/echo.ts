// Removes card numbers that third parties repeat in confirmations and error texts, because a caller that only has a
// token must not learn the number.

import { Edits } from '../../engine/splice.ts';
import { NumberTree } from './profiles/number-tree.ts';

const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
/** Matches a run of 12 digits. A text is searched for it first: no card number is shorter, and few texts have one. */
const DIGIT_RUN = /\d(?:[ \-.\t+]?\d){11}/;
const STAR = 0x2a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const VISIBLE_HEAD = 6;
const VISIBLE_TAIL = 4;

/**
 * Replaces the middle of every occurrence of the given card numbers by stars, in place. Single blanks, hyphens, points,
 * tabs and plus signs between digits are ignored. Returns the number of occurrences.
 * @param numbers the card numbers, as digits only
 */
export function maskEchoes(body: Buffer, numbers: readonly string[]): number {
	const tree = new NumberTree(numbers);
	let found = 0;
	// The search goes on one byte further, not behind the number, because another number may begin with the digits that
	// are still visible.
	for (let at = tree.next(body, 0); at !== -1; at = tree.next(body, at + 1)) {
		star(body, at, tree.end, tree.length);
		found++;
	}
	return found;
}

/**
 * Replaces the given card numbers by stars wherever they occur in the body of an answer, and returns that body. A JSON
 * number without quotes gets quotes, because stars without quotes are not valid JSON.
 */
export function bodyWithoutEchoes(body: Buffer, numbers: readonly string[], contentType: string | undefined): Buffer {
	const found = maskEchoes(body, numbers);
	return found > 0 && /[/+]json\b/i.test(contentType ?? '') ? withQuotes(body) : body;
}

export function maskEchoesIn(text: string, numbers: readonly string[]): string {
	if (!DIGIT_RUN.test(text)) return text;
	const bytes = Buffer.from(text, 'latin1');
	return maskEchoes(bytes, numbers) > 0 ? bytes.toString('latin1') : text;
}

function star(body: Buffer, start: number, end: number, count: number): void {
	let nth = 0;
	for (let at = start; at < end; at++) {
		if (body[at] < DIGIT_0 || body[at] > DIGIT_9) continue;
		if (nth >= VISIBLE_HEAD && nth < count - VISIBLE_TAIL) body[at] = STAR;
		nth++;
	}
}

function withQuotes(body: Buffer): Buffer {
	const edits = new Edits();
	let at = 0;
	while (at < body.length) {
		if (body[at] === QUOTE) at = stringEnd(body, at);
		else if (!isBare(body[at])) at++;
		else {
			const start = at;
			while (at < body.length && isBare(body[at])) at++;
			if (!body.subarray(start, at).includes(STAR)) continue;
			edits.replace(start, start, QUOTE_BYTES);
			edits.replace(at, at, QUOTE_BYTES);
		}
	}
	return edits.count === 0 ? body : edits.apply(body, 0, body.length);
}

const QUOTE_BYTES = Buffer.from('"');

/** Tells whether a byte can belong to a JSON number or is a star. */
function isBare(byte: number): boolean {
	if (byte >= DIGIT_0 && byte <= DIGIT_9) return true;
	return byte === STAR || byte === 0x2b || byte === 0x2d || byte === 0x2e || byte === 0x45 || byte === 0x65;
}

function stringEnd(body: Buffer, start: number): number {
	for (let at = start + 1; at < body.length; at++) {
		if (body[at] === BACKSLASH) at++;
		else if (body[at] === QUOTE) return at + 1;
	}
	return body.length;
}
