import { randomFillSync } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARACTERS = 10;
/** The random part has 80 bits. It is kept as two numbers of 40 bits, each of which is eight characters. */
const HALF_BYTES = 5;
const HALF_CHARACTERS = 8;
const HALF = 2 ** 40;

/** Random bytes for the next ids. Thousands of ids are made in a second, and each call for random bytes takes a while. */
const random = Buffer.alloc(HALF_BYTES * 2 * 100);
let randomAt = random.length;

/** Creates a lower-case ULID: 26 characters that sort by time, and within one process by order of creation. */
export const makeUlid = ulidMaker();

/** Returns a function like `makeUlid` that knows nothing of the ids that others have made. Only tests need one of their own. */
export function ulidMaker(): (nowMs: number) => string {
	let lastMs = 0;
	let high = 0;
	let low = 0;
	return (nowMs) => {
		if (nowMs > lastMs) {
			lastMs = nowMs;
			// The highest bit of the random part stays zero, so that increasing it for each id of the same millisecond
			// never overflows.
			high = randomHalf() % (HALF / 2);
			low = randomHalf();
		} else {
			low += 1;
			if (low === HALF) [high, low] = [high + 1, 0];
		}
		return encode(lastMs, TIME_CHARACTERS) + encode(high, HALF_CHARACTERS) + encode(low, HALF_CHARACTERS);
	};
}

/** Returns the creation time of a ULID, in milliseconds. */
export function ulidTimeMs(ulid: string): number {
	let time = 0;
	for (const character of ulid.slice(0, TIME_CHARACTERS)) time = time * 32 + ALPHABET.indexOf(character);
	return time;
}

/** Returns a text that sorts before every ULID of a time in milliseconds, and behind those of earlier times. */
export function ulidFloor(nowMs: number): string {
	return encode(nowMs, TIME_CHARACTERS);
}

/** Returns whether a text has the form of our ULIDs. */
export function isUlid(text: string): boolean {
	return /^[0-9a-hjkmnp-tv-z]{26}$/.test(text);
}

function randomHalf(): number {
	if (randomAt === random.length) {
		randomFillSync(random);
		randomAt = 0;
	}
	const half = random.readUIntBE(randomAt, HALF_BYTES);
	randomAt += HALF_BYTES;
	return half;
}

function encode(value: number, characters: number): string {
	let text = '';
	for (let i = 0; i < characters; i++) {
		text = ALPHABET[value % 32] + text;
		value = Math.floor(value / 32);
	}
	return text;
}
