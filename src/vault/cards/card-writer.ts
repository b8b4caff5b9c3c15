// The only writer of cards. It puts records into pages, eliminates duplicates and builds the rows that stand beside a
// card. A policy that is given to it decides when the rows are committed: `GroupCommit` commits single cards together,
// and `BulkCommit` inserts the rows of a file or batch while it is read.

import type { Knex } from 'knex';
import type { Clock } from '../../base/clock.ts';
import { transact } from '../../base/database/dialect.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import { type Generations, liveGenerations } from '../../base/keys/generations.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { type CvvSpelling, sealCvv } from '../cvvs/cvv-seal.ts';
import { PageBuilder, type PageOrigin, type Placement } from '../pages/page-builder.ts';
import { PageIds } from '../pages/page-ids.ts';
import { type AnyPageOwner, passIdOf, writerOf } from '../pages/page-owner.ts';
import { pageStore } from '../pages/page-store.ts';
import type { PageKind, RecordFields } from '../pages/record-codec.ts';
import { WHOLE_PAGE } from '../tokens/association-store.ts';
import { associationRow } from '../tokens/associations.ts';
import { LiveTokens } from '../tokens/live-tokens.ts';
import { TOKEN_BYTES, type TokenCipher } from '../tokens/token.ts';
import type { CardTable, CardValues, RecordPlace } from './card-rows.ts';
import { fingerprintValues, newCvvRow, removalRow, valuesOf } from './card-rows.ts';
import { Duplicates, inTurn } from './duplicates.ts';
import type { EliminationLimit } from './elimination.ts';
import type { Fingerprints } from './fingerprint.ts';
import { fingerprintStore } from './fingerprint-store.ts';

/** Decides when the rows of new cards are inserted and committed. */
export interface CommitPolicy {
	/** Takes a row, whose values are in the order of `CARD_COLUMNS`. */
	add<Table extends CardTable>(table: Table, values: CardValues<Table>): void;
	/** Starts to insert rows if many wait. It waits only while too many earlier inserts are unfinished. */
	drain?(): Promise<void>;
	/** Inserts all rows, so that look-ups find them. */
	flush?(): Promise<void>;
}

/** Returns keys that a process keeps up to date for all its writers, so that a writer for a small file reads none. */
export function followKeys(parts: { readonly database: Database; readonly keyRing: KeyRing; readonly clock: Clock }) {
	return { tokens: new LiveTokens(parts), fingerprints: liveGenerations(parts, 'fingerprint') };
}

/** The options of a card writer. They include the pass that owns its pages and can drop them until they are adopted. */
export type CardWriterOptions = AnyPageOwner & {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly clock: Clock;
	readonly commit: CommitPolicy;
	/** The account that owns the cards; `creatorId` is the user of that account who sends them. */
	readonly accountId: AccountId;
	readonly creatorId: AccountId;
	/** All cards are associated with this merchant. */
	readonly merchantId?: AccountId;
	readonly now: Date;
	/** The kind of the pages; cards by default. */
	readonly kind?: PageKind;
	readonly eliminatesDuplicates?: boolean;
	/** The daily limit on how many different numbers may be looked up as possible duplicates. */
	readonly elimination?: EliminationLimit;
	/** On PostgreSQL, look-ups wait so long for a lock and then fail (`isLockTimeout`); without it, however long it takes. */
	readonly lockWaitMs?: number;
	/** Without these keys, the writer reads keys from the database. */
	readonly followed?: ReturnType<typeof followKeys>;
	/** The page ids that the writer shares with other writers; by default it has its own. */
	readonly ids?: PageIds;
	/** False if no CVV will be added, so that the account needs no key for CVVs. */
	readonly keepsCvv?: boolean;
};

/** Opens a card writer. It need not be closed; `wipe` clears its memory. */
export async function openCardWriter(options: CardWriterOptions): Promise<CardWriter> {
	return new CardWriter(options, await keysOf(options));
}

