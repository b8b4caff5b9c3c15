// How often duplicate elimination may be asked. Whoever is given back a token the account already had knows that the number
// sent is the one behind it; metadata shows first six, last four and expiry, which leaves 100,000 numbers to try. So all
// different numbers looked for with the same first six and last four are counted a day, known ones too: whoever may store
// cards can make any number known beforehand.

import { type Cipheriv, createCipheriv, createHmac } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { AccountId } from '../database/ids.ts';
import type { Database } from '../database/open.ts';
import type { Generations } from '../keys/generations.ts';
import type { SealingKey } from '../keys/key-ring.ts';
import { type Asked, type Attempt, eliminationStore } from './elimination-store.ts';
import type { RecordFields } from './record-codec.ts';

/** Different numbers with the same first six and last four that an account may look for in a day, unless told otherwise. */
const DEFAULT_NUMBERS_PER_DAY = 20;

/** What is said of a card that is refused for it. */
export const ELIMINATION_LIMIT_PASSED =
	'Too many different numbers with the same first six and last four digits were looked for today: store the card without eliminateCardDuplication';

/** Where the limit was passed for the first time today. */
export interface LimitPassed {
	readonly accountId: AccountId;
	/** The user of that account who looked. */
	readonly creatorId: AccountId;
	/** Pairs of first six and last four. */
	readonly pairs: number;
	readonly numbersPerDay: number;
}

export interface EliminationLimit {
	readonly numbersPerDay: number;
	/** Told once a day for every pair of first six and last four, over all daemons, before anything is answered. */
	onPassed?(passed: LimitPassed): Promise<void>;
}

const DAY_MS = 86_400_000;

export const dayOf = (now: Date): number => Math.floor(now.getTime() / DAY_MS);

/**
 * The generation of the fingerprint key that counts today: the newest from before today, or the first there was. A rotation
 * during the day begins no count anew.
 */
export function countingKeyOf({ all }: Generations, now: Date): SealingKey {
	const midnight = dayOf(now) * DAY_MS;
	return all.find(({ createdAt }) => createdAt < midnight) ?? all[all.length - 1];
}

const BLOCK_BYTES = 16;
/** Two blocks: what metadata shows, and the whole number. */
const CARD_BYTES = 2 * BLOCK_BYTES;

/** What is counted of cards, many at once: nothing of them can be read without the account's fingerprint key. */
export class AttemptCipher {
	private readonly cipher: Cipheriv;
	private blocks = Buffer.alloc(64 * CARD_BYTES);
	private length = 0;

	/** @param key of fingerprints: a key of its own is made of it. */
	constructor({ secret }: Pick<SealingKey, 'secret'>) {
		const own = createHmac('sha256', secret).update('elimination attempts').digest();
		// One block of AES is a MAC of what fits into a block, at a hundredth of the price of an HMAC.
		this.cipher = createCipheriv('aes-256-ecb', own, null).setAutoPadding(false);
	}

	/** Takes a card over, for the next `take`. */
	add({ digits, digitCount }: Pick<RecordFields, 'digits' | 'digitCount'>): void {
		if (this.length === this.blocks.length) this.grow();
		const { blocks, length: near } = this;
		const number = near + BLOCK_BYTES;
		blocks[near] = 1;
		for (let i = 0; i < 6; i++) blocks[near + 1 + i] = digits[i];
		for (let i = 0; i < 4; i++) blocks[near + 7 + i] = digits[digitCount - 4 + i];
		blocks[number] = 2;
		blocks[number + 1] = digitCount;
		// Two digits a byte: a number has 22 at most.
		for (let i = 0; i < digitCount; i++) blocks[number + 2 + (i >> 1)] |= (digits[i] & 0x0f) << (i & 1 ? 0 : 4);
		this.length += CARD_BYTES;
	}

	/** Attempts for the cards since the last time, in their order; the cards are wiped. */
	take(): Attempt[] {
		const macs = this.cipher.update(this.blocks.subarray(0, this.length));
		this.blocks.fill(0, 0, this.length);
		this.length = 0;
		return Array.from({ length: macs.length / CARD_BYTES }, (_, nth) => ({
			near: macs.readInt32LE(nth * CARD_BYTES),
			number: macs.readInt32LE(nth * CARD_BYTES + BLOCK_BYTES),
		}));
	}

	private grow(): void {
		const larger = Buffer.alloc(this.blocks.length * 2);
		larger.set(this.blocks);
		this.blocks.fill(0);
		this.blocks = larger;
	}
}

/** Counts cards before any of them is looked for, and says for each whether the limit leaves it out. */
export async function countAttempts(
	database: Database,
	whose: { readonly accountId: AccountId; readonly creatorId: AccountId; readonly now: Date },
	attempts: readonly Attempt[],
	{ numbersPerDay, onPassed }: EliminationLimit = { numbersPerDay: DEFAULT_NUMBERS_PER_DAY },
): Promise<(attempt: Attempt) => boolean> {
	if (attempts.length === 0) return () => false;
	const store = eliminationStore(database);
	const { accountId, creatorId, now } = whose;
	const scope = { accountId, day: dayOf(now) };
	const passed = await store.note(scope, distinct(attempts, numbersPerDay), numbersPerDay);
	if (passed.length === 0) return () => false;
	const pairs = await store.close(scope, passed);
	if (pairs > 0) await onPassed?.({ accountId, creatorId, pairs, numbersPerDay });
	const closed = new Set(passed);
	return ({ near }) => closed.has(near);
}

/** Each number once; of one pair no more than pass the limit. */
function distinct(attempts: readonly Attempt[], limit: number): Asked {
	const sorted = [...attempts].sort((a, b) => a.near - b.near || a.number - b.number);
	const asked: [near: number, numbers: number[]][] = [];
	for (const [nth, { near, number }] of sorted.entries()) {
		const last = asked.at(-1);
		if (last?.[0] !== near) asked.push([near, [number]]);
		else if (last[1].length <= limit && number !== sorted[nth - 1].number) last[1].push(number);
	}
	return asked;
}

/** Rows deleted at once: after a day of large files there are many, and nothing else may use the embedded database meanwhile. */
const PURGED_AT_ONCE = 5_000;

/** Forgets what was counted on days that are over; returns how many numbers there were. */
export async function purgeAttempts({ database, clock }: { database: Database; clock: Clock }): Promise<number> {
	const store = eliminationStore(database);
	let purged = 0;
	for (;;) {
		// Clocks of daemons differ: the day before is kept.
		const count = await store.deleteBefore(dayOf(clock.now()) - 1, PURGED_AT_ONCE);
		purged += count;
		if (count < PURGED_AT_ONCE) return purged;
	}
}
