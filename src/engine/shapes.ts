// Writes what replaces a number, token or CVV in a file, for each shape of `format.ts`.

import { countCharacters, isDigit } from '../base/card/ascii.ts';
import type { NumberReading } from '../base/card/number.ts';
import type { Shape } from '../base/card/shape.ts';
import { DigitReader, UNIT } from '../base/card/spelling/digit-text.ts';
import { isFirstGroup } from '../base/card/spelling/first-group.ts';
import type { CvvSpelling } from '../vault/cvvs/cvv-seal.ts';
import { TOKEN_CHARACTERS, writeHex } from '../vault/tokens/token.ts';
import { COLUMNS_TAIL_PREFIX, type Finding } from './format.ts';
import type { Edits } from './splice.ts';

const QUOTE = 0x22;
const STAR = 0x2a;
const BLANK = 0x20;
const HYPHEN = 0x2d;
const MASK = 0x58;
/** A masked number still shows this many digits at its end. */
const SHOWN_AT_END = 4;
const SHOWN_AT_START = 6;
const TAIL_PREFIX = Buffer.from(COLUMNS_TAIL_PREFIX);

/** Writes a token in place of the number of a finding. The token is the 16 bytes of `token` that begin at `offset`. */
export function putToken(
	edits: Edits,
	finding: Finding,
	token: Buffer,
	offset: number,
	tokenCase: 'lower' | 'upper',
	bytes: Buffer,
): void {
	const { numberStart, numberEnd } = finding;
	if (finding.shape === 'plain' || finding.shape === 'other') {
		const at = edits.add(numberStart, numberEnd, TOKEN_CHARACTERS);
		writeHex(token, offset, edits.target, at, tokenCase);
	} else if (finding.shape === 'quoted' || finding.shape === 'otherQuoted') {
		const at = edits.add(numberStart, numberEnd, TOKEN_CHARACTERS + 2);
		const after = writeHex(token, offset, edits.target, at + 1, tokenCase);
		edits.target[at] = QUOTE;
		edits.target[after] = QUOTE;
	} else {
		const length = numberEnd - numberStart;
		const masked = edits.add(numberStart, numberEnd, length);
		edits.target.fill(MASK, masked, masked + length - SHOWN_AT_END);
		bytes.copy(edits.target, masked + length - SHOWN_AT_END, numberEnd - SHOWN_AT_END, numberEnd);
		const tail = edits.add(finding.sideStart, finding.sideStart, TAIL_PREFIX.length + TOKEN_CHARACTERS);
		edits.target.set(TAIL_PREFIX, tail);
		writeHex(token, offset, edits.target, tail + TAIL_PREFIX.length, tokenCase);
	}
}

/**
 * Writes a number back in place of its token. `presentation` is the number exactly as the file spelled it before, and
 * `shape` is the shape that the card was stored with.
 */
export function putNumber(edits: Edits, finding: Finding, bytes: Buffer, shape: Shape, presentation: Buffer): void {
	const { numberStart, numberEnd } = finding;
	if (finding.shape === 'columns') {
		edits.replace(finding.sideStart, finding.sideEnd, presentation);
		edits.add(numberStart - TAIL_PREFIX.length, numberEnd, 0);
	} else if ((shape === 'quoted' || shape === 'otherQuoted') && isQuoted(bytes, numberStart, numberEnd)) {
		edits.replace(numberStart - 1, numberEnd + 1, presentation);
	} else {
		edits.replace(numberStart, numberEnd, presentation);
	}
}

/**
 * Tells whether a span has quotes on both sides. The engine wrote them, but somebody may have removed them from the
 * file since.
 */
function isQuoted(bytes: Buffer, start: number, end: number): boolean {
	return bytes[start - 1] === QUOTE && bytes[end] === QUOTE;
}

type StarredSpan = Pick<Finding, 'cvvStart' | 'cvvEnd' | 'isCvvBare'>;

