// Splits a master key into shares for several custodians, of whom so many together can put it together again, and fewer learn
// nothing (Shamir's secret sharing). A share is text that people print, keep and type again, so that it says what it is, and
// tells the line in which a letter is wrong. The key has a check value: what does not belong together never becomes a key.

import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { combine, split } from 'shamir-secret-sharing';
import { RootKeyError } from './root-key.ts';

const VERSION = 1;
const SET_BYTES = 4;
const CHECK_BYTES = 8;
const KEY_BYTES = 32;
/** The share of a byte for each byte of the key, and one that tells it from the other shares. */
const POINT_BYTES = KEY_BYTES + 1;
/** The version, the number of the share, how many are needed and how many there are. */
const HEAD_BYTES = 4;
const SHARE_BYTES = HEAD_BYTES + SET_BYTES + CHECK_BYTES + POINT_BYTES;

/** The letters of Crockford's base 32: none looks like another one. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LINE_LETTERS = 20;
const GROUP_LETTERS = 5;
/**
 * Letters at the end of each line that tell whether the others are right. One wrong letter in 32,768 fits them all the same; the
 * check value of the key refuses what comes of it.
 */
const SUM_LETTERS = 3;
export const MOST_SHARES = 255;

/** Tells whether `needed` of `count` shares can give a key back, and fewer cannot. */
export function canSplit({ needed, count }: { readonly needed: number; readonly count: number }): boolean {
	return needed >= 2 && needed <= count && count <= MOST_SHARES;
}

export interface SplitKey {
	/** Names the shares that belong together. */
	readonly set: string;
	readonly shares: readonly string[];
}

/**
 * Splits a key into `count` shares, of which any `needed` give it back.
 * @throws RangeError unless 2 <= needed <= count <= 255
 */
export async function splitKey(key: Buffer, { needed, count }: { needed: number; count: number }): Promise<SplitKey> {
	if (!canSplit({ needed, count }))
		throw new RangeError(`expected at least 2 shares to be needed, and at most ${MOST_SHARES} shares`);
	const set = randomBytes(SET_BYTES);
	const check = checkOf(key, set);
	// The library takes a plain array, and no buffer, which may be a part of a larger one.
	const points = await split(new Uint8Array(key), count, needed);
	const shares = points.map((point, at) => {
		const share = Buffer.concat([Buffer.from([VERSION, at + 1, needed, count]), set, check, point]);
		const text = textOf(share, nameOf(share));
		point.fill(0);
		share.fill(0);
		return text;
	});
	return { set: set.toString('hex'), shares };
}

/**
 * Puts a key together from the texts of shares. Blanks, line ends and the case of letters do not matter.
 * @throws RootKeyError that names the share and the line if a letter is wrong, if the shares are not of one set, if they are too few, or
 * if they give another key than the one that was split
 */
export async function combineShares(texts: readonly string[]): Promise<Buffer> {
	const shares = texts.map(readShare);
	const [first] = shares;
	if (first === undefined) throw new RootKeyError('there is no share');
	for (const share of shares) {
		if (!share.set.equals(first.set))
			throw new RootKeyError(
				`share ${share.number} is of set ${share.set.toString('hex')}, share ${first.number} of set ${first.set.toString('hex')}`,
			);
	}
	const numbers = new Map(shares.map((share) => [share.number, share]));
	if (numbers.size < first.needed) {
		throw new RootKeyError(`${numbers.size} different shares were given, and ${first.needed} are needed`);
	}
	const points = [...numbers.values()].map(({ point }) => new Uint8Array(point));
	const key = Buffer.from(await combine(points));
	for (const { bytes } of shares) bytes.fill(0);
	if (key.length !== KEY_BYTES || !timingSafeEqual(checkOf(key, first.set), first.check)) {
		key.fill(0);
		throw new RootKeyError('the shares give another key than the one that was split: one of them was altered');
	}
	return key;
}

/** Finds the shares in a text, in which they may stand one after another. Each begins with its name, or with its first line. */
export function sharesIn(text: string): string[] {
	const shares: string[] = [];
	let hasLines = true;
	for (const line of text.split(/\r?\n/)) {
		const isName = /^\s*share\s+\d/i.test(line);
		const isLine = /^\s*\d+\s*:/.test(line);
		if (isName || (hasLines && /^\s*1\s*:/.test(line))) {
			shares.push(line);
			hasLines = isLine;
		} else if (isLine && shares.length > 0) {
			shares[shares.length - 1] += `\n${line}`;
			hasLines = true;
		}
	}
	return shares;
}

