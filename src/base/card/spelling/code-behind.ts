// Finds the security code right behind a card number. Behind its expiry it needs no word, only one to three signs or
// blanks (`codeBehind`). A word that may mean other things elsewhere is enough there too (`wordedCodeBehind`).
//
//   4111111111111111/1229/123     4111111111111111 EXP 12/29 123     378282246310005,08/2029,1234
//   4111111111111111#1229#123     4111111111111111|12|29|123         4111111111111111D1229-123
//   4111111111111111*CV123        378282246310005 CID 1234           4111111111111111 EXP 1229 SEC CODE 123
//
// The year is one of 2020 to 2059. An amount (`/1229/123.00`) or a longer number (` 12/29 123-4567`) is no code, and what
// has letters before it neither: `/1229/A123`, `/1229/EUR123`, ` 12/29 ROOM 123`.

import { endOfDigits, isAlphanumeric, isDigit, isDigitAt, isLetter, tableOf } from '../ascii.ts';
import { readAscii } from '../ascii-digits.ts';
import { findCardType } from '../names/brand-names.ts';
import { codeBehindLabel, endOfSecond, isSure, LABEL, mayMeanCode, readLabel } from '../names/cvv-label.ts';
import { endOfExpiryBehind, endOfSigns, readLikelyExpiryBehind, readMonthYear, signWidth } from './expiry-behind.ts';
import { isFirstGroup } from './first-group.ts';

