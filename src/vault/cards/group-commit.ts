// Stores cards that arrive one by one, many of them in one commit: all cards that arrive during one commit go into the
// next. With a commit for each card, the vault could store no more cards per second than the disk can fsync.

import { isLockTimeout, isOtherServerAway, isUnavailable } from '../../base/database/dialect.ts';
import { Failed, gather, gatherByKey } from '../../base/database/gather.ts';
import type { AccountId } from '../../base/database/ids.ts';
import { transactPlainly } from '../../base/database/plain-transaction.ts';
import type { SqlTransaction } from '../../base/database/sql.ts';
import { ServiceError } from '../../base/errors.ts';
import { Turns } from '../../base/threads/turns.ts';
import { PageIds } from '../pages/page-ids.ts';
import { pageKindOf } from '../pages/record-codec.ts';
import { TOKEN_BYTES, type Token } from '../tokens/token.ts';
import { type CardTable, insertCardRows } from './card-rows.ts';
import { type CardWriter, type CardWriterOptions, type CommitPolicy, openCardWriter } from './card-writer.ts';
import { inLockOrder, inTurn, StoredMeanwhileError } from './duplicates.ts';
import { ELIMINATION_LIMIT_PASSED } from './elimination.ts';
import { type Fingerprints, fingerprintsOf } from './fingerprint.ts';
import type { RecordRequest, Stored, StoreResult, WrittenTogether } from './new-card.ts';

/** At most this many cards go into one commit. */
const MAX_GROUP = 1024;
/**
 * On PostgreSQL a group waits so long for each lock of an account: longer than other writers hold one as a rule, and short
 * enough for the other accounts of the group.
 */
const LOCK_WAIT_MS = 200;
/**
 * So many accounts that go on apart use a connection at the same time, each for one attempt; the others wait without one.
 * As many wait as like to, and connections are left for everything else.
 */
const MOST_APART = 4;
/**
 * At most this many pages of a cluster are tried, of which each may be on a server that is away, and none after this time:
 * a machine that is lost lets the coordinator wait.
 */
const MOST_PAGES_TRIED = 16;
const TRIED_FOR_MS = 4_000;
/** The time between checks whether another writer of pages already uses later page ids than ours. */
const OVERTAKEN_CHECK_MS = 1000;

/** This function runs last in the transaction of every commit, so that its writes are committed with the cards. */
export type OnStored = (stored: readonly Stored[], transaction: SqlTransaction) => Promise<void>;

type GroupCommitOptions = Pick<CardWriterOptions, 'database' | 'keyRing' | 'clock' | 'elimination' | 'followed'> & {
	readonly onStored?: OnStored;
};

/** A card of a group, with its result once it was placed or refused. */
interface Card {
	readonly request: RecordRequest;
	result?: StoreResult | Failed;
	/** The page of a new record. */
	page?: number;
}

type Rows = Readonly<Record<CardTable, (readonly unknown[])[]>>;

/** Undoes a whole transaction because what one request writes beside its card was refused, for the reason in `cause`. */
class RefusedBesideError extends Error {
	override readonly name = 'RefusedBesideError';
	readonly request: RecordRequest;

	constructor(request: RecordRequest, cause: unknown) {
		super('what a request writes beside its card was refused', { cause });
		this.request = request;
	}
}

/**
 * Stores single cards: those that arrive while a group is committed are the next group. A card is in one of these states:
 * - *waiting*: a group is being committed, and this card will be in the next one.
 * - *in the group*: it is placed on a page of this attempt. If the transaction is undone because of another card, all
 *   that are left in the group are placed again.
 * - *apart*: somebody else holds a lock that a card of its account needs (PostgreSQL only). Nobody can tell whose, so each
 *   account of the group goes on in groups of its own, at the same time, and the next group of all does not wait for it.
 * - *refused*: `refuse` has taken it out of the group, with its error as the result. It never returns to a group.
 * - *stored*: the transaction of its group is durable.
 *
 * The caller of `store` is answered when the whole group has ended, and the digits of its card are wiped then.
 */
export class GroupCommit {
	readonly #options: GroupCommitOptions;
	/** Stores one record; resolves when it is durable. */
	readonly store: (request: RecordRequest) => Promise<StoreResult>;
	readonly #apart: (request: RecordRequest) => Promise<StoreResult>;
	/** The accounts that go on apart. */
	readonly #held = new Set<AccountId>();
	readonly #turns = Array.from({ length: MOST_APART }, () => new Turns());
	#ids: PageIds;
	#checkedAt = 0;

