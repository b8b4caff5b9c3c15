// Eliminates duplicates: a card that its account already has gets the token that it has. Callers decide one after the
// other which cards are new. If two callers looked up the same new card before either had stored it, the card would get
// two tokens.

import type { Knex } from 'knex';
import type { Dialect } from '../../base/database/dialect.ts';
import { perDatabase } from '../../base/database/gather.ts';
import type { AccountId, PassId } from '../../base/database/ids.ts';
import type { SqlTarget, SqlTransaction } from '../../base/database/sql.ts';
import { Turns } from '../../base/threads/turns.ts';
import { passIdOf } from '../pages/page-owner.ts';
import { pageStore } from '../pages/page-store.ts';
import type { RecordFields } from '../pages/record-codec.ts';
import type { CardWriter, CardWriterOptions } from './card-writer.ts';
import { AttemptCipher, countAttempts, countingKeyOf } from './elimination.ts';
import { type Fingerprints, fingerprintsOf } from './fingerprint.ts';
import { fingerprintStore } from './fingerprint-store.ts';

/**
 * This error is thrown if another caller has stored a card since it was looked up. The caller has to repeat the work;
 * the look-up then finds the card.
 */
export class StoredMeanwhileError extends Error {
	override readonly name = 'StoredMeanwhileError';
	constructor() {
		super('a card was stored by somebody else in the same moment: try again');
	}
}

const turnsOf = perDatabase((_: { readonly knex: Knex }) => new Turns());

/**
 * Runs `work` after all earlier work on this database has ended. Callers of this process wait here without a database
 * connection. If each of them waited for a lock in the database, they could use up all connections and leave none to
 * the caller whose turn it is.
 */
export function inTurn<T>(database: { readonly knex: Knex }, work: () => Promise<T>): Promise<T> {
	return turnsOf(database).run(work);
}

/** Locks an account until the transaction ends, and checks that its cards are still new. @throws StoredMeanwhileError */
async function requireNew(
	store: ReturnType<typeof fingerprintStore>,
	accountId: AccountId,
	isStored: () => Promise<boolean>,
): Promise<void> {
	await store.lock(accountId);
	if (await isStored()) throw new StoredMeanwhileError();
}

/** Returns cards or passes by ascending account. All daemons lock the accounts in this order, so they cannot deadlock. */
export function inLockOrder<Each extends { readonly accountId: number }>(all: readonly Each[]): Each[] {
	return all.toSorted((one, other) => one.accountId - other.accountId);
}

/**
 * Finds cards that an account already has. Cards are noted, then looked up together, then taken in the order in which
 * they were noted. A new card that is stored is remembered until the next look-up, which finds it in the database.
 */
export class Duplicates {
	readonly #writer: CardWriter;
	readonly #options: CardWriterOptions;
	readonly #attempts: AttemptCipher;
	#noted: Fingerprints[] = [];
	#lookedUp: (Fingerprints | null)[] = [];
	#taken = 0;
	/** The tokens (16 bytes) that the account already has, by `Fingerprints.name`. */
	#tokens = new Map<string, Buffer>();
	#new: Fingerprints[] = [];

	constructor(writer: CardWriter, options: CardWriterOptions) {
		this.#writer = writer;
		this.#options = options;
		this.#attempts = new AttemptCipher(countingKeyOf(writer.fingerprintKeys, options.now));
	}

	note(card: RecordFields): void {
		this.#noted.push(fingerprintsOf(this.#writer.fingerprintKeys, card));
		this.#attempts.add(card);
	}

	/**
	 * Looks up the noted cards, as far as the daily limit allows, and returns how many it left out. Cards that were placed
	 * before are inserted first, so that they are found in the database. They are not kept in memory, because a huge file
	 * may have more cards than memory can hold.
	 */
	async lookUp(): Promise<number> {
		const { database, elimination } = this.#options;
		const noted = this.#noted;
		[this.#noted, this.#new, this.#taken] = [[], [], 0];
		await this.#writer.flush();
		const attempts = this.#attempts.take();
		const isLeftOut = await countAttempts(database, this.#options, attempts, elimination);
		this.#lookedUp = noted.map((card, nth) => (isLeftOut(attempts[nth]) ? null : card));
		const asked = this.#lookedUp.filter((card) => card !== null);
		this.#tokens = await this.#find(database.knex, asked, passIdOf(this.#options));
		return noted.length - asked.length;
	}

	/**
	 * Returns the next card; null if it was left out, because too many numbers with the same first six and last four
	 * digits were looked up today. Otherwise an earlier token could show that a guessed number is stored.
	 */
	take(): Fingerprints | null {
		const card = this.#lookedUp[this.#taken++];
		if (card === undefined) throw new Error('internal error: a card is stored that was not looked up');
		return card;
	}

	findToken(card: Fingerprints): Buffer | undefined {
		return this.#tokens.get(card.name);
	}

	remember(card: Fingerprints, token: Buffer): void {
		this.#tokens.set(card.name, token);
		this.#new.push(card);
	}

	/**
	 * Checks, in the transaction that commits the remembered cards, that they are still new. From then on nobody else can
	 * store them. @throws StoredMeanwhileError
	 */
	async checkStillNew(transaction: SqlTransaction): Promise<void> {
		if (this.#new.length === 0) return;
		const { database, accountId, clock } = this.#options;
		const store = fingerprintStore(transaction, database.dialect);
		const passId = passIdOf(this.#options);
		await requireNew(store, accountId, async () => {
			// The cards of a pass are already in the database, where they are compared faster.
			if (passId !== null) return store.isStoredElsewhere(passId, clock.now().getTime());
			return (await this.#find(transaction, this.#new, null)).size > 0;
		});
	}

	/** Finds tokens that are permanent, and those on pages of the given pass. */
	#find(knex: SqlTarget, cards: readonly Fingerprints[], passId: PassId | null) {
		const { database, accountId, clock } = this.#options;
		const at = { now: clock.now().getTime(), passId };
		return fingerprintStore(knex, database.dialect).findTokens(this.#writer.tokens, accountId, cards, at);
	}
}

/**
 * Makes the pages of passes permanent. Each pass that eliminates duplicates is adopted right after its check, because
 * the next one may have the same card and has to be compared with it.
 * @throws StoredMeanwhileError if another caller has stored a card that a pass took for new
 */
export async function adoptPasses(
	transaction: Knex.Transaction,
	{ dialect, now }: { readonly dialect: Dialect; readonly now: Date },
	passIds: readonly PassId[],
): Promise<void> {
	const fingerprints = fingerprintStore(transaction, dialect);
	const pages = pageStore(transaction, dialect);
	for (const { passId, accountId } of inLockOrder(await fingerprints.listEliminating(passIds))) {
		await requireNew(fingerprints, accountId, () => fingerprints.isStoredElsewhere(passId, now.getTime()));
		await pages.forgetBlocks([passId]);
	}
	await pages.forgetBlocks(passIds);
}
