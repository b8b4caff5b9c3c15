// Takes the place of the vault for one sample of a format: cards are only in memory, and their tokens lead to them.

import { createSecretKey, randomBytes } from 'node:crypto';
import type { Resolved } from '../../vault/cards/card-reader.ts';
import type { OpenedCvv } from '../../vault/cvvs/cvv.ts';
import type { CvvSpelling } from '../../vault/cvvs/cvv-seal.ts';
import type { Placement } from '../../vault/pages/page-builder.ts';
import { type RecordFields, recordLength, StoredRecord, writeRecord } from '../../vault/pages/record-codec.ts';
import { SALT_BYTES, TOKEN_BYTES, TokenCipher } from '../../vault/tokens/token.ts';
import { type CardStore, trialStore } from '../../vault/tokens/trial-store.ts';

interface KeptCard {
	readonly token: Buffer;
	readonly record: StoredRecord;
	cvv?: CvvSpelling;
}

/** Keeps the cards of one file. */
export class MemoryCards {
	readonly tokens: TokenCipher;
	readonly cards: KeptCard[] = [];
	readonly #byToken = new Map<string, KeptCard>();

	constructor() {
		const secret = createSecretKey(randomBytes(32));
		const key = { purpose: 'token', accountId: 0, generation: 1, createdAt: 0, secret } as const;
		this.tokens = new TokenCipher([{ ...key, id: 0 as never }]);
	}

	store(): CardStore {
		return {
			...trialStore(this.tokens),
			place: (fields) => this.#place(fields),
			addCvv: ({ slot }, digits, spelling) => {
				const { isBare, text } = spelling ?? { isBare: false, text: digits };
				this.cards[slot].cvv = { isBare, text: Buffer.from(text) };
			},
		};
	}

	async resolve(tokens: Buffer): Promise<(Resolved | undefined)[]> {
		const count = tokens.length / TOKEN_BYTES;
		return Array.from({ length: count }, (_, i) => {
			const card = this.#byToken.get(tokens.toString('hex', i * TOKEN_BYTES, (i + 1) * TOKEN_BYTES));
			return card && { page: undefined as never, slot: this.cards.indexOf(card), record: card.record, isOwner: true };
		});
	}

	async useForFile({ slot }: Pick<Resolved, 'slot'>): Promise<OpenedCvv | undefined> {
		const spelling = this.cards[slot].cvv;
		return spelling && { digits: Buffer.alloc(0), spelling, endsAtMs: 0, wipe() {} };
	}

	/** Does nothing: the cards of a sample are gone with this object. */
	wipe(): void {}

	#place(fields: RecordFields): Placement {
		const slot = this.cards.length;
		const salted = { id: slot + 1, salt: randomBytes(SALT_BYTES), token_generation: 1 };
		const token = this.tokens.tokenOf(salted, 0);
		const bytes = Buffer.alloc(recordLength(fields));
		writeRecord(bytes, 0, fields);
		const card = { token, record: new StoredRecord(bytes, 0) };
		this.cards.push(card);
		this.#byToken.set(token.toString('hex'), card);
		return { page: slot + 1, slot, tokens: token, offset: 0, isNew: true };
	}
}
