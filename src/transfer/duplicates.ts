// Duplicate elimination in a file or batch: the same card gets the token it already has, from this account's earlier files or
// from a line above.

import { AttemptCipher } from '../vault/elimination.ts';
import type { Attempt } from '../vault/elimination-store.ts';
import { type Fingerprints, fingerprintsOf } from '../vault/fingerprint.ts';
import type { Placement } from '../vault/page-builder.ts';
import type { RecordFields } from '../vault/record-codec.ts';
import { TOKEN_BYTES } from '../vault/token.ts';
import type { CardStore } from '../vault/trial-store.ts';
import type { Finding, Findings } from './format.ts';

/** What is known of one accepted card. */
export interface Known {
	readonly fingerprints: Fingerprints;
	/** 16 bytes; undefined while no token stands for this card. */
	readonly token: Buffer | undefined;
	/** Too many numbers like it were looked for today: whether this one is known is not told, and it stays unknown. */
	readonly isLeftOut: boolean;
}

/** Looks ahead over one window, then answers card by card in the same order. */
export class Duplicates {
	private readonly store: CardStore;
	private readonly cipher: AttemptCipher;
	private noted: Fingerprints[] = [];
	private queue: Fingerprints[] = [];
	/** Of the queue, in its order. */
	private attempts: readonly Attempt[] = [];
	private at = 0;
	private tokens = new Map<string, Buffer>();
	private leftOut = 0;
	private isLeftOut: (attempt: Attempt) => boolean = () => false;

	constructor(store: CardStore) {
		this.store = store;
		this.cipher = new AttemptCipher(store.countingKey);
	}

	/** Asks the vault about every card of a window that will be accepted. */
	async lookUp(findings: Findings, accept: (finding: Finding) => RecordFields | null): Promise<void> {
		for (let i = 0; i < findings.length; i++) {
			const record = accept(findings.items[i]);
			if (record) this.note(record);
		}
		await this.lookUpNoted();
	}

	/** A card that will be accepted, to be looked up with others. */
	note(record: RecordFields): void {
		this.noted.push(fingerprintsOf(this.store.fingerprintKeys, record));
		this.cipher.add(record);
	}

	/** Asks about every card noted since the last time; `take` gives the answers in the same order. */
	async lookUpNoted(): Promise<void> {
		this.queue = this.noted;
		this.noted = [];
		this.at = 0;
		// Cards of earlier windows must be there to be found; memory would not hold a file of millions.
		await this.store.flush();
		this.attempts = this.cipher.take();
		this.isLeftOut = await this.store.countAttempts(this.attempts);
		const asked = this.queue.filter((_, nth) => !this.isLeftOut(this.attempts[nth]));
		this.tokens = await this.store.findByFingerprints(asked);
	}

	/** How many of them may not be looked for today. */
	countLeftOut(): number {
		return this.attempts.filter(this.isLeftOut).length;
	}

	/** The next accepted card. */
	take(): Known {
		const fingerprints = this.queue[this.at];
		const isLeftOut = this.isLeftOut(this.attempts[this.at++]);
		if (isLeftOut) this.leftOut++;
		return { fingerprints, isLeftOut, token: isLeftOut ? undefined : this.tokens.get(fingerprints.name) };
	}

	/** What is worth saying of the file as a whole. */
	notices(): string[] {
		if (this.leftOut === 0) return [];
		const why = 'too many different numbers with the same first six and last four digits came today';
		return [`${this.leftOut} cards got new tokens without a look for earlier ones: ${why}`];
	}

	/** A card that was new got its place. One that is left out gets no fingerprint: a later look must not tell it apart. */
	remember(known: Known, placement: Placement): void {
		if (known.isLeftOut) return;
		const token = Buffer.from(placement.tokens.subarray(placement.offset, placement.offset + TOKEN_BYTES));
		this.tokens.set(known.fingerprints.name, token);
		this.store.addFingerprint(placement, known.fingerprints);
	}
}
