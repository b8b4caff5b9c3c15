// Stores many cards at once in the vault. One bulk store is opened for each attempt at a file, and one for each batch.

import type { Knex } from 'knex';
import { type Clock, systemClock } from '../clock.ts';
import { bulkInsert } from '../database/bulk-insert.ts';
import { transact } from '../database/dialect.ts';
import type { AccountId, PassId } from '../database/ids.ts';
import type { Database } from '../database/open.ts';
import { type Generations, LiveGenerations } from '../keys/generations.ts';
import type { KeyRing, SealingKey } from '../keys/key-ring.ts';
import type { RowSealer } from '../keys/row-seals.ts';
import { WHOLE_PAGE } from './association-store.ts';
import { CARD_COLUMNS, CardRows, type CardTable } from './card-rows.ts';
import { countAttempts, countingKeyOf, type EliminationLimit } from './elimination.ts';
import type { Attempt } from './elimination-store.ts';
import type { Fingerprints } from './fingerprint.ts';
import { fingerprintStore } from './fingerprint-store.ts';
import { LiveTokens } from './live-tokens.ts';
import { PageBuilder, type Placement } from './page-builder.ts';
import { type PageIds, pageIds } from './page-ids.ts';
import { type AnyPageOwner, passIdOf, writerOf } from './page-owner.ts';
import { pageStore } from './page-store.ts';
import type { RecordFields } from './record-codec.ts';
import { RowWriter } from './row-writer.ts';
import type { TokenCipher } from './token.ts';
import { checkStillNew, inTurn } from './turns.ts';

const PAGES_PER_TRANSACTION = 1024;
const SIDE_ROWS_PER_TRANSACTION = 4096;

interface StoreOptions {
	readonly database: Database;
	readonly keyRing: KeyRing;
	/** The account that owns the cards; `creatorId` is the user of that account who sends them. */
	readonly accountId: AccountId;
	readonly creatorId: AccountId;
	/** Every card that is stored is associated with this merchant. */
	readonly merchantId?: AccountId;
	readonly now: Date;
	readonly clock?: Clock;
	/** The daily limit on how many different numbers may be looked up as possible duplicates. */
	readonly elimination?: EliminationLimit;
	/**
	 * The keys that the caller keeps up to date for all its stores. Without them, the store reads keys from the database.
	 */
	readonly followed?: FollowedKeys;
}

/**
 * The keys that a process keeps up to date for all its stores, so that a store for a small file need not read any key
 * from the database.
 */
export interface FollowedKeys {
	readonly tokens: LiveTokens;
	readonly fingerprints: LiveGenerations;
}

/**
 * The options of a bulk store. They include the pass that owns its pages and can drop them until they are adopted.
 */
export type BulkStoreOptions = StoreOptions & AnyPageOwner;

export function followKeys(rooms: { readonly keyRing: KeyRing; readonly clock: Clock }): FollowedKeys {
	return { tokens: new LiveTokens(rooms), fingerprints: new LiveGenerations(rooms, 'fingerprint') };
}

/** Opens a bulk store. It need not be closed; `wipe` clears its memory. */
export async function openBulkStore(options: BulkStoreOptions): Promise<BulkStore> {
	const { keyRing, accountId, now } = options;
	const { tokens, fingerprints } = options.followed ?? followKeys({ keyRing, clock: options.clock ?? systemClock });
	return new BulkStore(options, {
		data: await keyRing.current('data', accountId),
		cvv: await keyRing.current('cvv', accountId),
		fingerprints,
		counting: countingKeyOf(await fingerprints.of(accountId), now),
		tokens: await tokens.current(),
		sealer: await keyRing.seals.sealer(),
	});
}

interface Keys {
	readonly data: SealingKey;
	readonly cvv: SealingKey;
	readonly fingerprints: LiveGenerations;
	readonly counting: SealingKey;
	readonly tokens: TokenCipher;
	readonly sealer: Pick<RowSealer, 'seal'>;
}

/**
 * Stores the records of a file or batch. Between `reserve` and `drain` records are added synchronously, because waiting
 * for each record would slow down the reading of the file.
 */
export class BulkStore {
	readonly tokens: TokenCipher;
	/** The key for the MACs by which look-ups of duplicates are counted against the daily limit. */
	readonly countingKey: SealingKey;
	#fingerprintKeys: Generations | undefined;
	readonly #options: BulkStoreOptions;
	readonly #keys: Keys;
	readonly #now: number;
	readonly #clock: Clock;
	readonly #passId: PassId | null;
	readonly #ids: PageIds;
	readonly #builder: PageBuilder;
	readonly #writers: Readonly<Record<CardTable, RowWriter>>;
	readonly #rows: CardRows;

