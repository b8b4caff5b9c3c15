// Reads and fills the bodies of messages to and from third parties. Small ones are handled in the main thread; large
// ones and those that take long are handled in worker threads, so that other requests need not wait.

import type { AccountId } from '../../../base/database/ids.ts';
import type { Token } from '../../../vault/tokens/token.ts';
import type { DestinationSecrets } from '../partners/destination.ts';
import type { Profile, SelectorSource } from '../profiles/profile.ts';
import type { ParseOptions } from '../profiles/profile-document.ts';
import { DestinationError, ProfileError } from '../profiles/profile-problems.ts';
import { OutOfPatience, withPatience } from '../selectors/patience.ts';
import { compileSelectors, type OutgoingCard, type Selectors, writeCodes } from '../selectors/selectors.ts';
import { BodyPool, type BodyPoolOptions } from './body-pool.ts';
import { type BodyResult, type BodyTask, type FillTask, handedOver, type ReadTask } from './body-task.ts';
import { doTask } from './body-work.ts';
import { writeTokens } from './hide-cards.ts';
import type { ReadCards } from './read-cards.ts';

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
/**
 * The selectors of a profile are compiled in the main thread if they have at most this many characters, all together. Longer
 * ones can take seconds, so bodies of such a profile are always read in threads.
 */
const LIGHT_CHARACTERS = 2_000;

/** Holds a message: its body, the account it belongs to, and the profile with which it is read. */
export interface Message {
	/** The account of the message. If worker threads are busy with its bodies, its other bodies wait. */
	readonly account: AccountId;
	readonly profile: Profile;
	readonly body: Buffer;
	readonly contentType?: string;
}

/** Holds the cards that were found in a body, and gives the body without their numbers. */
export interface ReadBody {
	readonly cards: ReadCards;
	/**
	 * Returns the body without card numbers: with masked numbers or, if the profile says `inPlace: token`, with the given
	 * tokens of the accepted cards, in their order. Every CVV except those of refused cards is starred. A body that could
	 * not be read is returned unchanged.
	 */
	hidden(tokens: readonly Token[]): Buffer;
}

export type FilledBody = Awaited<ReturnType<Bodies['fill']>>;

export type Bodies = ReturnType<typeof openBodies>;

/**
 * Creates the object that reads and fills bodies; its threads start when they are needed. Every method throws ServiceError
 * `too-many-calls` if the memory for bodies is used up.
 */
