// Reads and fills the bodies of messages to and from third parties. Small ones are handled in the main thread; large
// ones and those that take long are handled in worker threads, so that other requests need not wait.

import type { AccountId } from '../../database/ids.ts';
import type { ReadyProfile } from '../profile-document.ts';
import { OutOfPatience, withPatience } from '../selectors/patience.ts';
import type { OutgoingCard } from '../selectors/selectors.ts';
import { BodyPool, type BodyPoolOptions } from './body-pool.ts';
import type { BodyTask, FillTask, SelectorSource, TriedBody } from './body-task.ts';
import { doTask, fillBody } from './body-work.ts';
import { handedOver } from './handed-over.ts';
import { findCards, type ReadCards } from './read-cards.ts';
import { type Outcome, type Replacement, swapCards } from './swap-cards.ts';

/**
 * A body up to this size is read in the main thread: handing it to a worker thread and back costs some 0.1 ms, as much
 * as reading this many bytes.
 */
const SMALL_BYTES = 32_768;
/**
 * Card numbers that a third party repeats in a body are starred in the main thread if the size of the body times the
 * number of card numbers is at most this.
 */
const SMALL_ECHO_BYTES = 262_144;
/** If reading in the main thread takes longer than this, it is started again in a worker thread. */
const PATIENCE_MS = 8;

/** Holds a message: its body, the account it belongs to, and the profile with which it is read. */
export interface Message {
	/**
	 * The account to which the message belongs. If worker threads are busy with bodies of this account, its other bodies
	 * wait.
	 */
	readonly account: AccountId;
	readonly profile: ReadyProfile;
	readonly body: Buffer;
	readonly contentType?: string;
}

/**
 * Holds the result of reading a body. The caller must not use the original buffer any more, because it may have been
 * handed to a thread.
 */
export interface ReadBody {
	readonly cards: ReadCards;
	/** The body as it was received. */
	readonly body: Buffer;
	/**
	 * Returns the body with the given texts in place of card numbers, and with stars for every CVV except those of
	 * refused cards.
	 */
	swap(replacements: readonly Replacement[]): Promise<Buffer>;
}

/** Holds a body after cards were put into it. */
export interface FilledBody {
	readonly body: Buffer;
	/** The ordinals of those cards for whose CVV the body has a place. */
	readonly codes: readonly number[];
	/**
	 * Fills the same body with other cards. The places found in it are kept if the body was filled in the main thread; if
	 * it was filled in a thread, it is read again.
	 */
	refill(cards: readonly OutgoingCard[]): Promise<Buffer>;
}

/** Reads and fills bodies. Every method throws ServiceError `too-many-calls` if the memory for bodies is used up. */
export interface Bodies {
	/** Finds the cards in the body of a message. */
	read(message: Message, now: Date): Promise<ReadBody>;
	/**
	 * Returns the body with cards put into their places.
	 * @throws ServiceError('bad-input-data') if the body cannot be read or filled
	 */
	fill(message: Message, cards: readonly OutgoingCard[]): Promise<FilledBody>;
	/**
	 * Tries a profile on an example, always in a thread, because anybody may have written the profile.
	 * @throws ServiceError('bad-input-data') if the example cannot be read
	 */
	tryProfile(example: Message, now: Date): Promise<TriedBody>;
	/**
	 * Returns the body with stars in the given card numbers, which a third party may have repeated in it. The caller must
	 * not use the original buffer any more.
	 */
	withoutEchoes(echo: Omit<Message, 'profile'>, numbers: readonly string[]): Promise<Buffer>;
	/** The number of bytes used by bodies in threads. */
	readonly usedBytes: number;
	close(): Promise<void>;
}

