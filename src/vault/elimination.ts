// How often duplicate elimination may be asked. Whoever is given back a token the account already had knows that the number
// sent is the one behind it; metadata shows first six, last four and expiry, which leaves 100,000 numbers to try. So all
// different numbers looked for with the same first six and last four are counted a day, known ones too: whoever may store
// cards can make any number known beforehand.

import { createHmac } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { AccountId } from '../database/ids.ts';
import type { Database } from '../database/open.ts';
import type { SealingKey } from '../keys/key-ring.ts';
import { type Attempt, eliminationStore } from './elimination-store.ts';
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

/** MACs keep no more bytes than are needed to tell numbers of one day apart. */
const MAC_BYTES = 8;
const DAY_MS = 86_400_000;

export const dayOf = (now: Date): number => Math.floor(now.getTime() / DAY_MS);

/** What is counted of a card: nothing of it can be read without the account's fingerprint key. */
export function attemptOf(
	key: SealingKey,
	{ digits, digitCount }: Pick<RecordFields, 'digits' | 'digitCount'>,
): Attempt {
	const mac = (purpose: string, ...parts: Uint8Array[]) => {
		const hmac = createHmac('sha256', key.secret).update(purpose);
		for (const part of parts) hmac.update(part);
		return hmac.digest().subarray(0, MAC_BYTES);
	};
	return {
		near: mac('near|', digits.subarray(0, 6), digits.subarray(digitCount - 4, digitCount)),
		number: mac('number|', digits.subarray(0, digitCount)),
	};
}

/**
 * Counts cards before any of them is looked for, and says for each whether the limit leaves it out. What is counted is
 * committed before it is summed up, so that of two daemons that count at the same moment the later one sees both.
 */
export async function countAttempts(
	database: Database,
	whose: { readonly accountId: AccountId; readonly creatorId: AccountId; readonly now: Date },
	attempts: readonly Attempt[],
	{ numbersPerDay, onPassed }: EliminationLimit = { numbersPerDay: DEFAULT_NUMBERS_PER_DAY },
): Promise<(attempt: Attempt) => boolean> {
	if (attempts.length === 0) return () => false;
	const store = eliminationStore(database.knex, database.dialect);
	const { accountId, creatorId, now } = whose;
	const scope = { accountId, day: dayOf(now) };
	const { counted, nears } = distinct(attempts, numbersPerDay);
	await store.add(scope, counted, numbersPerDay);
	const passed = await store.findPassed(scope, nears, numbersPerDay);
	if (passed.length === 0) return () => false;
	const pairs = await store.close(scope, passed.sort(Buffer.compare));
	if (pairs > 0) await onPassed?.({ accountId, creatorId, pairs, numbersPerDay });
	const names = new Set(passed.map(nameOf));
	return ({ near }) => names.has(nameOf(near));
}

/** Each number once and sorted, so that daemons never wait for each other; of one pair no more than pass the limit. */
function distinct(attempts: readonly Attempt[], limit: number): { counted: Attempt[]; nears: Buffer[] } {
	const byNear = new Map<string, Map<string, Attempt>>();
	for (const attempt of attempts) {
		const name = nameOf(attempt.near);
		let numbers = byNear.get(name);
		if (!numbers) byNear.set(name, (numbers = new Map()));
		if (numbers.size <= limit) numbers.set(nameOf(attempt.number), attempt);
	}
	const sorted = [...byNear].sort(([a], [b]) => (a < b ? -1 : 1));
	const counted = sorted.flatMap(([, numbers]) =>
		[...numbers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, attempt]) => attempt),
	);
	return { counted, nears: sorted.map(([, numbers]) => numbers.values().next().value!.near) };
}

function nameOf(mac: Buffer): string {
	return mac.toString('latin1');
}

/** Rows deleted at once: after a day of large files there are many, and nothing else may use the embedded database meanwhile. */
const PURGED_AT_ONCE = 5_000;

/** Forgets what was counted on days that are over; returns how many numbers there were. */
export async function purgeAttempts({ database, clock }: { database: Database; clock: Clock }): Promise<number> {
	const store = eliminationStore(database.knex, database.dialect);
	let purged = 0;
	for (;;) {
		// Clocks of daemons differ: the day before is kept.
		const count = await store.deleteBefore(dayOf(clock.now()) - 1, PURGED_AT_ONCE);
		purged += count;
		if (count < PURGED_AT_ONCE) return purged;
	}
}
