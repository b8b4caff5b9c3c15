// Limits how often duplicate elimination may be used. A caller who gets back an existing token learns that the number
// sent is the number of that token, and metadata shows the first six digits, the last four and the expiry, which leaves
// 100,000 numbers to guess from. So all different numbers looked up with the same first six and last four are counted
// per day. Numbers that are already stored are counted too, because a caller who may store cards can store any number
// beforehand.

import { type Cipheriv, createCipheriv, createHmac } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { AccountId } from '../database/ids.ts';
import type { Database } from '../database/open.ts';
import type { Generations } from '../keys/generations.ts';
import type { SealingKey } from '../keys/key-ring.ts';
import { type Asked, type Attempt, eliminationStore } from './elimination-store.ts';
import type { RecordFields } from './record-codec.ts';

/**
 * The default number of different numbers with the same first six and last four that an account may look up in a day.
 */
const DEFAULT_NUMBERS_PER_DAY = 20;

/** The text for a card that is refused because of the limit on duplicate elimination. */
export const ELIMINATION_LIMIT_PASSED =
	'Too many different numbers with the same first six and last four digits were looked for today: store the card without eliminateCardDuplication';

/**
 * Describes a user who has exceeded the limit on duplicate elimination, for the first time today, with some pairs of
 * first six and last four digits.
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
	 * This function is called once a day for every pair of first six and last four digits that exceeds the limit, over
	 * all daemons, before any answer is given.
	 */
	onPassed?(passed: LimitPassed): Promise<void>;
}

const DAY_MS = 86_400_000;

export const dayOf = (now: Date): number => Math.floor(now.getTime() / DAY_MS);

/**
 * Returns the generation of the fingerprint key under which look-ups are counted today: the newest from before today,
 * or else the first one. So a rotation during the day does not restart a count.
 */
export function countingKeyOf({ all }: Generations, now: Date): SealingKey {
	const midnight = dayOf(now) * DAY_MS;
	return all.find(({ createdAt }) => createdAt < midnight) ?? all[all.length - 1];
}

const BLOCK_BYTES = 16;
/** A card takes two AES blocks: one for the digits that the metadata shows, and one for the whole number. */
const CARD_BYTES = 2 * BLOCK_BYTES;

/**
 * Computes the MACs by which look-ups are counted, for many cards at once. Without the account's fingerprint key
 * nothing about a card can be learned from them.
 */
export class AttemptCipher {
	readonly #cipher: Cipheriv;
	#blocks = Buffer.alloc(64 * CARD_BYTES);
	#length = 0;

	/** @param key is the fingerprint key, from which a separate key is derived. */
	constructor({ secret }: Pick<SealingKey, 'secret'>) {
		const own = createHmac('sha256', secret).update('elimination attempts').digest();
		// One AES block is a MAC of data that fits into a block, at a hundredth of the cost of an HMAC.
		this.#cipher = createCipheriv('aes-256-ecb', own, null).setAutoPadding(false);
	}

	/** Copies a card for the next `take`. */
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
		// Each byte holds two digits, which is enough room because a number has at most 22.
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

/** Counts the look-ups of cards before they take place. Returns a function that tells whether a look-up exceeds the limit. */
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

/**
 * Removes repeated numbers. Of those with the same first six and last four digits, it keeps only as many as are needed
 * to exceed the limit.
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
		// The look-ups of the day before are kept too, because the clocks of daemons differ.
		const count = await store.deleteBefore(dayOf(clock.now()) - 1, PURGED_AT_ONCE);
		purged += count;
		if (count < PURGED_AT_ONCE) return purged;
	}
}
