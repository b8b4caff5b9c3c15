// Stores cards that arrive one by one, many of them in one commit: all cards that arrive during one commit go into the
// next. With a commit for each card, the vault could store no more cards per second than the disk can fsync.

import type { Clock } from '../clock.ts';
import { isUnavailable } from '../database/dialect.ts';
import { untilNoneArrive } from '../database/gather.ts';
import type { AccountId } from '../database/ids.ts';
import type { Database } from '../database/open.ts';
import { type PlainTransaction, transactPlainly } from '../database/plain-transaction.ts';
import { ServiceError } from '../errors.ts';
import { LiveGenerations } from '../keys/generations.ts';
import type { KeyRing, SealingKey } from '../keys/key-ring.ts';
import { CARD_COLUMNS, CardRows, type CardTable, type RecordPlace } from './card-rows.ts';
import { ELIMINATION_LIMIT_PASSED, type EliminationLimit } from './elimination.ts';
import { type Fingerprints, fingerprintsOf } from './fingerprint.ts';
import { fingerprintStore } from './fingerprint-store.ts';
import { findLeftOut, groupByOwner } from './left-out.ts';
import type { LiveTokens } from './live-tokens.ts';
import { needsFingerprint, type RecordRequest, type StoreResult } from './new-card.ts';
import { PageBuilder } from './page-builder.ts';
import { type PageIds, pageIds } from './page-ids.ts';
import { pageKindOf } from './record-codec.ts';
import { rowStore } from './row-store.ts';
import { TOKEN_BYTES, type Token, type TokenCipher } from './token.ts';
import { inTurn, StoredMeanwhileError } from './turns.ts';
import { RefusedBesideError, writeBeside } from './write-beside.ts';

/** At most this many cards go into one commit. */
const MAX_GROUP = 1024;
/** The time in milliseconds between checks whether another writer of pages already uses later page ids than ours. */
const OVERTAKEN_CHECK_MS = 1000;

interface Waiting {
	readonly request: RecordRequest;
	resolve(result: StoreResult): void;
	reject(error: unknown): void;
}

/** Holds, for each table, the rows that one commit inserts; a row is a list of values. */
type Rows = Readonly<Record<CardTable, (readonly unknown[])[]>>;

const TABLES = Object.keys(CARD_COLUMNS) as CardTable[];

/** Holds, by account, the fingerprints of cards that were not found. The commit checks that they are still new. */
type SupposedlyNew = Map<AccountId, Fingerprints[]>;

/** Holds a record and the token it got. */
export interface Stored {
	readonly request: RecordRequest;
	readonly result: StoreResult;
}

/** This function runs last in the transaction of every commit, so that its writes are committed with the cards. */
export type OnStored = (stored: readonly Stored[], transaction: PlainTransaction) => Promise<void>;

/** Stores single cards. The promise of a call resolves when its card is durable. */
export class GroupCommit {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly clock: Clock;
	readonly #onStored: OnStored | undefined;
	readonly elimination: EliminationLimit | undefined;
	readonly #ids: PageIds;
	#waiting: Waiting[] = [];
	#committing: Promise<void> | undefined;
	readonly #tokens: LiveTokens;
	readonly fingerprintKeys: LiveGenerations;
	#checkedAt = 0;

	constructor(options: {
		database: Database;
		keyRing: KeyRing;
		clock: Clock;
		tokens: LiveTokens;
		onStored?: OnStored;
		elimination?: EliminationLimit;
	}) {
		this.database = options.database;
		this.keyRing = options.keyRing;
		this.clock = options.clock;
		this.#onStored = options.onStored;
		this.elimination = options.elimination;
		this.#tokens = options.tokens;
		this.fingerprintKeys = new LiveGenerations(options, 'fingerprint');
		this.#ids = pageIds(options.database, {});
	}

	/** Stores one record; resolves when it is durable. */
	store(request: RecordRequest): Promise<StoreResult> {
		return new Promise((resolve, reject) => {
			this.#waiting.push({ request, resolve, reject });
			this.#committing ??= this.#commitAll();
		});
	}

