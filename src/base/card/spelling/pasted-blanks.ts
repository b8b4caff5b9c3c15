// Reads the line breaks and blanks of HTML, of addresses and of programs' texts that people and programs paste into any text:
// `<br>`, `<br />`, also with its signs escaped, `<wbr>`, `&nbsp;`, `%20`, `%0D%0A`, and `\n` or `\u00a0` written out.

import { latin1 } from '../ascii.ts';

/** HTML inside XML has `&lt;` in place of its signs, HTML inside JSON may have `\u003c`, and its slash may be `\/`. */
const AMPERSAND_TEXT = '(?:&|\\\\u0026)(?:amp;)*';
const OPEN_TEXT = `(?:<|${AMPERSAND_TEXT}lt;|\\\\u003[cC])`;
const CLOSE_TEXT = `(?:>|${AMPERSAND_TEXT}gt;|\\\\u003[eE])`;
/** Matches a break. */
export const BREAK_TEXT = `${OPEN_TEXT}[wW]?[bB][rR] {0,2}\\\\?/?${CLOSE_TEXT}`;
/** Matches the beginning of a break at the end of a text. */
export const CUT_BREAK_TEXT = `${OPEN_TEXT}(?:w|w?b(?:r {0,2}\\\\?/?(?:(?:&|\\\\u0026)(?:amp;)*[agmpt]*)?)?)?`;
/** Matches a blank or hyphen behind `\\`, as programs write it: `\\u00a0`, `\\u2009`, `\\xa0`. */
const WRITTEN_BLANK_TEXT =
	'(?:u(?:00(?:[aA][0dD]|2[0dD]|0[9aAdD])|20(?:[01][\\dA-Fa-f]|2[fF])|3000|[fF][eE][fF]{2})|x[aA]0)';
/** Matches a line end, tab or blank that is written out, as many times escaped as texts stand in each other. */
export const WRITTEN_BREAK_TEXT = `\\\\{1,8}(?:r\\\\{1,8}n|[nrt]|${WRITTEN_BLANK_TEXT})`;
const BLANK = new RegExp(
	`^(?:${BREAK_TEXT}|${AMPERSAND_TEXT}(?:nbsp|NBSP|#160|#1[03]|#[xX]0*(?:[aA]0|[aAdD]));|%(?:20|09|0[AaDd]|2[BbFf])|${WRITTEN_BREAK_TEXT})`,
);
/** Each has at most this many bytes. */
const LONGEST = 40;
const LESS_THAN = 0x3c;
const AMPERSAND = 0x26;
const PERCENT = 0x25;
const BACKSLASH = 0x5c;

/** Returns the width in bytes of the break, blank or slash that begins at `at`, or 0 if there is none. */
export function pastedBlankWidth(bytes: Uint8Array, at: number, end: number): number {
	const byte = bytes[at];
	if (byte !== LESS_THAN && byte !== AMPERSAND && byte !== PERCENT && byte !== BACKSLASH) return 0;
	return BLANK.exec(latin1(bytes, at, Math.min(end, at + LONGEST)))?.[0].length ?? 0;
}
