// Duplicate elimination in a file or batch: the same card gets the token it already has, from this account's earlier files or
// from a line above.

import type { BulkStore } from '../vault/bulk-store.ts';
import { fingerprintOf } from '../vault/fingerprint.ts';
import type { Placement } from '../vault/page-builder.ts';
import type { RecordFields } from '../vault/record-codec.ts';
import { TOKEN_BYTES } from '../vault/token.ts';
import type { Finding, Findings } from './format.ts';

/** What is known of one accepted card. */
export interface Known {
	readonly fingerprint: Buffer;
	readonly name: string;
	/** 16 bytes; undefined while no token stands for this card. */
	readonly token: Buffer | undefined;
}

/** Looks ahead over one window, then answers card by card in the same order. */
export class Duplicates {
	private readonly store: BulkStore;
	private noted: { fingerprint: Buffer; name: string }[] = [];
	private queue: { fingerprint: Buffer; name: string }[] = [];
	private at = 0;
	private tokens = new Map<string, Buffer>();

	constructor(store: BulkStore) {
		this.store = store;
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
		const fingerprint = fingerprintOf(this.store.fingerprintKey, record);
		this.noted.push({ fingerprint, name: fingerprint.toString('hex') });
	}

	/** Asks about every card noted since the last time; `take` gives the answers in the same order. */
	async lookUpNoted(): Promise<void> {
		this.queue = this.noted;
		this.noted = [];
		this.at = 0;
		// Cards of earlier windows must be there to be found; memory would not hold a file of millions.
		await this.store.flush();
		this.tokens = await this.store.findByFingerprints(this.queue.map((each) => each.fingerprint));
	}

	/** The next accepted card. */
	take(): Known {
		const next = this.queue[this.at++];
		return { ...next, token: this.tokens.get(next.name) };
	}

	/** A card that was new got its place. */
	remember(known: Known, placement: Placement): void {
		const token = Buffer.from(placement.tokens.subarray(placement.offset, placement.offset + TOKEN_BYTES));
		this.tokens.set(known.name, token);
		this.store.addFingerprint(placement, known.fingerprint);
	}
}
