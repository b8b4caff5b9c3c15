// What a thread for bodies is asked and answers. Bytes are handed over, not copied: whoever sends them has them no more.

import type { Profile } from '../profile.ts';
import type { OutgoingCard } from '../selectors/selectors.ts';
import type { ReadCards } from './read-cards.ts';
import type { Outcome } from './swap-cards.ts';

/** What selectors are compiled from. */
export type SelectorSource = Pick<Profile, 'body' | 'cards' | 'namespaces'>;

/** What is to be done with a body. */
export type BodyTask =
	| { readonly kind: 'read'; readonly profile: SelectorSource; readonly contentType?: string; readonly now: Date }
	| {
			readonly kind: 'swap';
			readonly profile: SelectorSource;
			readonly contentType?: string;
			readonly outcome: Outcome;
	  }
	| FillTask
	| { readonly kind: 'echoes'; readonly contentType?: string; readonly numbers: readonly string[] };

export interface FillTask {
	readonly kind: 'fill';
	readonly profile: SelectorSource;
	readonly contentType?: string;
	readonly cards: readonly OutgoingCard[];
}

/** What came of it. `bytes` is the body that went in, or what became of it. */
export interface BodyResult {
	readonly bytes: Uint8Array<ArrayBuffer>;
	readonly cards?: ReadCards;
	/** Of a body that was filled: the ordinals of the cards for whose CVV it has a place. */
	readonly codes?: readonly number[];
}

export interface ToBodyThread {
	readonly task: BodyTask;
	readonly bytes: Uint8Array<ArrayBuffer>;
}

export type FromBodyThread =
	| { readonly kind: 'done'; readonly result: BodyResult }
	/** A `ServiceError`; without a reason a bug, whose text stays in the thread that had it. */
	| { readonly kind: 'refused'; readonly reason: string; readonly moreInfo?: string }
	| { readonly kind: 'broken'; readonly name: string };
