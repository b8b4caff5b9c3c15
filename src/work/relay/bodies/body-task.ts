// Defines the messages to and from a thread for bodies. Bytes are transferred and not copied, so the sender cannot use
// them any more.

import type { FromThread } from '../../../base/threads/thread-slot.ts';
import type { DestinationSecrets } from '../partners/destination.ts';
import type { DestinationDocument } from '../partners/destination-document.ts';
import type { Profile, SelectorSource } from '../profiles/profile.ts';
import type { ParseOptions } from '../profiles/profile-document.ts';
import type { PlacedFault, ProfileProblem } from '../profiles/profile-problems.ts';
import type { Trial } from '../profiles/profile-trial.ts';
import type { CodePlaces, OutgoingCard, Span } from '../selectors/selectors.ts';
import type { ReadCards } from './read-cards.ts';

export type BodyTask =
	| ReadTask
	| FillTask
	| TryTask
	| ProfileTask
	| DestinationTask
	| { readonly kind: 'echoes'; readonly contentType?: string; readonly numbers: readonly string[] };

/** Finds and judges the cards of a body, and hides those that are accepted. */
export interface ReadTask {
	readonly kind: 'read';
	readonly profile: SelectorSource & Pick<Profile, 'inPlace'>;
	readonly contentType?: string;
	readonly now: Date;
}

export interface FillTask {
	readonly kind: 'fill';
	readonly profile: SelectorSource;
	readonly contentType?: string;
	readonly cards: readonly OutgoingCard[];
}

/** Tries a profile on an example; nothing of it is stored or sent. */
export interface TryTask {
	readonly kind: 'try';
	readonly profile: SelectorSource & Pick<Profile, 'direction'>;
	readonly contentType?: string;
	readonly now: Date;
}

/** Reads the text of a profile, which is the body. */
export interface ProfileTask {
	readonly kind: 'profile';
	readonly options: ParseOptions;
}

/** Reads the text of a destination, which is the body. Secrets given apart replace those of the text. */
export interface DestinationTask {
	readonly kind: 'destination';
	readonly apart: DestinationSecrets;
}

/** The result of trying a profile on an example: the cards found, and the byte ranges of their parts. */
export interface TriedBody {
	readonly trial: Trial;
	readonly spans: readonly Span[];
}

/** Holds the result of a task. `bytes` is the body, changed or not. */
export interface BodyResult {
	readonly bytes: Uint8Array<ArrayBuffer>;
	/** If the task read a body: its cards. The accepted ones are hidden in `bytes`. */
	readonly cards?: ReadCards;
	/**
	 * If the task read a body: the byte offsets in `bytes` at which the main thread writes tokens, once it has stored the
	 * cards (see `HiddenCards`).
	 */
	readonly tokenOffsets?: Uint32Array;
	readonly tried?: TriedBody;
	/** If the task read a profile: the profile, or everything that is wrong with its text. */
	readonly parsed?: { readonly profile: Profile } | { readonly problems: readonly ProfileProblem[] };
	/** If the task read a destination: the destination, or everything that is wrong with its text. */
	readonly destination?: DestinationDocument | { readonly faults: readonly PlacedFault[] };
	/** If the task filled a body: the ordinals of those cards for whose CVV the body has a place. */
	readonly codes?: readonly number[];
	/** Of a filled body: the places in `bytes` for CVVs, to write them without reading the body again. */
	readonly codePlaces?: CodePlaces;
}

export interface ToBodyThread {
	readonly task: BodyTask;
	readonly bytes: Uint8Array<ArrayBuffer>;
}

export type FromBodyThread = FromThread<BodyResult>;

/** A buffer up to this size may share a memory pool with others, which must not be transferred. */
const MAX_SHARED_BYTES = 65_536;

/** Returns the bytes in memory that can be transferred to a thread: large ones as they are, small ones copied. */
export function handedOver(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
	const { buffer, byteOffset, byteLength } = bytes;
	if (byteLength <= MAX_SHARED_BYTES || !(buffer instanceof ArrayBuffer)) return new Uint8Array(bytes);
	return new Uint8Array(buffer, byteOffset, byteLength);
}
