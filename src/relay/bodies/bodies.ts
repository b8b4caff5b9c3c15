// The bodies of messages to and from third parties: small ones are read at once, large ones and those that take long in
// threads, where they hold up nobody else.

import type { AccountId } from '../../database/ids.ts';
import type { ReadyProfile } from '../profile-document.ts';
import { OutOfPatience, withPatience } from '../selectors/patience.ts';
import type { OutgoingCard } from '../selectors/selectors.ts';
import { BodyPool, type BodyPoolOptions } from './body-pool.ts';
import type { BodyTask, FillTask, SelectorSource } from './body-task.ts';
import { doTask, fillBody } from './body-work.ts';
import { handedOver } from './handed-over.ts';
import { findCards, type ReadCards } from './read-cards.ts';
import { type Outcome, type Replacement, swapCards } from './swap-cards.ts';

/** Handing a body to a thread and back costs some 0.1 ms: as much as reading so many bytes. */
const SMALL_BYTES = 32_768;
/** Times the numbers that are looked for. */
const SMALL_ECHO_BYTES = 262_144;
/** What takes longer here is begun anew in a thread. */
const PATIENCE_MS = 8;

/** A body, whose it is and how it is read. */
export interface Message {
	/** Whose bodies wait for each other. */
	readonly account: AccountId;
	readonly profile: ReadyProfile;
	readonly body: Buffer;
	readonly contentType?: string;
}

/** A body that was read. The one that was given is used up: it may have been handed to a thread. */
export interface ReadBody {
	readonly cards: ReadCards;
	/** As it came. */
	readonly body: Buffer;
	/** With texts in place of card numbers, and stars for every CVV but those of cards that were refused. */
	swap(replacements: readonly Replacement[]): Promise<Buffer>;
}

/** A body with cards in their places. */
export interface FilledBody {
	readonly body: Buffer;
	/** The ordinals of the cards, of those given, for whose CVV the body has a place. */
	readonly codes: readonly number[];
	/** The same body with other cards: read once more only where that is done in a thread. */
	refill(cards: readonly OutgoingCard[]): Promise<Buffer>;
}

/** All of them throw ServiceError `too-many-calls` when the memory for bodies is used up. */
export interface Bodies {
	/** Finds the cards of a body. */
	read(message: Message, now: Date): Promise<ReadBody>;
	/** The body with cards in their places. @throws ServiceError('bad-input-data') as selectors do */
	fill(message: Message, cards: readonly OutgoingCard[]): Promise<FilledBody>;
	/** The body without repetitions of numbers; the one that was given is used up. */
	withoutEchoes(echo: Omit<Message, 'profile'>, numbers: readonly string[]): Promise<Buffer>;
	/** Bytes that bodies in threads take. */
	readonly usedBytes: number;
	close(): Promise<void>;
}

/** Threads start when they are needed. */
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
			// The body stays with the caller, so a copy is handed over.
			const inOne = (given: readonly OutgoingCard[]) =>
				inThread(account, { ...task, cards: given }, new Uint8Array(body));
			const { bytes, codes } = await inOne(cards);
			return { body: bytes, codes: codes!, refill: async (others) => (await inOne(others)).bytes };
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

/** A card that was not accepted is refused, whatever is done with the others. */
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

/** Undefined where it takes too long. */
function patiently<Result>(work: () => Result): Result | undefined {
	try {
		return withPatience(PATIENCE_MS, work);
	} catch (error) {
		if (error instanceof OutOfPatience) return undefined;
		throw error;
	}
}

/** What a thread needs of a profile; nothing of its secrets. */
function sourceOf({ body, cards, namespaces }: ReadyProfile): SelectorSource {
	return { body, cards, namespaces };
}

function never(): never {
	throw new Error('internal error: echoes are found without selectors');
}
