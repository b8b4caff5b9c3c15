import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;

let lastMs = 0;
let lastRandom = 0n;

/** Creates a lower-case ULID: 26 characters that sort by time, and within one process by order of creation. */
export function makeUlid(nowMs: number): string {
	if (nowMs > lastMs) {
		lastMs = nowMs;
		// The highest bit of the random part stays zero, so that increasing it for each id of the same millisecond
		// never overflows.
		lastRandom = BigInt(`0x${randomBytes(10).toString('hex')}`) >> 1n;
	} else {
		lastRandom += 1n;
	}
	return encode(BigInt(lastMs), TIME_CHARACTERS) + encode(lastRandom, RANDOM_CHARACTERS);
}

/** Returns the creation time of a ULID, in milliseconds. */
export function ulidTimeMs(ulid: string): number {
	let time = 0;
	for (const character of ulid.slice(0, TIME_CHARACTERS)) time = time * 32 + ALPHABET.indexOf(character);
	return time;
}

/** Returns whether a text has the form of our ULIDs. */
export function isUlid(text: string): boolean {
	return /^[0-9a-hjkmnp-tv-z]{26}$/.test(text);
}

function encode(value: bigint, characters: number): string {
	let text = '';
	for (let i = 0; i < characters; i++) {
		text = ALPHABET[Number(value & 31n)] + text;
		value >>= 5n;
	}
	return text;
}