/** Creates the object that reads and fills bodies; its threads start when they are needed. */
export function openBodies(options: BodyPoolOptions): Bodies {
	const pool = new BodyPool(options);
	const inThread = async (account: AccountId, task: BodyTask, bytes: Uint8Array<ArrayBuffer>) => {
		const result = await pool.run(account, task, bytes);
		return { ...result, bytes: Buffer.from(result.bytes.buffer, result.bytes.byteOffset, result.bytes.byteLength) };
	};
	return {
		async read(message, now) {
			const { account, profile, body, contentType } = message;
			const from = { body, kind: profile.body, selectors: profile.selectors, contentType };
			const here = isSmall(profile, body) && patiently(() => findCards(from, now));
			if (here) {
				const { found, read: cards } = here;
				return { cards, body, swap: async (replacements) => swapCards(body, found, outcomeOf(cards, replacements)) };
			}
			const source = sourceOf(profile);
			const read = await inThread(account, { kind: 'read', profile: source, contentType, now }, handedOver(body));
			return {
				cards: read.cards!,
				body: read.bytes,
				async swap(replacements) {
					const outcome = outcomeOf(read.cards!, replacements);
					if (replacements.length === 0 && !hasCodes(read.cards!)) return read.bytes;
					const task = { kind: 'swap', profile: source, contentType, outcome } as const;
					return (await inThread(account, task, handedOver(read.bytes))).bytes;
				},
			};
		},
		async fill({ account, profile, body, contentType }, cards) {
			const task: FillTask = { kind: 'fill', profile: sourceOf(profile), contentType, cards };
			const here =
				isSmall(profile, body) && patiently(() => fillBody(task, body as Buffer<ArrayBuffer>, profile.selectors));
			if (here) {
				const { bytes, codes, fillable } = here;
				return { body: bytes, codes, refill: async (others) => fillable.fill(others) };
			}
			// A copy of the body is handed to the thread, because the caller keeps using the body, and `refill` hands it over
			// again.
			const inOne = (given: readonly OutgoingCard[]) =>
				inThread(account, { ...task, cards: given }, new Uint8Array(body));
			const { bytes, codes } = await inOne(cards);
			return { body: bytes, codes: codes!, refill: async (others) => (await inOne(others)).bytes };
		},
		async tryProfile({ account, profile, body, contentType = profile.contentType }, now) {
			const { direction } = profile;
			const task = { kind: 'try', profile: { ...sourceOf(profile), direction }, contentType, now } as const;
			return (await inThread(account, task, handedOver(body))).tried!;
		},
		async withoutEchoes({ account, body, contentType }, numbers) {
			const task = { kind: 'echoes', contentType, numbers } as const;
			const isLittle = body.length * numbers.length <= SMALL_ECHO_BYTES;
			const result = isLittle
				? doTask(task, body as Buffer<ArrayBuffer>, never)
				: await inThread(account, task, handedOver(body));
			return result.bytes as Buffer;
		},
		get usedBytes() {
			return pool.usedBytes;
		},
		close: () => pool.close(),
	};
}

/**
 * Returns which cards of a body are replaced and which were refused. The list of refused cards has every card that was
 * not accepted, whichever cards are replaced.
 */
function outcomeOf(read: ReadCards, replacements: readonly Replacement[]): Outcome {
	const judged = read.kind === 'read' ? read.cards : [];
	return { replacements, refused: judged.filter(({ card }) => card === undefined).map(({ nth }) => nth) };
}

function hasCodes(read: ReadCards): boolean {
	return read.kind === 'read' && read.hasCodes;
}

function isSmall({ selectors }: ReadyProfile, body: Buffer): boolean {
	return !selectors.isHeavy && body.length <= SMALL_BYTES;
}

/** Runs work with a time limit; returns undefined if the work takes longer. */
function patiently<Result>(work: () => Result): Result | undefined {
	try {
		return withPatience(PATIENCE_MS, work);
	} catch (error) {
		if (error instanceof OutOfPatience) return undefined;
		throw error;
	}
}

/** Returns the parts of a profile that a thread needs, without its secrets. */
function sourceOf({ body, cards, namespaces }: ReadyProfile): SelectorSource {
	return { body, cards, namespaces };
}

function never(): never {
	throw new Error('internal error: echoes are found without selectors');
}