const FIRST_HIGH = 0x80;
/** Two digits of any script have at most this many bytes. */
const LONGEST_PAIR = 8;
const BLANK = 0x20;
const STAR = 0x2a;
const PERCENT = 0x25;
const SLASH = 0x2f;
const HYPHEN = 0x2d;
const POINT = 0x2e;
const BACKSLASH = 0x5c;
/** With more digits behind it, one of these signs is part of an amount, a time, a range or a longer number. */
const JOINING = new Set(Buffer.from(".,:-/+'"));
const LEAST = 3;
const MOST = 4;
/** Matches a word, what divides it from the code, and the code. */
const WORDED =
	/^((?:[34][ -]?)?[a-z\x80-\xff](?:[a-z\x80-\xff .-]|3(?=[ .:=-])){0,26}?(?:2|1(?=[ :.=#*/-]))?)((?:(?!\*{3})[ :.=#*/-]){0,4}(?:(?<=[ :.])(?:is|was|ist|war|lautet|est|es|er) )?)(\d{3,4}|\*{3,4})(?![\d*]|(?!exp)[a-z])/i;
const LONGEST_WORDED = 44;
/** Holds 1 for the digits that say before a word how many digits a code has: `3 DIGITS`, `3-LETZTE ZIFFERN`, `4DBC`. */
export const COUNTS = tableOf('34');
const ID = /^(CARD[ .-]?)?ID$/;
/** Matches the only digits that stand on one side of the number in a card field, between signs and blanks. A fraction is none. */
const LONE = /^(?!\.\d)([^\da-z]*)(?<!\*\*)(\d{3,4})(?!\*\*)[^\da-z]*$/i;
const LONGEST_LONE = 12;
export const MONTH = '(?:0[1-9]|1[0-2])';
export const YEAR = '(?:20)?[2-5]\\d';
/** Cards end with a month, and so does a date that may be the expiry of a card. Some people give the first day. */
const DAY = '(?:0?1|2[89]|3[01])';
/** Matches what may be an expiry where it is none of those that are read: an amount, a date, or one behind other words. */
const DATE = [
	`${MONTH}(?:[.,_|\\\\/-]?|[\\x80-\\xff]{2,3})${YEAR}`,
	`[2-5]\\d[/-]?${MONTH}`,
	`val\\.? ?${MONTH}[2-5]\\d`,
	`(?:[a-z\\x80-\\xff]{1,12}[^\\da-z]{1,3}){1,3}${MONTH}(?: ?[/|-] ?'?|[^\\da-z]{1,3}(?:of|y{1,4}|year|jahr|an[a-z\\x80-\\xff]{0,4})[^\\da-z]{1,3})${YEAR}`,
	`${DAY}([./-])${MONTH}\\1${YEAR}`,
	`${DAY}[ .-]?[a-z\\x80-\\xff]{3,10}[ .-]?${YEAR}`,
	`20[2-5]\\d-${MONTH}-${DAY}`,
].join('|');
/** Words before a code that say where it stands on the card. */
const WHERE = [
	'is|the|on|at|of|back|reverse|rear|side|behind|ist|die|der|auf|hinten|r(?:u|[\\x80-\\xff]{1,2})e?ckseite',
	'au|dos|verso|al|en|el|dorso|reverso|retro|(?:atr|detr)(?:a|[\\x80-\\xff]{1,2})s|last|three|letzten?|drei',
].join('|');
/** One of these may stand for a code, even glued to it: `C123`. Other letters do for approvals, rooms and deposits. */
const LETTERS = 'ckpsv';
const LETTER = tableOf(LETTERS + LETTERS.toUpperCase());
/** Between an expiry and a code may be signs of any kind, and letters that no card's files have in words of theirs: `コード`. */
const GAP = '(?:(?!\\*{2})[^\\da-z\\r\\n]){0,40}';
/** What else stands between says nothing, or means a security code: `and 123`, `V 123`, `NR.123`. */
const AND = 'and|und|et|y|e|mit|with|con|avec';
const WORD = `(?:${AND}|${WHERE})(?![\\da-z])|[34][ -]?[a-z]{5,9}`;
const SHORT = `(?:[${LETTERS}]|n[or]|c[csv]{2}|cvm)(?![a-z])|[cs][cv](?:[ .]?(?:no|nr|code)|[.:=#])`;
const BETWEEN = `${GAP}(?:(?:${WORD}|${SHORT})${GAP}){0,4}`;
/** An amount, a time or a part of a longer number is no code. */
const TOGETHER = '(?=\\d{3,4}(?![\\da-z]|[.,:/-]\\d| \\d{3}| ?(?:eur|usd|gbp|chf)))';
/** A code may be written digit by digit. */
const APART = '(?=\\d(?<gap> ?[ .,/-] ?)\\d(?:\\k<gap>\\d){1,2}(?![\\da-z]|\\k<gap>\\d))';
/** The digits of a character reference are none of a code: `&#233;`. */
const CODE = `${BETWEEN}(?<!&#)(?:${TOGETHER}|${APART})`;
/** The code may also stand between the number and its expiry. */
const BEFORE_EXPIRY = `(?=\\d{3,4}[ /|,;:-]{1,3}(?:[a-z]{2,12}[ .:]{1,3})?${MONTH}[ /|-]?${YEAR}(?!\\d))`;
const BEHIND_DATE = new RegExp(`^${GAP}(?:(?:${DATE})(?![\\da-z])${CODE}|${BEFORE_EXPIRY})`, 'i');
const BEHIND_EXPIRY = new RegExp(`^${CODE}`, 'i');
const LONGEST_DATED = 80;
/** A date and a code have at least this many digits, and so do a code and an expiry. */
const LEAST_DATED = 6;
/** Matches what stands on the magnetic stripe between a number and the service code, with which the secret data begin. */
const BEFORE_TRACK = tableOf('=D^');
const TRACK = new RegExp(`^(?:[=D]|\\^[^^\\r\\n]{2,26}\\^)[2-5]\\d${MONTH}(?=[1-79]\\d{2,})`);
/** The name of a card may stand between its expiry and its code: `12/29 VISA 123`. */
const NAME = /^[a-z]{3,16}(?![\da-z])/i;
/** JSON writes a line end or a tab as an escape. */
const SIGNS = '(?:\\\\[nrt]|[^\\da-z]){1,6}';
/**
 * Matches what people write between a number and a word for its code, with nothing but a month and a year in digits:
 * ` month: 12, year: 2029, `, `\nExpires: December 2029\n`, ` exp date is 12/29 and the `.
 */
const TO_WORD = new RegExp(
	`^\\D{0,48}?(?:${MONTH}\\D{0,16}?(?:20)?|20)[2-5]\\d(?!\\d)(?:${SIGNS}(?:${AND}|the|der|la|le|el|il)(?![a-z])){0,2}${SIGNS}(?=[a-z])`,
	'i',
);
/** Matches what may stand between a label and its code, which may be written digit by digit. */
const BEHIND_LABEL = new RegExp(
	`^[^\\da-z\\r\\n*]{0,20}(?:(?:${WHERE}|card|karte|carte|carta|tarjeta|[34][ -]?[a-z]{5,9}|\\(?[^()\\d\\r\\n]{1,24}\\))[^\\da-z\\r\\n*]{1,12}){0,6}` +
		'(?=\\d(?:[ .,/-]?\\d){2,3}(?![\\da-z*]|[.,:/ -]\\d))',
	'i',
);
/** Matches the PIN of a card. It is no security code, but must not be in a file any more than one. */
const PIN = /^(?:(?:card|security|code)[ .-]?)?pin(?:[ .-]?(?:code|no|nr|number))?[ :.=#-]{0,3}(?=\d{3,4}(?![\da-z]))/i;
/** Expiry and code, and what is between, have at most this many bytes behind the number. */
export const LONGEST_TAIL = 256;
/** An expiry and a code have at least this many bytes: `1229/123`. */
const SHORTEST_TAIL = 8;
const UNDERSCORE = 0x5f;
/** Each table holds 1 for the signs before and behind the name of a field, in markup, JSON and addresses. */
const BEFORE_NAME = tableOf('<"\'&?;,{:');
const BEHIND_NAME = tableOf('>"\'=\\');
/** A label with a word that means many things has at most this many signs between itself and the number. */
const MOST_SIGNS = 8;

/**
 * Returns where the code behind the number that ends at `numberEnd` begins, or -1 if there is none. Four digits are a
 * code only if the number `isAmex` (`isAmexRange`). Three or four stars count too, because detokenizing looks for those
 * that replaced a code.
 */
export function codeBehind(bytes: Uint8Array, numberEnd: number, end: number, isAmex: boolean): number {
	if (end - numberEnd < SHORTEST_TAIL || isUsual(bytes, numberEnd)) return -1;
	const expiryEnd = endOfExpiryBehind(bytes, numberEnd, end);
	if (expiryEnd === -1) return -1;
	const limit = endOfSigns(bytes, expiryEnd, end);
	for (let at = expiryEnd; at < limit; ) {
		at += signWidth(bytes, at, end);
		const stars = endOfStars(bytes, at, end) - at;
		if (stars >= LEAST && stars <= MOST) return at;
	}
	const length = endOfDigits(bytes, limit, end) - limit;
	if (limit === expiryEnd || length < LEAST || length > (isAmex ? MOST : LEAST)) return -1;
	// An expiry that is there twice is no code of American Express.
	if (length === MOST && readMonthYear(bytes, limit) === readLikelyExpiryBehind(bytes, numberEnd, end)) return -1;
	// Bare groups between blanks may also be the parts of a phone number: ` 0521 123 4567`.
	const isBare = expiryEnd - numberEnd === 5 && bytes[numberEnd] === BLANK && bytes[limit - 1] === BLANK;
	return isEdge(bytes, limit, limit + length, end, isBare) && !isFirstGroup(bytes, limit, end) ? limit : -1;
}

/**
 * Returns where the code behind a word right behind the number or its expiry begins, or -1 if there is none. Any name of
 * the vocabulary for a security code is such a word, even a mere CODE, and so are ID, CARD ID, and CV and SC if the digits are
 * glued to them. CV may have a sign behind it if it has one before it. Four digits behind SC, ID or CODE are something else,
 * unless the number `isAmex`. Three or four stars count as well, because detokenizing looks for those that replaced a code.
 */
export function wordedCodeBehind(bytes: Buffer, numberEnd: number, end: number, isAmex: boolean): number {
	const expiryEnd = endOfExpiryBehind(bytes, numberEnd, end);
	const behind = expiryEnd === -1 ? numberEnd : expiryEnd;
	const at = endOfSigns(bytes, behind, end);
	let wordStart = at;
	if (wordStart < end && COUNTS[bytes[wordStart]] === 1) wordStart++;
	if (wordStart > at && (bytes[wordStart] === BLANK || bytes[wordStart] === HYPHEN)) wordStart++;
	if (wordStart >= end || !LABEL.mayBegin(bytes, wordStart)) return -1;
	const text = WORDED.exec(bytes.toString('latin1', at, Math.min(end, at + LONGEST_WORDED)));
	if (text === null) return -1;
	const [whole, word, gap, code] = text;
	const name = word.toUpperCase();
	const sign = at > behind ? bytes[at - 1] : 0;
	const isAnnounced =
		name === 'SC'
			? gap === '' && (code.length === LEAST || isAmex)
			: name === 'CV'
				? gap.length <= (sign === STAR || sign === SLASH ? 1 : 0)
				: ID.test(name)
					? gap.length <= (name === 'ID' ? 1 : MOST) && (code.length === LEAST || isAmex)
					: readLabel(bytes, wordStart, end) &&
						endOfSecond(bytes, LABEL.end, end) === at + word.length &&
						(isSure(LABEL.kinds) || code.length === LEAST || isAmex);
	const codeStart = at + whole.length - code.length;
	return isAnnounced && !isFirstGroup(bytes, codeStart, end) ? codeStart : -1;
}

/**
 * Returns where digits begin that may be a code of the card or something of its booking, so that they are only told, or -1 if
 * there are none: three or four behind the word PIN, right behind the number or its expiry; three (four if the number
 * `isAmex`) behind an expiry and a word or letter that may stand for a code (` 12/29 V 123`), or digit by digit
 * (` 12/29 1 2 3`), or behind what may be an expiry (` 12.29 123`, ` 31DEC29 123`); or those that a label announces from afar
 * or digit by digit (`CVV ON THE BACK IS 123`, `CVV 1 2 3`). With digits of other scripts, the same holds for any code.
 */
export function doubtfulCodeBehind(bytes: Buffer, numberEnd: number, end: number, isAmex: boolean): number {
	const expiryEnd = endOfExpiryBehind(bytes, numberEnd, end);
	const behind = expiryEnd === -1 ? numberEnd : expiryEnd;
	let at = endOfSigns(bytes, behind, end);
	if (expiryEnd === -1 && BEFORE_TRACK[bytes[numberEnd]] === 1) {
		const track = TRACK.exec(bytes.toString('latin1', numberEnd, Math.min(end, numberEnd + LONGEST_DATED)));
		if (track !== null) return numberEnd + track[0].length;
	}
	// Neither a word nor a date begins with any other letter and a digit, as an approval does: `/1229/A123456`.
	if (at === end || (isLetter(bytes[at]) && isDigit(bytes[at + 1]) && LETTER[bytes[at]] === 0)) return -1;
	const digits = countDigits(bytes, at, Math.min(end, at + LONGEST_DATED));
	const isDated = expiryEnd !== -1 || (digits >= LEAST_DATED && (at > behind || !isAlphanumeric(bytes[at])));
	if (digits < LEAST || (!isDated && isDigit(bytes[at]))) return -1;
	const ascii = readAscii(bytes, numberEnd, Math.min(end, numberEnd + LONGEST_DATED));
	if (ascii) {
		const code = firstCodeBehind(ascii.bytes, isAmex);
		const isNew = isDigit(ascii.bytes[code]) && (expiryEnd === -1 || bytes[ascii.offsets[code]] >= FIRST_HIGH);
		return isNew ? ascii.offsets[code] : -1;
	}
	let text = bytes.toString('latin1', at, Math.min(end, at + LONGEST_DATED));
	const [name] = expiryEnd === -1 ? [] : (NAME.exec(text) ?? []);
	if (name !== undefined && findCardType(name) !== undefined) {
		text = text.slice(name.length);
		at += name.length;
	}
	const pin = PIN.exec(text);
	const dated = expiryEnd === -1 ? BEHIND_DATE : BEHIND_EXPIRY;
	const found = pin ?? (isDated ? dated.exec(text) : null);
	if (found !== null && (pin !== null || codeBehind(bytes, numberEnd, end, isAmex) === -1)) {
		const code = at + found[0].length;
		const fits = pin !== null || isAmex || endOfDigits(bytes, code, end) - code <= LEAST;
		return fits && !isFirstGroup(bytes, code, end) ? code : -1;
	}
	const toWord = TO_WORD.exec(bytes.toString('latin1', numberEnd, Math.min(end, numberEnd + LONGEST_DATED)));
	const word = numberEnd + (toWord?.[0].length ?? 0);
	const worded = toWord === null ? -1 : codeBehindLabel(bytes, word, word, end);
	if (worded !== -1) {
		const after = endOfDigits(bytes, worded, end);
		const isPart = JOINING.has(bytes[after]) && isDigitAt(bytes, after + 1, end);
		return !isPart && (isAmex || after - worded === LEAST) ? worded : -1;
	}
	// What stands right behind a label is no doubt (`labelledCodeBehind`).
	const isDoubtful = readLabel(bytes, at, end) && isSure(LABEL.kinds) && codeBehindLabel(bytes, at, at, end) === -1;
	if (!isDoubtful) return -1;
	const labelEnd = endOfSigns(bytes, LABEL.end, end);
	const announced = BEHIND_LABEL.exec(text.slice(labelEnd - at));
	return announced === null ? -1 : labelEnd + announced[0].length;
}

/** Counts the digits of a text; a byte beyond ASCII may belong to one of another script. */
function countDigits(bytes: Uint8Array, start: number, end: number): number {
	let count = 0;
	for (let at = start; at < end; at++) if (bytes[at] >= FIRST_HIGH || isDigit(bytes[at])) count++;
	return count;
}

/** Returns where the first code in a text behind a number begins, or -1. */
function firstCodeBehind(text: Buffer, isAmex: boolean): number {
	for (const find of [codeBehind, wordedCodeBehind, doubtfulCodeBehind]) {
		const code = find(text, 0, text.length, isAmex);
		if (code !== -1) return code;
	}
	return labelledCodeBehind(text, 0, text.length);
}

/**
 * Returns where three digits begin that are all that a card field has before or behind its number, in `bytes[start, end)` (four if
 * the number `isAmex`), or -1: `4111111111111111 (123)`, `123 4111111111111111`. They may be something else, so they are only told.
 */
export function loneDigits(bytes: Buffer, start: number, end: number, isAmex: boolean): number {
	if (end - start > LONGEST_LONE) return -1;
	const [, signs = '', code = ''] = LONE.exec(bytes.toString('latin1', start, end)) ?? [];
	const isCode = code.length === LEAST || (code.length === MOST && isAmex);
	return isCode ? start + signs.length : -1;
}

/**
 * Returns where the code begins that a label announces near behind the number that ends at `numberEnd`, with other fields
 * of a card between them, as in XML or JSON in a text: `CardNumber="…" ExpireDate="1229" SeriesCode="123"`. Returns -1 if
 * there is none at `from` or behind it. As the name of a field (`<CID>`, `"cardCode":`, `&card_code=`), words that mean many
 * things count too, with three digits, or four if the number `isAmex`.
 */
export function labelledCodeBehind(
	bytes: Buffer,
	numberEnd: number,
	end: number,
	from = numberEnd,
	isAmex = false,
): number {
	const limit = Math.min(end, numberEnd + LONGEST_TAIL);
	const fitsBrand = (code: number) => endOfDigits(bytes, code, limit) - code === LEAST || isAmex;
	let isBehindSigns = from === numberEnd;
	for (let at = from; at < limit; at++) {
		if (!isLetter(bytes[at])) isBehindSigns &&= !isDigit(bytes[at]) && at < numberEnd + MOST_SIGNS;
		else if (LABEL.mayBegin(bytes, at)) {
			const code = codeBehindLabel(bytes, at, numberEnd, limit);
			if (code !== -1 && isSure(LABEL.kinds) && (LABEL.isTelling || isBehindSigns)) return code;
			if (code !== -1 && isNameOfCode(bytes, at, numberEnd) && fitsBrand(code)) return code;
			isBehindSigns = false;
		} else isBehindSigns = false;
	}
	return -1;
}

/** Tells whether the label that was read last, at `at`, is the name of a field, and may be that of a security code. */
function isNameOfCode(bytes: Uint8Array, at: number, start: number): boolean {
	let first = at;
	// Words before the label belong to the name: `x_card_code`.
	while (first > start && (isLetter(bytes[first - 1]) || bytes[first - 1] === UNDERSCORE)) first--;
	return (
		mayMeanCode(LABEL.kinds) &&
		first > start &&
		BEFORE_NAME[bytes[first - 1]] === 1 &&
		BEHIND_NAME[bytes[LABEL.end]] === 1
	);
}

/** Tells whether digits of any script begin like a number of American Express, whose codes have four digits. */
export function isAmexRange(bytes: Uint8Array, at: number): boolean {
	const ascii = bytes[at] < FIRST_HIGH ? undefined : readAscii(bytes, at, Math.min(bytes.length, at + LONGEST_PAIR));
	if (ascii !== undefined) return isAmexRange(ascii.bytes, 0);
	return bytes[at] === 0x33 && (bytes[at + 1] === 0x34 || bytes[at + 1] === 0x37);
}

/** Returns the end of the stars at `at`. */
export function endOfStars(bytes: Uint8Array, at: number, end: number): number {
	while (at < end && bytes[at] === STAR) at++;
	return at;
}

/**
 * Tells at a glance, as a file has many such numbers, whether it is not followed by a code: behind a number without an
 * expiry one digit stands alone (` 1.1DUPONT`), or a letter comes after the expiry (`/1229/A123456`).
 */
function isUsual(bytes: Uint8Array, at: number): boolean {
	if (!isDigit(bytes[at + 1]) || bytes[at] === PERCENT) return false;
	const isAlone = !isDigit(bytes[at + 2]) && bytes[at + 2] !== SLASH;
	return isLetter(bytes[at + 6]) ? bytes[at + 5] !== BACKSLASH : isAlone && !isDigit(bytes[at]);
}

/** Tells whether the code ends at `codeEnd`: if a sign and more digits follow, they must be another value of the row. */
function isEdge(bytes: Uint8Array, codeStart: number, codeEnd: number, end: number, isBare: boolean): boolean {
	if (codeEnd === end) return true;
	const sign = bytes[codeEnd];
	if (isAlphanumeric(sign)) return false;
	if (codeEnd + 1 >= end || !isDigit(bytes[codeEnd + 1])) return true;
	if (sign === BLANK) return !isBare && !(codeEnd - codeStart === MOST && isGroupBehind(bytes, codeEnd + 1, end));
	return !JOINING.has(sign) || (sign === bytes[codeStart - 1] && sign !== HYPHEN && sign !== POINT);
}

/** Tells whether the digits at `at` are a group amid a number, as the second group of `3782 822463 10005` is. */
function isGroupBehind(bytes: Uint8Array, at: number, end: number): boolean {
	const groupEnd = endOfDigits(bytes, at, end);
	return groupEnd - at >= MOST && groupEnd + 1 < end && bytes[groupEnd] === BLANK && isDigit(bytes[groupEnd + 1]);
}