	constructor(options: BulkStoreOptions, keys: Keys) {
		const { knex, dialect } = options.database;
		this.#options = options;
		this.#keys = keys;
		this.tokens = keys.tokens;
		this.countingKey = keys.counting;
		this.#now = options.now.getTime();
		this.#clock = options.clock ?? systemClock;
		this.#passId = passIdOf(options);
		this.#ids = pageIds(options.database, options);
		const writer = (table: CardTable) =>
			new RowWriter(bulkInsert(knex, dialect, table, CARD_COLUMNS[table]), SIDE_ROWS_PER_TRANSACTION);
		this.#writers = {
			pages: new RowWriter(pageStore(knex, dialect).bulkInsert(), PAGES_PER_TRANSACTION),
			token_refs: writer('token_refs'),
			associations: writer('associations'),
			fingerprints: writer('fingerprints'),
			cvvs: writer('cvvs'),
		};
		this.#rows = new CardRows({
			...{ accountId: options.accountId, sealer: keys.sealer, now: this.#now },
			add: (table, values) => this.#writers[table].add(values),
		});
		this.#builder = new PageBuilder({
			accountId: options.accountId,
			creatorId: options.creatorId,
			writer: writerOf(options),
			key: keys.data,
			tokens: keys.tokens,
			ids: this.#ids,
			now: this.#now,
			onPage: (page) => {
				this.#rows.page(page);
				const { merchantId } = options;
				if (merchantId !== undefined) this.#rows.association({ page: page.id, slot: WHOLE_PAGE }, merchantId);
			},
		});
	}

	/**
	 * Must be called before up to `count` records are added. It reserves page ids and updates the fingerprint keys, so
	 * that adding a record needs no query.
	 */
	async reserve(count: number): Promise<void> {
		this.#fingerprintKeys = await this.#keys.fingerprints.of(this.#options.accountId);
		if (this.#ids.available() <= count) await this.#ids.refill(count);
	}

	/** Stores one record and returns where it is. The next call overwrites the returned object. */
	add(fields: RecordFields): Placement {
		return this.#builder.add(fields);
	}

	/** Stores the reference that the caller has chosen for the record that was just added. */
	addReference(placement: Placement, reference: string): void {
		this.#rows.reference(placement, reference);
	}

	/** Returns the keys under which fingerprints of cards are computed, as of the last `reserve`. */
	get fingerprintKeys(): Generations {
		if (!this.#fingerprintKeys) throw new Error('internal error: fingerprints are wanted before anything was reserved');
		return this.#fingerprintKeys;
	}

	addFingerprint(placement: Placement, fingerprints: Fingerprints): void {
		this.#rows.fingerprint(placement, fingerprints);
	}

	/** Stores the CVV of a card under the default policy. The caller has checked that the account may keep CVVs. */
	addCvv(placement: Placement, digits: Uint8Array, isBare: boolean): void {
		this.#rows.cvv(placement, this.#keys.cvv, digits, isBare);
	}

	/**
	 * Counts look-ups of duplicates against the daily limit. Returns a function that tells for each look-up whether it
	 * exceeds the limit.
	 */
	countAttempts(attempts: readonly Attempt[]): Promise<(attempt: Attempt) => boolean> {
		const { database, elimination, ...whose } = this.#options;
		return countAttempts(database, whose, attempts, elimination);
	}

	/**
	 * Returns the tokens (16 bytes each) that this account already has for these cards. The keys of the map are the
	 * values of `Fingerprints.name`.
	 */
	async findByFingerprints(fingerprints: readonly Fingerprints[]): Promise<Map<string, Buffer>> {
		const { database, accountId } = this.#options;
		const store = fingerprintStore(database.knex, database.dialect);
		const now = this.#clock.now().getTime();
		return store.findTokens(this.tokens, accountId, fingerprints, { now, passId: this.#passId });
	}

	/** Returns whether so many rows wait that the caller should await `drain` before the next window of the file. */
	isDue(): boolean {
		return Object.values(this.#writers).some((writer) => writer.isDue());
	}

	/** Starts to insert the rows of every full queue. It waits only while too many earlier inserts are unfinished. */
	async drain(): Promise<void> {
		for (const writer of Object.values(this.#writers)) if (writer.isDue()) await writer.drain();
	}

	/**
	 * Seals the page that is being filled and inserts all waiting rows. It resolves when everything added so far is
	 * durable.
	 */
	async flush(): Promise<void> {
		this.#builder.seal();
		const writers = Object.values(this.#writers);
		// All writers start before the first of them is awaited, so that their inserts can share a transaction.
		for (const writer of writers) writer.start();
		for (const writer of writers) await writer.flush();
	}

	/**
	 * Makes everything added before this call durable and permanent, although the pass has not ended. If the pages of the
	 * pass are dropped later, only those with later records are dropped.
	 */
	async settle(): Promise<void> {
		const { database } = this.#options;
		const end = await this.#flushToSettle();
		await this.#settleTo(end, pageStore(database.knex, database.dialect));
	}

	/**
	 * Runs `work`, which looks up cards and stores the new ones, while no other daemon or worker does so for the same
	 * account. The stored cards are then made permanent, as `settle` does.
	 * @throws StoredMeanwhileError if another caller has stored one of the cards nevertheless
	 */
	async settleInTurn(work: () => Promise<void>): Promise<void> {
		const passId = this.#passId;
		const { database, accountId } = this.#options;
		const { dialect } = database;
		const finish = async (transaction: Knex.Transaction, end: number) => {
			if (passId !== null) await checkStillNew(transaction, { dialect, now: this.#clock.now() }, [passId]);
			await this.#settleTo(end, pageStore(transaction, dialect));
		};
		await inTurn(database, async () => {
			if (dialect === 'sqlite') {
				// SQLite has only one connection, and `work` needs it, so no lock can be held while `work` runs. If another
				// caller stores one of the cards meanwhile, `finish` detects it.
				await work();
				const end = await this.#flushToSettle();
				await transact(database, (transaction) => finish(transaction, end));
				return;
			}
			await transact(database, async (transaction) => {
				await fingerprintStore(transaction, dialect).lock(accountId);
				await work();
				await finish(transaction, await this.#flushToSettle());
			});
		});
	}

	/** Makes everything added so far durable. Returns the page id below which all pages of this pass are complete. */
	async #flushToSettle(): Promise<number> {
		this.#builder.seal();
		const end = this.#ids.lowestFree();
		await this.flush();
		return end;
	}

	async #settleTo(end: number, store: ReturnType<typeof pageStore>): Promise<void> {
		if (this.#passId !== null) await store.settleBlocks(this.#passId, end);
	}

	/** Wipes card data left in memory. The store cannot be used afterwards. */
	wipe(): void {
		this.#builder.wipe();
	}
}