type Keys = Awaited<ReturnType<typeof keysOf>>;

async function keysOf(options: CardWriterOptions) {
	const { keyRing, accountId, keepsCvv = true, followed = followKeys(options) } = options;
	return {
		data: await keyRing.current('data', accountId),
		cvv: keepsCvv ? await keyRing.current('cvv', accountId) : undefined,
		fingerprints: followed.fingerprints,
		generations: await followed.fingerprints.of(accountId),
		tokens: await followed.tokens.current(),
		sealer: await keyRing.seals.sealer(),
	};
}

/**
 * Writes the cards of one user. After `reserve(n)`, up to n cards are placed synchronously, because waiting for each card
 * would slow down the reading of a file. To eliminate duplicates, the cards are noted in between and looked up together,
 * and each is taken when it is placed, in the same order. This is repeated as often as needed. At any time, `flush`
 * inserts what was placed, and `settle` makes it permanent too; `wipe` ends the writer.
 */
export class CardWriter {
	readonly tokens: TokenCipher;
	readonly accountId: AccountId;
	/** The keys under which fingerprints of cards are computed, as of the last `reserve`. */
	fingerprintKeys: Generations;
	/** Null unless the writer eliminates duplicates. */
	readonly duplicates: Duplicates | null;
	readonly #options: CardWriterOptions;
	readonly #keys: Keys;
	readonly #ids: PageIds;
	readonly #builder: PageBuilder;
	readonly #earlier: Placement = { page: 0, slot: 0, tokens: Buffer.alloc(0), offset: 0, isNew: false };