/**
 * Writes stars in place of a CVV, as many as it had characters. A bare JSON number gets quotes, because stars without
 * quotes would not be valid JSON.
 */
export function putStars(edits: Edits, { cvvStart, cvvEnd, isCvvBare }: StarredSpan, bytes: Buffer): void {
	const length = countCharacters(bytes, cvvStart, cvvEnd);
	if (!isCvvBare) {
		const at = edits.add(cvvStart, cvvEnd, length);
		edits.target.fill(STAR, at, at + length);
		return;
	}
	const at = edits.add(cvvStart, cvvEnd, length + 2);
	edits.target.fill(STAR, at + 1, at + 1 + length);
	edits.target[at] = QUOTE;
	edits.target[at + 1 + length] = QUOTE;
}

/** Writes a CVV back in place of its stars, as the file spelled it. */
export function putCvv(
	edits: Edits,
	{ cvvStart, cvvEnd }: Finding,
	bytes: Buffer,
	{ isBare, text }: CvvSpelling,
): void {
	if (isBare && isQuoted(bytes, cvvStart, cvvEnd)) edits.replace(cvvStart - 1, cvvEnd + 1, text);
	else edits.replace(cvvStart, cvvEnd, text);
}

/**
 * Masks a number that is not tokenized. Each byte of a hidden digit, of any script, becomes a star, so that the groups of
 * digits stay as they are and nothing after them moves. If the number is too short to show its ends, or is spelled with
 * escapes, every byte becomes a star, in a card field all but blanks and hyphens. A bare JSON number gets quotes.
 */
export function putMask(edits: Edits, finding: Finding, bytes: Buffer, number: NumberReading): void {
	const { numberStart, numberEnd, shape, isEscaped } = finding;
	const isInText = finding.isOther || shape === 'other';
	const isQuoted = shape === 'quoted' || shape === 'otherQuoted';
	let at = edits.add(numberStart, numberEnd, numberEnd - numberStart + (isQuoted ? 2 : 0));
	const { target } = edits;
	if (isQuoted) target[at++] = QUOTE;
	// For a card field, `isEscaped` applies to the whole finding, and the escapes may be in another field of the card.
	const hasEscapes = isEscaped && (isInText || !isSpelledPlainly(bytes, numberStart, numberEnd));
	const isShown = !hasEscapes && (isInText || (number.count >= 12 && !number.hasOtherCharacters));
	// With the groups behind them the last digits may be another number, which would be found once the others are stars.
	const isEndShown = !isFirstGroup(bytes, numberEnd - SHOWN_AT_END, bytes.length);
	const reader = new DigitReader();
	// The digits are counted here, because `number.count` is not exact for a number that is too long.
	let count = 0;
	for (let i = numberStart; i < numberEnd; i += reader.width) {
		if (reader.read(bytes, i, numberEnd) === UNIT.DIGIT) count++;
	}
	for (let i = numberStart, seen = 0; i < numberEnd; i += reader.width) {
		const isDigit = reader.read(bytes, i, numberEnd) === UNIT.DIGIT;
		const isEnd = isDigit && (seen < SHOWN_AT_START || (isEndShown && seen >= count - SHOWN_AT_END));
		if (isDigit) seen++;
		const isKept = isShown ? !isDigit || isEnd : !isInText && (bytes[i] === BLANK || bytes[i] === HYPHEN);
		if (isKept) bytes.copy(target, at, i, i + reader.width);
		else target.fill(STAR, at, at + reader.width);
		at += reader.width;
	}
	if (isQuoted) target[at] = QUOTE;
}

/**
 * Returns whether a span has only digits, blanks, hyphens and non-breaking spaces. The latter are the byte `A0` in
 * Latin-1 and `C2 A0` in UTF-8.
 */
function isSpelledPlainly(bytes: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < end; i++) {
		const byte = bytes[i];
		if (!isDigit(byte) && byte !== BLANK && byte !== HYPHEN && byte !== 0xa0 && byte !== 0xc2) return false;
	}
	return true;
}
