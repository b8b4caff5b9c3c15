// Finds the markup that may stand inside the text of an XML element and is no part of it: comments, processing instructions,
// and the frame of CDATA.

import { isTextAt } from '../ascii.ts';

const LESS_THAN = 0x3c;
const CDATA_OPEN = Buffer.from('<![CDATA[');
const CDATA_CLOSE = Buffer.from(']]>');
const COMMENT_OPEN = Buffer.from('<!--');
const COMMENT_CLOSE = Buffer.from('-->');
const INSTRUCTION_CLOSE = Buffer.from('?>');

/** A stretch of markup. */
export interface InnerMarkup {
	readonly end: number;
	/** Where the text in it begins and ends: that of CDATA is text of the element. Nothing is text in any other markup. */
	readonly textStart: number;
	readonly textEnd: number;
}

/** Returns the markup that begins at `at`, or undefined if there is none that ends before `end`. */
export function innerMarkupAt(bytes: Buffer, at: number, end: number): InnerMarkup | undefined {
	if (bytes[at] !== LESS_THAN) return undefined;
	const isCdata = at + CDATA_OPEN.length <= end && isTextAt(bytes, at, CDATA_OPEN);
	const isComment = at + COMMENT_OPEN.length <= end && isTextAt(bytes, at, COMMENT_OPEN);
	const sign = isCdata ? CDATA_CLOSE : isComment ? COMMENT_CLOSE : INSTRUCTION_CLOSE;
	const close = bytes.indexOf(sign, at + (isComment ? COMMENT_OPEN.length : 2));
	if (close < 0 || close + sign.length > end) return undefined;
	const markupEnd = close + sign.length;
	return isCdata
		? { end: markupEnd, textStart: at + CDATA_OPEN.length, textEnd: close }
		: { end: markupEnd, textStart: markupEnd, textEnd: markupEnd };
}

/** Returns where the next `<` in `bytes[at, end)` is, or `end`. */
export function nextMarkup(bytes: Uint8Array, at: number, end: number): number {
	while (at < end && bytes[at] !== LESS_THAN) at++;
	return at;
}

/** Tells whether `bytes[start, end)` has both ends of all markup in it, so that the file is still XML without these bytes. */
export function isBalanced(bytes: Buffer, start: number, end: number): boolean {
	for (let at = start; at < end; ) {
		const markup = innerMarkupAt(bytes, at, end);
		if (markup === undefined && (bytes[at] === LESS_THAN || isTextAt(bytes, at, CDATA_CLOSE))) return false;
		at = markup?.end ?? at + 1;
	}
	return true;
}

/** Lists the start and the end of each comment and processing instruction in `bytes[start, end)`. */
export function commentsIn(bytes: Buffer, start: number, end: number): (readonly [start: number, end: number])[] {
	const found: (readonly [number, number])[] = [];
	for (let at = nextMarkup(bytes, start, end); at < end; at = nextMarkup(bytes, at, end)) {
		const markup = innerMarkupAt(bytes, at, end);
		if (markup !== undefined && markup.textStart === markup.end) found.push([at, markup.end]);
		at = markup?.end ?? at + 1;
	}
	return found;
}
