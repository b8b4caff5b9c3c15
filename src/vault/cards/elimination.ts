// Limits how often duplicate elimination may be used. It lets a caller guess card numbers: if a number gets an existing
// token, it is the number of that token. Metadata shows the first six digits, the last four and the expiry of a token,
// so only 100,000 numbers are left to guess from. Therefore the different numbers with the same first six and last four
// that are looked up in one day are counted. Numbers that are already stored count too; otherwise a caller could store
// its guesses beforehand and look them up uncounted.

import { type Cipheriv, createCipheriv, createHmac } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import type { Generations } from '../../base/keys/generations.ts';
import type { SealingKey } from '../../base/keys/key-ring.ts';
import type { RecordFields } from '../pages/record-codec.ts';
import { type Asked, type Attempt, eliminationStore } from './elimination-store.ts';

/**
 * By default, an account may look up this many different numbers with the same first six and last four digits in a day.
 */
const DEFAULT_NUMBERS_PER_DAY = 20;

/** The text for a card that is refused because of the limit on duplicate elimination. */
export const ELIMINATION_LIMIT_PASSED =
	'Too many different numbers with the same first six and last four digits were looked for today: store the card without eliminateCardDuplication';

/**
 * Says that a user exceeded the limit on duplicate elimination. `pairs` counts only pairs of first six and last four
 * digits for which the limit was not exceeded before on that day.
 */
export interface LimitPassed {
	readonly accountId: AccountId;
	/** The user of the account who looked the numbers up. */
	readonly creatorId: AccountId;
	/** The number of pairs of first six and last four digits for which the limit was exceeded. */
	readonly pairs: number;
	readonly numbersPerDay: number;
}

export interface EliminationLimit {
	readonly numbersPerDay: number;
	/**
	 * This function is called when the limit is exceeded for pairs of first six and last four digits. All daemons
	 * together report each pair only once a day, before the caller gets an answer.
	 */
	onPassed?(passed: LimitPassed): Promise<void>;
}

const DAY_MS = 86_400_000;

export const dayOf = (now: Date): number => Math.floor(now.getTime() / DAY_MS);

/**
 * Returns the generation of the fingerprint key under which look-ups are counted today: the newest one created before
 * today, or the oldest one if all were created today. So a key rotation during the day does not start the count again.
 */
export function countingKeyOf({ all }: Generations, now: Date): SealingKey {
	const midnight = dayOf(now) * DAY_MS;
	return all.find(({ createdAt }) => createdAt < midnight) ?? all[all.length - 1];
}

const BLOCK_BYTES = 16;
/**
 * The MACs of one card are computed from two AES blocks: one with the digits that metadata shows, and one with the
 * whole number.
 */
const CARD_BYTES = 2 * BLOCK_BYTES;

/**
 * Computes the MACs by which look-ups are counted, for many cards at once. Without the account's fingerprint key
 * nothing about a card can be learned from them.
 */
export class AttemptCipher {
	readonly #cipher: Cipheriv;
	#blocks = Buffer.alloc(64 * CARD_BYTES);
	#length = 0;

	/** @param key is the account's fingerprint key; the key for these MACs is derived from it. */
	constructor({ secret }: Pick<SealingKey, 'secret'>) {
		const own = createHmac('sha256', secret).update('elimination attempts').digest();
		// For data that fits into one block, a single AES encryption is a MAC, and takes a hundredth of the time of an
		// HMAC.
		this.#cipher = createCipheriv('aes-256-ecb', own, null).setAutoPadding(false);
	}

	/** Copies a card, whose MACs the next call of `take` computes. */
	add({ digits, digitCount }: Pick<RecordFields, 'digits' | 'digitCount'>): void {
		if (this.#length === this.#blocks.length) this.#grow();
		const blocks = this.#blocks;
		const near = this.#length;
		const number = near + BLOCK_BYTES;
		blocks[near] = 1;
		for (let i = 0; i < 6; i++) blocks[near + 1 + i] = digits[i];
		for (let i = 0; i < 4; i++) blocks[near + 7 + i] = digits[digitCount - 4 + i];
		blocks[number] = 2;
		blocks[number + 1] = digitCount;
		// Two digits are packed into each byte, so the block has enough space even for the longest number, which has 22
		// digits.
		for (let i = 0; i < digitCount; i++) blocks[number + 2 + (i >> 1)] |= (digits[i] & 0x0f) << (i & 1 ? 0 : 4);
		this.#length += CARD_BYTES;
	}

	/**
	 * Returns the MACs of each card that was added since the last call, in the order of the cards, and wipes the cards.
	 */
	take(): Attempt[] {
		const macs = this.#cipher.update(this.#blocks.subarray(0, this.#length));
		this.#blocks.fill(0, 0, this.#length);
		this.#length = 0;
		return Array.from({ length: macs.length / CARD_BYTES }, (_, nth) => ({
			near: macs.readInt32LE(nth * CARD_BYTES),
			number: macs.readInt32LE(nth * CARD_BYTES + BLOCK_BYTES),
		}));
	}

	#grow(): void {
		const larger = Buffer.alloc(this.#blocks.length * 2);
		larger.set(this.#blocks);
		this.#blocks.fill(0);
		this.#blocks = larger;
	}
}

/**
 * Counts look-ups of cards before they are made. Returns a function that tells for each look-up whether it exceeds the
 * limit.
 */
export async function countAttempts(
	database: Database,
	whose: {
		readonly accountId: AccountId;
		readonly creatorId: AccountId;
		readonly now: Date;
		readonly lockWaitMs?: number;
	},
	attempts: readonly Attempt[],
	{ numbersPerDay, onPassed }: EliminationLimit = { numbersPerDay: DEFAULT_NUMBERS_PER_DAY },
): Promise<(attempt: Attempt) => boolean> {
	if (attempts.length === 0) return () => false;
	const store = eliminationStore(database);
	const { accountId, creatorId, now, lockWaitMs } = whose;
	const scope = { accountId, day: dayOf(now), lockWaitMs };
	const passed = await store.note(scope, distinct(attempts, numbersPerDay), numbersPerDay);
	if (passed.length === 0) return () => false;
	const pairs = await store.close(scope, passed);
	if (pairs > 0) await onPassed?.({ accountId, creatorId, pairs, numbersPerDay });
	const closed = new Set(passed);
	return ({ near }) => closed.has(near);
}

/**
 * Leaves out numbers that occur more than once. Of the different numbers with the same first six and last four digits,
 * it keeps only as many as are needed to exceed the limit.
 */
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

/**
 * Rows are deleted in steps of this many. After a day of large files there are many rows, and nothing else can use the
 * embedded database during a step.
 */
const PURGED_AT_ONCE = 5_000;

/** Removes the look-ups counted on past days, and returns how many there were. */
export async function purgeAttempts({ database, clock }: { database: Database; clock: Clock }): Promise<number> {
	const store = eliminationStore(database);
	let purged = 0;
	for (;;) {
		// The look-ups of yesterday are kept too, because on another daemon, whose clock is late, it may still be
		// yesterday.
		const count = await store.deleteBefore(dayOf(clock.now()) - 1, PURGED_AT_ONCE);
		purged += count;
		if (count < PURGED_AT_ONCE) return purged;
	}
}