	constructor(options: CardWriterOptions, keys: Keys) {
		const { accountId, creatorId, merchantId, kind, commit, ids = new PageIds(options.database, options) } = options;
		this.#options = options;
		this.#keys = keys;
		this.tokens = keys.tokens;
		this.accountId = accountId;
		this.fingerprintKeys = keys.generations;
		this.duplicates = options.eliminatesDuplicates ? new Duplicates(this, options) : null;
		this.#ids = ids;
		this.#builder = new PageBuilder({
			accountId,
			origin: { creatorId, createdAt: options.now.getTime() },
			kind,
			writer: writerOf(options),
			key: keys.data,
			tokens: keys.tokens,
			ids,
			onPage: (page) => {
				commit.add('pages', valuesOf('pages', page));
				if (merchantId !== undefined) this.addAssociation({ page: page.id, slot: WHOLE_PAGE }, merchantId);
			},
		});
	}

	/** Reserves page ids for up to `count` cards and updates the fingerprint keys, so that placing a card needs no query. */
	async reserve(count: number): Promise<void> {
		this.fingerprintKeys = await this.#keys.fingerprints.of(this.accountId);
		await this.#ids.reserve(count);
	}

	/**
	 * Says who stored the records that are placed from now on, and when. Without it, these are the creator of the options and
	 * the present time.
	 */
	from(origin: PageOrigin): void {
		this.#builder.from(origin);
	}

	/**
	 * Stores a card, or finds its earlier token if it was looked up. A card that was left out of the look-up (null) gets no
	 * fingerprint, so no later look-up finds it. The next call overwrites the returned object.
	 */
	place(card: RecordFields, lookedUp?: Fingerprints | null): Placement {
		const earlier = lookedUp && this.duplicates!.findToken(lookedUp);
		if (earlier) {
			this.#earlier.tokens = earlier;
			return this.#earlier;
		}
		const placement = this.#builder.add(card);
		if (card.token) {
			const { page, slot } = placement;
			this.#options.commit.add('foreign_tokens', [Buffer.from(card.token), page, slot]);
		}
		if (lookedUp) {
			const { tokens, offset } = placement;
			this.duplicates!.remember(lookedUp, Buffer.from(tokens.subarray(offset, offset + TOKEN_BYTES)));
			this.addFingerprint(placement, lookedUp);
		}
		return placement;
	}

	/** Stores the fingerprint of a card, so that later look-ups find it. */
	addFingerprint(place: RecordPlace, fingerprints: Fingerprints): void {
		this.#options.commit.add('fingerprints', fingerprintValues(this.accountId, place, fingerprints));
	}

	/** Stores the reference that the caller has chosen for a card. */
	addReference({ page, slot }: RecordPlace, reference: string): void {
		this.#options.commit.add('token_refs', [this.accountId, reference, page, slot]);
	}

	/** Lets a merchant use a card, or the whole page if `slot` is `WHOLE_PAGE`. */
	addAssociation({ page, slot }: RecordPlace, merchantId: AccountId): void {
		const row = associationRow(this.#keys.sealer, page, slot, merchantId, 0);
		const created_at = this.#options.now.getTime();
		this.#options.commit.add('associations', valuesOf('associations', { ...row, created_at }));
	}

	/** Stores the CVV of a card under the default policy. The caller has checked that the account may keep CVVs. */
	addCvv({ page, slot }: RecordPlace, digits: Uint8Array, spelling?: CvvSpelling): void {
		const { cvv, sealer } = this.#keys;
		const place = { accountId: this.accountId, page, slot };
		const sealed = sealCvv(cvv!, digits, place, spelling);
		const row = newCvvRow(sealer, cvv!.id, place, sealed, this.#options.now.getTime());
		this.#options.commit.add('cvvs', valuesOf('cvvs', row));
	}

	/** Has retention remove a card at a time, as a policy says that was made for its CVV. */
	addRemoval({ page, slot }: RecordPlace, at: Date): void {
		const { data, sealer } = this.#keys;
		const row = removalRow(sealer, data.id, { accountId: this.accountId, page, slot }, at.getTime());
		this.#options.commit.add('cvvs', valuesOf('cvvs', row));
	}

	/** Starts to insert rows if many wait. It is to be awaited after each window of a file. */
	async drain(): Promise<void> {
		await this.#options.commit.drain?.();
	}

	/** Inserts everything placed so far. Returns the page id below which all pages of this pass are complete. */
	async flush(): Promise<number> {
		this.#builder.seal();
		const end = this.#ids.lowestFree();
		await this.#options.commit.flush?.();
		return end;
	}

	/**
	 * Makes everything placed before this call durable and permanent, although the pass has not ended. If the pages of the
	 * pass are dropped later, only those with later records are dropped.
	 */
	async settle(): Promise<void> {
		await this.#settleTo(await this.flush(), this.#options.database.knex);
	}

	/**
	 * Runs `work`, which looks up cards and places the new ones, while no other daemon or worker does so for the same
	 * account. The cards are then made permanent, as `settle` does.
	 * @throws StoredMeanwhileError if another caller has stored one of the cards nevertheless
	 */
	async settleInTurn(work: () => Promise<void>): Promise<void> {
		const { database } = this.#options;
		const workAndFlush = () => work().then(() => this.flush());
		const finish = async (transaction: Knex.Transaction, end: number) => {
			await this.duplicates?.checkStillNew(transaction);
			await this.#settleTo(end, transaction);
		};
		await inTurn(database, async () => {
			if (database.dialect === 'sqlite') {
				// SQLite has only one connection, and `work` needs it, so no lock can be held while `work` runs. If another
				// caller stores one of the cards meanwhile, `finish` detects it.
				const end = await workAndFlush();
				return transact(database, (transaction) => finish(transaction, end));
			}
			return transact(database, async (transaction) => {
				await fingerprintStore(transaction, database.dialect).lock(this.accountId);
				await finish(transaction, await workAndFlush());
			});
		});
	}

	wipe(): void {
		this.#builder.wipe();
	}

	async #settleTo(end: number, knex: Knex): Promise<void> {
		const passId = passIdOf(this.#options);
		if (passId !== null) await pageStore(knex, this.#options.database.dialect).settleBlocks(passId, end);
	}
}