export function openBodies(options: BodyPoolOptions) {
	const pool = new BodyPool(options);
	const inThread = async (account: AccountId, task: BodyTask, bytes: Uint8Array<ArrayBuffer>) => {
		const result = await pool.run(account, task, bytes);
		return { ...result, bytes: Buffer.from(result.bytes.buffer, result.bytes.byteOffset, result.bytes.byteLength) };
	};
	return {
		/** The caller must not use the original buffer any more, because it may have been handed to a thread. */
		async read({ account, profile, body, contentType }: Message, now: Date): Promise<ReadBody> {
			const source = { ...sourceOf(profile), inPlace: profile.inPlace };
			const task: ReadTask = { kind: 'read', profile: source, contentType, now };
			const read = quickly(profile, task, body) ?? (await inThread(account, task, handedOver(body)));
			const { cards, tokenOffsets } = read;
			const bytes = read.bytes as Buffer;
			return {
				cards: cards!,
				hidden(tokens) {
					if (tokenOffsets) writeTokens({ bytes, tokenOffsets }, tokens);
					return bytes;
				},
			};
		},
		/**
		 * Returns the body with cards put into their places.
		 * @throws ServiceError('bad-input-data') if the body cannot be read or filled
		 */
		async fill({ account, profile, body, contentType }: Message, cards: readonly OutgoingCard[]) {
			const task: FillTask = { kind: 'fill', profile: sourceOf(profile), contentType, cards };
			// A copy of the body is handed to the thread, because the caller keeps the original.
			const filled = quickly(profile, task, body) ?? (await inThread(account, task, new Uint8Array(body)));
			const bytes = filled.bytes as Buffer;
			return {
				body: bytes,
				/** The ordinals of those cards for whose CVV the body has a place. */
				codes: filled.codes!,
				/** Returns another body that also has CVVs: `codes[i]` is that of the i-th card, if it has one. */
				withCodes: (codes: readonly (string | undefined)[]) => writeCodes(bytes, filled.codePlaces!, codes),
			};
		},
		/**
		 * Tries a profile on an example, always in a thread, because anybody may have written the profile.
		 * @throws ServiceError('bad-input-data') if the example cannot be read
		 */
		async tryProfile({ account, profile, body, contentType = profile.contentType }: Message, now: Date) {
			const { direction } = profile;
			const task = { kind: 'try', profile: { ...sourceOf(profile), direction }, contentType, now } as const;
			return (await inThread(account, task, handedOver(body))).tried!;
		},
		/**
		 * Reads the text of a profile, always in a thread, because even a short text can take seconds.
		 * @throws ProfileError with every problem found
		 */
		async parseProfile(account: AccountId, text: string, options: ParseOptions): Promise<Profile> {
			const parsed = (await inThread(account, { kind: 'profile', options }, handedOver(Buffer.from(text)))).parsed!;
			if ('problems' in parsed) throw new ProfileError(parsed.problems, options.source);
			return parsed.profile;
		},
		/**
		 * Reads the text of a destination. Secrets given apart replace those of the text.
		 * @throws ServiceError with a line for each problem
		 */
		async parseDestination(account: AccountId, text: string, apart: DestinationSecrets = {}) {
			const task = { kind: 'destination', apart } as const;
			const destination = (await inThread(account, task, handedOver(Buffer.from(text)))).destination!;
			if ('faults' in destination) throw new DestinationError(destination.faults);
			return destination;
		},
		/**
		 * Returns the body with stars in the given card numbers, which a third party may have repeated in it. The caller must
		 * not use the original buffer any more.
		 */
		async withoutEchoes({ account, body, contentType }: Omit<Message, 'profile'>, numbers: readonly string[]) {
			const task = { kind: 'echoes', contentType, numbers } as const;
			const isLittle = body.length * numbers.length <= SMALL_ECHO_BYTES;
			const result = isLittle
				? doTask(task, body as Buffer<ArrayBuffer>, never)
				: await inThread(account, task, handedOver(body));
			return result.bytes as Buffer;
		},
		get usedBytes(): number {
			return pool.usedBytes;
		},
		close: () => pool.close(),
	};
}

/** Does a task in the main thread. Returns undefined if it has to be done in a worker thread, because it takes long. */
function quickly(profile: Profile, task: ReadTask | FillTask, body: Buffer): BodyResult | undefined {
	const selectors = body.length > SMALL_BYTES ? undefined : lightSelectors(profile);
	if (selectors === undefined || selectors.isHeavy) return undefined;
	try {
		return withPatience(PATIENCE_MS, () => doTask(task, body as Buffer<ArrayBuffer>, () => selectors));
	} catch (error) {
		if (error instanceof OutOfPatience) return undefined;
		throw error;
	}
}

/** Holds the selectors of profiles that are light; undefined for the others. */
const compiled = new WeakMap<Profile, Selectors | undefined>();

/** Returns the selectors of a profile, or undefined if compiling them in the main thread could take long. */
function lightSelectors(profile: Profile): Selectors | undefined {
	if (!compiled.has(profile)) {
		const characters = JSON.stringify(profile.cards).length;
		compiled.set(profile, characters > LIGHT_CHARACTERS ? undefined : compileSelectors(profile));
	}
	return compiled.get(profile);
}

/** Returns the parts of a profile that a thread needs, without its secrets. */
function sourceOf({ body, cards, namespaces }: Profile): SelectorSource {
	return { body, cards, namespaces };
}

function never(): never {
	throw new Error('internal error: echoes are found without selectors');
}
