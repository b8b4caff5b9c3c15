// Third parties repeat what they were sent, in confirmations and in error texts. The number that went out does not come
// back to a caller that only has its token.

const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
/** Blank, hyphen, point, tab, and what a blank is in an address. */
const SEPARATORS = new Set([0x20, 0x2d, 0x2e, 0x09, 0x2b]);
/** Shorter than the shortest number, so that it finds all of them; few texts have one. */
const DIGIT_RUN = /\d(?:[ \-.\t+]?\d){11}/;
const STAR = 0x2a;
const VISIBLE_HEAD = 6;
const VISIBLE_TAIL = 4;

/**
 * Stars the middle of every occurrence of the numbers, in place; single blanks, hyphens, points and plus signs between digits do not
 * hide one. Returns how many there were.
 * @param numbers digits alone
 */
export function maskEchoes(body: Buffer, numbers: readonly string[]): number {
	let found = 0;
	for (const number of new Set(numbers)) found += maskNumberIn(body, Buffer.from(number, 'latin1'));
	return found;
}

/** The same for a text, such as a header of the answer. */
export function maskEchoesIn(text: string, numbers: readonly string[]): string {
	if (!DIGIT_RUN.test(text)) return text;
	const bytes = Buffer.from(text, 'latin1');
	return maskEchoes(bytes, numbers) > 0 ? bytes.toString('latin1') : text;
}

function maskNumberIn(body: Buffer, digits: Buffer): number {
	let found = 0;
	let at = body.indexOf(digits[0]);
	while (at !== -1 && at + digits.length <= body.length) {
		const end = endOfMatch(body, at, digits);
		if (end === -1) {
			at = body.indexOf(digits[0], at + 1);
			continue;
		}
		star(body, at, end, digits.length);
		found++;
		at = body.indexOf(digits[0], end);
	}
	return found;
}

function endOfMatch(body: Buffer, start: number, digits: Buffer): number {
	let at = start;
	for (let n = 0; n < digits.length; n++) {
		if (n > 0 && SEPARATORS.has(body[at])) at++;
		if (body[at++] !== digits[n]) return -1;
	}
	return at;
}

function star(body: Buffer, start: number, end: number, count: number): void {
	let nth = 0;
	for (let at = start; at < end; at++) {
		if (body[at] < DIGIT_0 || body[at] > DIGIT_9) continue;
		if (nth >= VISIBLE_HEAD && nth < count - VISIBLE_TAIL) body[at] = STAR;
		nth++;
	}
}