	async #commitAll(): Promise<void> {
		while (this.#waiting.length > 0) {
			await untilNoneArrive(() => this.#waiting.length);
			const group = this.#waiting.splice(0, MAX_GROUP);
			try {
				await this.#commitGroup(await this.#withinLimit(group));
			} catch (error) {
				for (const each of group) each.reject(error);
			} finally {
				for (const { request } of group) wipe(request);
			}
		}
		this.#committing = undefined;
	}

	/**
	 * Commits a group of cards. If `alongside` or `together` of a request refuses its card, that card is left out and the
	 * rest is committed.
	 */
	async #commitGroup(group: readonly Waiting[]): Promise<void> {
		for (let left = group; left.length > 0; ) {
			try {
				const results = await this.#commit(left.map((each) => each.request));
				for (const [index, each] of left.entries()) each.resolve(results[index]);
				return;
			} catch (error) {
				if (!(error instanceof RefusedBesideError) || isUnavailable(error.cause))
					throw RefusedBesideError.causeOf(error);
				for (const each of left) if (each.request === error.request) each.reject(error.cause);
				left = left.filter((each) => each.request !== error.request);
			}
		}
	}

	/**
	 * Returns the requests to store. If the look-up of a card exceeds the elimination limit, the request is refused, but
	 * a card that came in a message is stored without a look-up and gets a new token.
	 */
	async #withinLimit(group: Waiting[]): Promise<Waiting[]> {
		const leftOut = await findLeftOut(
			this,
			group.map(({ request }) => request),
		);
		return group.flatMap((each) => {
			if (!leftOut.has(each.request)) return [each];
			if (each.request.message) return [{ ...each, request: { ...each.request, eliminatesDuplicates: false } }];
			wipe(each.request);
			each.reject(new ServiceError('elimination-limit-passed', { moreInfo: ELIMINATION_LIMIT_PASSED }));
			return [];
		});
	}

	/** Commits the requests, and tries again whenever another caller has stored one of the cards in the meantime. */
	async #commit(requests: readonly RecordRequest[]): Promise<StoreResult[]> {
		if (!requests.some((each) => each.eliminatesDuplicates)) return this.#tryToCommit(requests);
		return inTurn(this.database, async () => {
			for (;;) {
				try {
					return await this.#tryToCommit(requests);
				} catch (error) {
					if (!(error instanceof StoredMeanwhileError)) throw error;
				}
			}
		});
	}

	/** Makes one attempt to commit the requests. @throws StoredMeanwhileError */
	async #tryToCommit(requests: readonly RecordRequest[]): Promise<StoreResult[]> {
		const tokens = await this.#tokens.current();
		await this.#followOthers();
		if (this.#ids.available() <= requests.length) await this.#ids.refill(requests.length);
		const rows: Rows = { pages: [], fingerprints: [], token_refs: [], associations: [], cvvs: [] };
		const results = new Array<StoreResult>(requests.length);
		const supposedlyNew: SupposedlyNew = new Map();
		for (const indexes of groupByOwner(requests).values()) {
			await this.#place(
				indexes.map((index) => requests[index]),
				tokens,
				rows,
				supposedlyNew,
				(nth, result) => {
					results[indexes[nth]] = result;
				},
			);
		}
		await transactPlainly(this.database, async (transaction) => {
			await this.#checkStillNew(tokens, supposedlyNew, transaction);
			const store = rowStore(transaction, this.database.dialect);
			for (const table of TABLES) await store.insertAll(table, rows[table]);
			const stored = requests.map((request, nth) => ({ request, result: results[nth] }));
			await writeBeside(stored, transaction);
			await this.#onStored?.(stored, transaction);
		});
		return results;
	}

	/** Checks that cards are still new. Locks accounts by ascending id, against deadlocks. @throws StoredMeanwhileError */
	async #checkStillNew(
		tokens: TokenCipher,
		supposedlyNew: SupposedlyNew,
		transaction: PlainTransaction,
	): Promise<void> {
		const store = fingerprintStore(transaction, this.database.dialect);
		const now = this.clock.now().getTime();
		for (const [accountId, fingerprints] of [...supposedlyNew].sort(([a], [b]) => a - b)) {
			await store.lock(accountId);
			const found = await store.findTokens(tokens, accountId, fingerprints, { now });
			if (found.size > 0) throw new StoredMeanwhileError();
		}
	}

	/** Gives up unused page ids once another writer uses later ones, because a list by page ids must be oldest first. */
	async #followOthers(): Promise<void> {
		const now = this.clock.now().getTime();
		if (Math.abs(now - this.#checkedAt) < OVERTAKEN_CHECK_MS) return;
		this.#checkedAt = now;
		await this.#ids.giveUpOvertaken();
	}

	/** Puts records into new pages. All these records have the same account, user and kind of page. */
	async #place(
		requests: readonly RecordRequest[],
		cipher: TokenCipher,
		rows: Rows,
		supposedlyNew: SupposedlyNew,
		settle: (nth: number, result: StoreResult) => void,
	): Promise<void> {
		const { accountId, creatorId } = requests[0];
		const now = this.clock.now().getTime();
		const fingerprintKeys = await this.fingerprintKeys.of(accountId);
		const cvvKey = requests.some(({ cvv }) => cvv) ? await this.keyRing.current('cvv', accountId) : undefined;
		const cards = new CardRows({
			...{ accountId, sealer: await this.keyRing.seals.sealer(), now },
			add: (table, values) => rows[table].push(values),
		});
		const builder = new PageBuilder({
			accountId,
			creatorId,
			writer: null,
			key: await this.keyRing.current('data', accountId),
			tokens: cipher,
			ids: this.#ids,
			now,
			kind: pageKindOf(requests[0].fields.kind),
			onPage: (page) => cards.page(page),
		});
		const fields = requests.map((request) => request.fields);
		const fingerprints = requests.map((each) =>
			needsFingerprint(each) ? fingerprintsOf(fingerprintKeys, each.fields) : null,
		);
		const known = await this.#findKnown(cipher, requests, fingerprints, now);
		for (const [nth, request] of requests.entries()) {
			const fingerprint = fingerprints[nth];
			const name = fingerprint?.name ?? '';
			const earlier = request.eliminatesDuplicates ? known.get(name) : undefined;
			if (earlier) {
				settle(nth, { token: earlier.toString('hex') as Token, isNew: false });
				continue;
			}
			const { page, slot, tokens, offset } = builder.add(fields[nth]);
			const token = Buffer.from(tokens.subarray(offset, offset + TOKEN_BYTES));
			if (fingerprint && request.eliminatesDuplicates) {
				known.set(name, token);
				const ofAccount = supposedlyNew.get(accountId);
				if (ofAccount) ofAccount.push(fingerprint);
				else supposedlyNew.set(accountId, [fingerprint]);
			}
			if (fingerprint) cards.fingerprint({ page, slot }, fingerprint);
			placeBeside(cards, { page, slot }, request, cvvKey);
			settle(nth, { token: token.toString('hex') as Token, isNew: true });
		}
		builder.seal();
		builder.wipe();
	}

	#findKnown(
		cipher: TokenCipher,
		requests: readonly RecordRequest[],
		fingerprints: readonly (Fingerprints | null)[],
		now: number,
	): Promise<Map<string, Buffer>> {
		const asked = fingerprints.filter((each, nth) => each !== null && requests[nth].eliminatesDuplicates);
		const store = fingerprintStore(this.database.knex, this.database.dialect);
		return store.findTokens(cipher, requests[0].accountId, asked as Fingerprints[], { now });
	}
}

function placeBeside(
	cards: CardRows,
	place: RecordPlace,
	{ reference, merchantId, cvv }: RecordRequest,
	cvvKey: SealingKey | undefined,
): void {
	if (reference !== undefined) cards.reference(place, reference);
	if (merchantId !== undefined) cards.association(place, merchantId);
	if (!cvv || !cvvKey) return;
	const digits = Buffer.from(cvv.reveal());
	cards.cvv(place, cvvKey, digits, false);
	digits.fill(0);
}

function wipe({ fields: { digits, spelling } }: RecordRequest): void {
	digits.fill(0);
	spelling?.fill(0);
}
