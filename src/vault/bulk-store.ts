// The way into the vault for many cards at once: one per attempt at a file, one per batch.

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
import { type AnyPageOwner, passIdOf } from './page-owner.ts';
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
	/** Whose cards they are, and which user of that account brings them. */
	readonly accountId: AccountId;
	readonly creatorId: AccountId;
	/** Associated with every card stored. */
	readonly merchantId?: AccountId;
	readonly now: Date;
	readonly clock?: Clock;
	/** How often duplicates may be looked for. */
	readonly elimination?: EliminationLimit;
}

/** With the owner of its pages, which are dropped unless they are adopted. */
export type BulkStoreOptions = StoreOptions & AnyPageOwner;

/** Opens a bulk store; it holds no handle, only memory. */
export async function openBulkStore(options: BulkStoreOptions): Promise<BulkStore> {
	const { keyRing, accountId, now } = options;
	const rooms = { keyRing, clock: options.clock ?? systemClock };
	const fingerprints = new LiveGenerations(rooms, 'fingerprint');
	return new BulkStore(options, {
		data: await keyRing.current('data', accountId),
		cvv: await keyRing.current('cvv', accountId),
		fingerprints,
		counting: countingKeyOf(await fingerprints.of(accountId), now),
		tokens: await new LiveTokens(rooms).current(),
		sealer: await keyRing.seals.sealer(),
	});
}

interface Keys {
	readonly data: SealingKey;
	readonly cvv: SealingKey;
	readonly fingerprints: LiveGenerations;
	readonly counting: SealingKey;
	readonly tokens: TokenCipher;
	readonly sealer: RowSealer;
}

/** Stores records at the speed of a file. Synchronous between `reserve` and `drain`. */
export class BulkStore {
	readonly tokens: TokenCipher;
	/** Counts how often duplicates are looked for. */
	readonly countingKey: SealingKey;
	#fingerprintKeys: Generations | undefined;
	readonly #options: BulkStoreOptions;
	readonly #keys: Keys;
	readonly #now: number;
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
			passId: this.#passId,
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

	/** Makes sure that `count` records can be added without asking the database, now and not much later. */
	async reserve(count: number): Promise<void> {
		this.#fingerprintKeys = await this.#keys.fingerprints.of(this.#options.accountId);
		while (this.#ids.available() <= count) await this.#ids.refill();
	}

	/** Stores one record; the placement is reused by the next call. */
	add(fields: RecordFields): Placement {
		return this.#builder.add(fields);
	}

	/** A caller-chosen reference for the record just placed. */
	addReference(placement: Placement, reference: string): void {
		this.#rows.reference(placement, reference);
	}

	/** What cards are looked up with, as of the last `reserve`. */
	get fingerprintKeys(): Generations {
		if (!this.#fingerprintKeys) throw new Error('internal error: fingerprints are wanted before anything was reserved');
		return this.#fingerprintKeys;
	}

	addFingerprint(placement: Placement, fingerprints: Fingerprints): void {
		this.#rows.fingerprint(placement, fingerprints);
	}

	/** Keeps a CVV under the default policy. The caller has made sure that the account is set up for retention. */
	addCvv(placement: Placement, digits: Uint8Array, isBare: boolean): void {
		this.#rows.cvv(placement, this.#keys.cvv, digits, isBare);
	}

	/** Counts what is about to be looked for; says what may not be. */
	countAttempts(attempts: readonly Attempt[]): Promise<(attempt: Attempt) => boolean> {
		const { database, elimination, ...whose } = this.#options;
		return countAttempts(database, whose, attempts, elimination);
	}

	/** Tokens (16 bytes) this account already has for cards with these fingerprints, by their name. */
	async findByFingerprints(fingerprints: readonly Fingerprints[]): Promise<Map<string, Buffer>> {
		const { database, accountId } = this.#options;
		const store = fingerprintStore(database.knex, database.dialect);
		return store.findTokens(this.tokens, accountId, fingerprints, this.#passId);
	}

	/** Whether `drain` should be awaited before the next window. */
	isDue(): boolean {
		return Object.values(this.#writers).some((writer) => writer.isDue());
	}

	/** Hands full queues to the database and waits while it is behind. */
	async drain(): Promise<void> {
		for (const writer of Object.values(this.#writers)) if (writer.isDue()) await writer.drain();
	}

	/** Seals the open page and settles when everything is durable. */
	async flush(): Promise<void> {
		this.#builder.seal();
		for (const writer of Object.values(this.#writers)) await writer.flush();
	}

	/**
	 * Makes what was added before this call durable, and permanent although its pass is not through: dropping the pass's
	 * pages later takes only what was added since.
	 */
	async settle(): Promise<void> {
		const { database } = this.#options;
		const end = await this.#flushToSettle();
		await this.#settleTo(end, pageStore(database.knex, database.dialect));
	}

	/**
	 * Has `work` look for cards and store those that are new while nobody else of the account does so, and settles what it
	 * stored. @throws StoredMeanwhileError
	 */
	async settleInTurn(work: () => Promise<void>): Promise<void> {
		const passId = this.#passId;
		const { database, accountId } = this.#options;
		const { dialect } = database;
		const finish = async (transaction: Knex.Transaction, end: number) => {
			if (passId !== null) await checkStillNew(transaction, dialect, passId);
			await this.#settleTo(end, pageStore(transaction, dialect));
		};
		await inTurn(database, async () => {
			if (dialect === 'sqlite') {
				// Its one connection is needed for the work itself: whoever comes in between is found at the end.
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

	/** Gives the first page id that is not part of it. */
	async #flushToSettle(): Promise<number> {
		this.#builder.seal();
		const end = this.#ids.lowestFree();
		await this.flush();
		return end;
	}

	async #settleTo(end: number, store: ReturnType<typeof pageStore>): Promise<void> {
		if (this.#passId !== null) await store.settleBlocks(this.#passId, end);
	}

	/** Wipes clear content left in memory; the store is of no use afterwards. */
	wipe(): void {
		this.#builder.wipe();
	}
}