	constructor(options: GroupCommitOptions) {
		this.#options = options;
		this.#ids = new PageIds(options.database, {});
		this.#apart = gatherByKey(({ accountId }) => accountId, {
			maxGroup: MAX_GROUP,
			doAll: (requests) => this.#commitApart(requests),
		});
		const store = gather<RecordRequest, StoreResult>({
			maxGroup: MAX_GROUP,
			doAll: (requests) => this.#commitTogether(requests),
		});
		this.store = (request) => store(request).finally(() => wipe(request));
	}

	/** Commits cards of all accounts but those that go on apart. */
	async #commitTogether(
		requests: readonly RecordRequest[],
	): Promise<readonly (StoreResult | Promise<StoreResult> | Failed)[]> {
		const cards = new Map<RecordRequest, Card>();
		for (const request of requests) if (!this.#held.has(request.accountId)) cards.set(request, { request });
		const group = new Set(cards.values());
		const { database } = this.#options;
		const commit = async () => this.#commitGroup(group, await this.#currentIds());
		// On PostgreSQL the lock of an account says whose turn it is, so that other accounts do not wait.
		const isInTurn = database.dialect === 'sqlite' && requests.some(({ eliminatesDuplicates }) => eliminatesDuplicates);
		try {
			await (isInTurn ? inTurn(database, commit) : commit());
		} catch (error) {
			if (!isLockTimeout(error)) throw error;
			for (const { accountId } of cards.keys()) this.#held.add(accountId);
			cards.clear();
		}
		return requests.map((request) => cards.get(request)?.result ?? this.#apart(request));
	}

	/** Commits cards of one account, however long somebody holds what belongs to it. */
	async #commitApart(requests: readonly RecordRequest[]): Promise<readonly (StoreResult | Failed)[]> {
		const cards: Card[] = requests.map((request) => ({ request }));
		const group = new Set(cards);
		const [{ accountId }] = requests;
		const ids = new PageIds(this.#options.database, {});
		const isCommitted = async () => {
			try {
				await this.#turns[accountId % MOST_APART].run(() => this.#commitGroup(group, ids));
				return true;
			} catch (error) {
				if (isLockTimeout(error)) return false;
				throw error;
			}
		};
		try {
			while (!(await isCommitted())) this.#held.add(accountId);
			return cards.map(({ result }) => result!);
		} finally {
			this.#held.delete(accountId);
			// The next group of all must not use ids that are lower than these.
			this.#checkedAt = 0;
		}
	}

	/** Commits a group of cards. A card that is refused leaves the group, and the rest is committed. */
	async #commitGroup(group: Set<Card>, ids: PageIds): Promise<void> {
		const until = performance.now() + TRIED_FOR_MS;
		for (let away = 0; group.size > 0; ) {
			try {
				await this.#tryToCommit(group, ids);
				return;
			} catch (error) {
				// Another caller has stored one of the cards in the meantime, and the next look-up finds it.
				if (error instanceof StoredMeanwhileError) continue;
				// The next page may be on a server that answers.
				const cause = error instanceof RefusedBesideError ? error.cause : error;
				if (isOtherServerAway(cause) && ++away < MOST_PAGES_TRIED && performance.now() < until) continue;
				if (!(error instanceof RefusedBesideError)) throw error;
				for (const each of group) if (each.request === error.request) refuse(group, each, error.cause);
			}
		}
	}

	async #tryToCommit(group: Set<Card>, ids: PageIds): Promise<void> {
		const { database, onStored } = this.#options;
		const rows: Rows = { pages: [], fingerprints: [], token_refs: [], foreign_tokens: [], associations: [], cvvs: [] };
		const commit: CommitPolicy = { add: (table, values) => rows[table].push(values) };
		const writers: CardWriter[] = [];
		for (const cards of Map.groupBy(group, ownerOf).values())
			writers.push(await this.#place(cards, group, commit, ids));
		if (group.size === 0) return;
		const stored = Array.from(group, ({ request, result, page }) => ({ request, result: result as StoreResult, page }));
		await transactPlainly(
			database,
			async (transaction) => {
				for (const { duplicates } of inLockOrder(writers)) await duplicates?.checkStillNew(transaction);
				for (const [table, values] of Object.entries(rows))
					await insertCardRows(transaction, table as CardTable, values);
				await writeBeside(stored, transaction);
				await onStored?.(stored, transaction);
			},
			LOCK_WAIT_MS,
		);
	}

	/**
	 * Returns the page ids of groups of all accounts. It gives up unused ones once another writer uses later ones: lists are
	 * in the order of page ids and must show the oldest record first, so a new record may not get a lower id than an older
	 * one.
	 */
	async #currentIds(): Promise<PageIds> {
		const now = this.#options.clock.now().getTime();
		if (Math.abs(now - this.#checkedAt) < OVERTAKEN_CHECK_MS) return this.#ids;
		this.#checkedAt = now;
		if (await this.#ids.areOvertaken()) this.#ids = new PageIds(this.#options.database, {});
		return this.#ids;
	}

	/**
	 * Places the cards of one owner. A card whose look-up exceeds the elimination limit is refused, but one that came in a
	 * message gets a new token.
	 */
	async #place(cards: readonly Card[], group: Set<Card>, commit: CommitPolicy, ids: PageIds): Promise<CardWriter> {
		const { accountId, creatorId, fields } = cards[0].request;
		const writer = await openCardWriter({
			...this.#options,
			now: this.#options.clock.now(),
			ids,
			lockWaitMs: LOCK_WAIT_MS,
			accountId,
			creatorId,
			kind: pageKindOf(fields.kind),
			commit,
			keepsCvv: cards.some(({ request }) => request.cvv),
			eliminatesDuplicates: cards.some(isLookedUp),
		});
		const { duplicates } = writer;
		await writer.reserve(cards.length);
		for (const each of cards) if (isLookedUp(each)) duplicates!.note(each.request.fields);
		await duplicates?.lookUp();
		for (const each of cards) {
			const lookedUp = isLookedUp(each) ? duplicates!.take() : undefined;
			if (lookedUp !== null || each.request.message) placeOne(writer, each, lookedUp);
			else refuse(group, each, new ServiceError('elimination-limit-passed', { moreInfo: ELIMINATION_LIMIT_PASSED }));
		}
		await writer.flush();
		writer.wipe();
		return writer;
	}
}

/** Returns the same text for cards with the same account, user and kind of page, which can share pages. */
function ownerOf({ request: { accountId, creatorId, fields } }: Card): string {
	return `${accountId}/${creatorId}/${pageKindOf(fields.kind)}`;
}

/** Returns whether duplicate elimination may find the card. It never finds a copy of another account's card. */
function isToBeFound({ fields, isOfOthers }: RecordRequest): boolean {
	return fields.kind === 'card' && !isOfOthers;
}

function isLookedUp({ request }: Card): boolean {
	return request.eliminatesDuplicates === true && isToBeFound(request);
}

function placeOne(writer: CardWriter, card: Card, lookedUp?: Fingerprints | null): void {
	const { request } = card;
	const { fields, message, reference, merchantId, cvv } = request;
	const placement = writer.place(fields, lookedUp);
	const { tokens, offset, isNew } = placement;
	const token = tokens.toString('hex', offset, offset + TOKEN_BYTES) as Token;
	card.result = { token, isNew };
	card.page = isNew ? placement.page : undefined;
	if (!isNew) return;
	// A card in a message gets a fingerprint only if it was looked up.
	if (lookedUp === undefined && !message && isToBeFound(request))
		writer.addFingerprint(placement, fingerprintsOf(writer.fingerprintKeys, fields));
	if (reference !== undefined) writer.addReference(placement, reference);
	if (merchantId !== undefined) writer.addAssociation(placement, merchantId);
	const digits = cvv && Buffer.from(cvv.reveal());
	if (digits) writer.addCvv(placement, digits);
	digits?.fill(0);
}

/**
 * Writes the further rows of the requests whose cards were stored. First the `alongside` of each request runs, in
 * order. Then `together` is written, by one call for all requests that name the same function `write`.
 * @throws RefusedBesideError if a request is refused
 */
async function writeBeside(stored: readonly Stored[], transaction: SqlTransaction): Promise<void> {
	const groups = new Map<WrittenTogether['write'], Map<string, StoreResult>>();
	for (const { request, result } of stored) {
		try {
			await request.alongside?.(result, transaction);
		} catch (cause) {
			throw isUnavailable(cause) || isLockTimeout(cause) ? cause : new RefusedBesideError(request, cause);
		}
		const { together } = request;
		if (!together) continue;
		const group = groups.get(together.write);
		if (group?.has(together.name)) throw new RefusedBesideError(request, together.refusal());
		if (group) group.set(together.name, result);
		else groups.set(together.write, new Map([[together.name, result]]));
	}
	for (const [write, group] of groups) {
		const refused = await write(group, transaction);
		const isRefused = ({ together }: RecordRequest) => together?.write === write && refused.has(together.name);
		const one = refused.size > 0 && stored.find((each) => isRefused(each.request));
		if (one) throw new RefusedBesideError(one.request, one.request.together!.refusal());
	}
}

function refuse(group: Set<Card>, refused: Card, error: unknown): void {
	group.delete(refused);
	refused.result = new Failed(error);
}

function wipe({ fields: { digits, spelling } }: RecordRequest): void {
	digits.fill(0);
	spelling?.fill(0);
}
