// Eliminates duplicates in a file or batch: the same card gets the token that it already has, from an earlier file of
// the account or an earlier line.

import { AttemptCipher } from '../vault/elimination.ts';
import type { Attempt } from '../vault/elimination-store.ts';
import { type Fingerprints, fingerprintsOf } from '../vault/fingerprint.ts';
import type { Placement } from '../vault/page-builder.ts';
import type { RecordFields } from '../vault/record-codec.ts';
import { TOKEN_BYTES } from '../vault/token.ts';
import type { CardStore } from '../vault/trial-store.ts';
import type { Finding, Findings } from './format.ts';

/** The result of the look-up of one accepted card. */
export interface Known {
	readonly fingerprints: Fingerprints;
	/** The token as 16 bytes; undefined if this card has none yet. */
	readonly token: Buffer | undefined;
	/**
	 * True if this card was not looked up, because too many numbers with the same first six and last four digits were
	 * looked up today. Otherwise an earlier token could show that a guessed number is stored.
	 */
	readonly isLeftOut: boolean;
}

/** Looks up all cards of one window together, then gives the result for one card after the other in the same order. */
export class Duplicates {
	readonly #store: CardStore;
	readonly #cipher: AttemptCipher;
	#noted: Fingerprints[] = [];
	#queue: Fingerprints[] = [];
	/**
	 * One entry for each card of the last look-up, in the same order, by which look-ups are counted against the daily
	 * limit.
	 */
	#attempts: readonly Attempt[] = [];
	#at = 0;
	#tokens = new Map<string, Buffer>();
	#leftOut = 0;
	#isLeftOut: (attempt: Attempt) => boolean = () => false;

	constructor(store: CardStore) {
		this.#store = store;
		this.#cipher = new AttemptCipher(store.countingKey);
	}

	/**
	 * Looks up the cards of a window. `accept` returns the record to store for a finding, or null if the finding is not
	 * accepted as a card.
	 */
	async lookUp(findings: Findings, accept: (finding: Finding) => RecordFields | null): Promise<void> {
		for (let i = 0; i < findings.length; i++) {
			const record = accept(findings.items[i]);
			if (record) this.note(record);
		}
		await this.lookUpNoted();
	}

	/** Adds an accepted card to those that the next `lookUpNoted` looks up. */
	note(record: RecordFields): void {
		this.#noted.push(fingerprintsOf(this.#store.fingerprintKeys, record));
		this.#cipher.add(record);
	}

	/**
	 * Looks up every card that `note` has added since the last call. Afterwards `take` returns the results in the same
	 * order.
	 */
	async lookUpNoted(): Promise<void> {
		this.#queue = this.#noted;
		this.#noted = [];
		this.#at = 0;
		// The cards of earlier windows are stored before the look-up, so that it finds them in the database. They are not
		// kept in memory, because a huge file may have more cards than memory can hold.
		await this.#store.flush();
		this.#attempts = this.#cipher.take();
		this.#isLeftOut = await this.#store.countAttempts(this.#attempts);
		const asked = this.#queue.filter((_, nth) => !this.#isLeftOut(this.#attempts[nth]));
		this.#tokens = await this.#store.findByFingerprints(asked);
	}

	/** Returns for how many cards of the last call of `lookUpNoted` the daily limit did not allow a look-up. */
	countLeftOut(): number {
		return this.#attempts.filter(this.#isLeftOut).length;
	}

	/** Returns the result of the look-up for the next card, in the order in which the cards were added. */
	take(): Known {
		const fingerprints = this.#queue[this.#at];
		const isLeftOut = this.#isLeftOut(this.#attempts[this.#at++]);
		if (isLeftOut) this.#leftOut++;
		return { fingerprints, isLeftOut, token: isLeftOut ? undefined : this.#tokens.get(fingerprints.name) };
	}

	/** Returns the notices about the file as a whole. */
	notices(): string[] {
		if (this.#leftOut === 0) return [];
		const why = 'too many different numbers with the same first six and last four digits came today';
		return [`${this.#leftOut} cards got new tokens without a look for earlier ones: ${why}`];
	}

	/**
	 * Remembers a new card that was stored, so that the same card gets its token again. A card that was left out of the
	 * look-up gets no fingerprint, so no later look-up finds it.
	 */
	remember(known: Known, placement: Placement): void {
		if (known.isLeftOut) return;
		const token = Buffer.from(placement.tokens.subarray(placement.offset, placement.offset + TOKEN_BYTES));
		this.#tokens.set(known.fingerprints.name, token);
		this.#store.addFingerprint(placement, known.fingerprints);
	}
}