interface Share {
	readonly bytes: Buffer;
	readonly number: number;
	readonly needed: number;
	readonly set: Buffer;
	readonly check: Buffer;
	readonly point: Buffer;
}

function checkOf(key: Buffer, set: Buffer): Buffer {
	return createHmac('sha256', key).update('tokendrop shares v1').update(set).digest().subarray(0, CHECK_BYTES);
}

/** Returns the first line of a share, for people. What counts stands in the lines behind it. */
function nameOf(share: Buffer): string {
	const [, number, needed, count] = share;
	const set = share.toString('hex', HEAD_BYTES, HEAD_BYTES + SET_BYTES);
	return `Share ${number} of ${count} of the master key, set ${set}: any ${needed} give it back.`;
}

function textOf(share: Buffer, name: string): string {
	const letters = lettersOf(share);
	const lines: string[] = [name];
	for (let at = 0; at < letters.length; at += LINE_LETTERS) {
		const line = letters.slice(at, at + LINE_LETTERS);
		const groups = line.match(new RegExp(`.{1,${GROUP_LETTERS}}`, 'g')) ?? [];
		lines.push(`${lines.length}: ${[...groups, sumOf(lines.length, line)].join(' ')}`);
	}
	return `${lines.join('\n')}\n`;
}

/** @throws RootKeyError */
function readShare(text: string): Share {
	const said = /Share (\d+) of/i.exec(text)?.[1];
	const named = said === undefined ? 'a share' : `share ${said}`;
	const whole = Math.ceil((SHARE_BYTES * 8) / 5);
	let letters = '';
	const lines = [...text.matchAll(/^\s*(\d+)\s*:(.*)$/gm)];
	for (const [at, [, number, typed]] of lines.entries()) {
		const line = typed.replace(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1');
		const length = Math.min(LINE_LETTERS, whole - at * LINE_LETTERS);
		const [content, sum] = [line.slice(0, length), line.slice(length)];
		if (Number(number) !== at + 1 || length <= 0)
			throw new RootKeyError(`${named}: line ${at + 1} is not where it belongs`);
		if (sum !== sumOf(at + 1, content))
			throw new RootKeyError(`${named}: a letter of line ${at + 1} is wrong, or missing`);
		letters += content;
	}
	if (letters.length !== whole) throw new RootKeyError(`${named}: not all of its lines are there`);
	const bytes = bytesOf(letters);
	const [version, number, needed] = bytes;
	if (version !== VERSION) throw new RootKeyError(`${named}: it was made by another version`);
	const setEnd = HEAD_BYTES + SET_BYTES;
	const checkEnd = setEnd + CHECK_BYTES;
	return {
		...{ bytes, number, needed },
		set: Buffer.from(bytes.subarray(HEAD_BYTES, setEnd)),
		check: Buffer.from(bytes.subarray(setEnd, checkEnd)),
		point: bytes.subarray(checkEnd, SHARE_BYTES),
	};
}

/** Returns the letters by which a wrong letter of a line is noticed, and a line that stands in the place of another. */
function sumOf(number: number, line: string): string {
	return lettersOf(createHash('sha256').update(`${number}:${line}`).digest()).slice(0, SUM_LETTERS);
}

function lettersOf(bytes: Buffer): string {
	let letters = '';
	for (let bit = 0; bit < bytes.length * 8; bit += 5) {
		const pair = (bytes[bit >> 3] << 8) | (bytes[(bit >> 3) + 1] ?? 0);
		letters += LETTERS[(pair >> (11 - (bit & 7))) & 0x1f];
	}
	return letters;
}

function bytesOf(letters: string): Buffer {
	const bytes = Buffer.alloc(Math.floor((letters.length * 5) / 8) + 1);
	for (const [at, letter] of [...letters].entries()) {
		const value = LETTERS.indexOf(letter) << (11 - ((at * 5) & 7));
		bytes[(at * 5) >> 3] |= value >> 8;
		bytes[((at * 5) >> 3) + 1] |= value & 0xff;
	}
	return bytes;
}
