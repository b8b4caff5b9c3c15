// Binds the splice engine to the vault. Jobs, the command line and HTTP all process files with it.

import type { Knex } from 'knex';
import type { Clock } from '../base/clock.ts';
import { transact } from '../base/database/dialect.ts';
import { gathered, perDatabase } from '../base/database/gather.ts';
import type { AccountId, JobId, PassId } from '../base/database/ids.ts';
import type { Database } from '../base/database/open.ts';
import { ServiceError } from '../base/errors.ts';
import type { KeyRing } from '../base/keys/key-ring.ts';
import { Slices } from '../base/threads/slices.ts';
import { BulkCommit } from '../vault/cards/bulk-commit.ts';
import { CardReader, type Resolved } from '../vault/cards/card-reader.ts';
import { followKeys, openCardWriter } from '../vault/cards/card-writer.ts';
import { adoptPasses } from '../vault/cards/duplicates.ts';
import type { EliminationLimit } from '../vault/cards/elimination.ts';
import { cvvVault } from '../vault/cvvs/cvv.ts';
import type { PageOwner } from '../vault/pages/page-owner.ts';
import { type PageBlock, pageStore } from '../vault/pages/page-store.ts';
import type { TokenCipher } from '../vault/tokens/token.ts';
import { findTokenCipher, trialStore } from '../vault/tokens/trial-store.ts';
import { DetokenizePass } from './detokenize.ts';
import type { Direction, Format } from './format.ts';
import { type CommonOptions, parseOptions } from './options.ts';
import type { Progress, ReportSink, Summary } from './report.ts';
import { TokenizePass } from './tokenize.ts';
import { type Pass, type Sink, transferFile } from './transfer-file.ts';
import { STREAMED_LIMITS, type WindowLimits } from './window.ts';

/** Holds the facts about an account that the engine needs; `src/people/identity` supplies them. */
export interface TransferAccount {
	/** The primary account to which the cards belong. */
	readonly ownerId: AccountId;
	/** The account itself, or the sub-user or property that sends the file. */
	readonly accountId: AccountId;
	readonly hasCvvRetention: boolean;
}

/** Answers the engine's questions about accounts; `src/people/identity` implements it. */
export interface AccountDirectory {
	getAccount(accountId: AccountId): Promise<TransferAccount>;
	/**
	 * Returns the id of the account that a merchant's user ID names.
	 * @throws ServiceError if no card can be associated with this merchant (shapes §11)
	 */
	resolveMerchant(accountId: AccountId, merchantUserId: string): Promise<AccountId>;
}

interface RunRequest {
	readonly accountId: AccountId;
	readonly direction: Direction;
	readonly filter: string;
	/** The merged options of account and folder, not yet checked. */
	readonly options: unknown;
	readonly source: AsyncIterable<Uint8Array>;
	readonly sink: Sink;
	readonly report: ReportSink;
	/**
	 * True if written bytes cannot be taken back, as in the answer to a call. Cards are then durable and adopted before
	 * their tokens reach the sink. After a failure, `discard` drops only cards whose tokens never reached the sink.
	 */
	readonly isStreamed?: boolean;
	/**
	 * True for a trial, which stores nothing when a file is tokenized. The output is then of no use, because its tokens
	 * lead to no cards.
	 */
	readonly isTrial?: boolean;
	/**
	 * The name of the host to which a detokenized file goes, if that is known. The policy of a kept CVV may allow only
	 * certain hosts (shapes §3).
	 */
	readonly host?: string;
	onProgress?(progress: Progress): void;
	/**
	 * This function is called for every CVV that is put into a detokenized file, with the time after which that CVV may
	 * no longer be kept.
	 */
	onCvv?(endsAtMs: number): void;
}

/**
 * Describes one run of the engine. It includes the pass that owns the pages of the run until they are adopted.
 */
export type TransferRun = RunRequest & PageOwner;

/** Says for whom the pages of attempts at a job are dropped. */
export interface AttemptDrop {
	/** The pass whose pages stay. */
	readonly except?: PassId;
	/**
	 * Called in every transaction that drops pages. It locks the job, and throws if the job belongs to another attempt
	 * now, whose pages must stay.
	 */
	requireOurs(transaction: Knex.Transaction): Promise<void>;
}

export type TransferEngine = ReturnType<typeof transferEngine>;

/** Builds the engine from a database and its keys; the engine opens no resource of its own. */
export function transferEngine(options: {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly formats: ReadonlyMap<string, Format>;
	readonly accounts: AccountDirectory;
	readonly clock: Clock;
	readonly limits?: WindowLimits;
	/** The daily limit on look-ups of duplicates, with the function that is called when the limit is exceeded. */
	readonly elimination?: EliminationLimit;
}) {
	const { database, keyRing, formats, accounts, clock, limits, elimination } = options;
	const followed = followKeys({ database, keyRing, clock });
	const liveTokens = followed.tokens;

	const tokenizePass = async (
		request: TransferRun,
		format: Format,
		common: CommonOptions,
		account: TransferAccount,
		tokens: TokenCipher,
	): Promise<Pass> => {
		if (common.saveCVV && !account.hasCvvRetention) {
			throw new ServiceError('cvv-retention-not-set-up', {
				field: 'saveCVV',
				problem: 'expected false, since the account keeps no CVV',
			});
		}
		const merchantId =
			common.merchantId === undefined
				? undefined
				: await accounts.resolveMerchant(account.accountId, common.merchantId);
		const now = clock.now();
		const store = request.isTrial
			? trialStore(tokens)
			: await openCardWriter({
					database,
					keyRing,
					accountId: account.ownerId,
					creatorId: account.accountId,
					pass: request.pass,
					merchantId,
					now,
					clock,
					elimination,
					followed,
					eliminatesDuplicates: common.eliminateCardDuplication,
					commit: new BulkCommit(database),
				});
		const keepsCvv = account.hasCvvRetention && common.saveCVV !== false;
		const settlesWindows = request.isStreamed === true && common.eliminateCardDuplication;
		return new TokenizePass({ format, common, keepsCvv, store, report: request.report, now, settlesWindows });
	};

	/**
	 * Supplies the kept CVVs of a file and counts each use. `host` is the host to which the file goes, because the policy
	 * of a CVV may allow only certain hosts.
	 */
	const fileCvvs = (host = '') => {
		const cvvs = cvvVault({ database, keyRing, clock });
		return { useForFile: (place: Resolved) => cvvs.use(place, { type: 'SFTP', data: host }) };
	};

	const detokenizePass = (request: TransferRun, common: CommonOptions, account: TransferAccount): Pass => {
		return new DetokenizePass({
			common,
			reader: new CardReader({ database, keyRing, tokens: liveTokens, accountId: account.ownerId }),
			cvvs: account.hasCvvRetention ? fileCvvs(request.host) : undefined,
			report: request.report,
			onCvv: request.onCvv?.bind(request),
		});
	};

	return {
		/**
		 * Processes one file. The pages that are written may still be dropped until `adopt` makes them permanent.
		 * @throws FileError for a bad file, OptionsError or ServiceError for a request that cannot be carried out.
		 */
		async run(request: TransferRun): Promise<Summary> {
			const format = formats.get(request.filter);
			if (!format) {
				throw new ServiceError('bad-input-data', {
					moreInfo: `filter must be one of ${[...formats.keys()].join(', ')}`,
				});
			}
			const options = parseOptions(format, request.options);
			const account = await accounts.getAccount(request.accountId);
			const tokens = await (request.isTrial ? findTokenCipher({ database, keyRing }) : liveTokens.current());
			const pass =
				request.direction === 'tokenize'
					? await tokenizePass(request, format, options.common, account, tokens)
					: detokenizePass(request, options.common, account);
			const { direction, source } = request;
			const settled = request.isStreamed ? new SettledSink(request.sink, () => pass.settle()) : undefined;
			const summary = await transferFile({
				format,
				options: options.format,
				direction,
				source,
				sink: unlessRejected(settled ?? request.sink, pass),
				pass,
				tokens,
				...(request.isStreamed ? { limits: STREAMED_LIMITS, slices: new Slices() } : { limits }),
				onProgress: request.onProgress?.bind(request),
			});
			if (settled) {
				await settled.release();
				await pageStore(database.knex, database.dialect).forgetBlocks([request.pass.id]);
			}
			return summary;
		},
		/** Drops every page that a pass has written but not adopted. It does nothing if there are none. */
		async discard(passId: PassId): Promise<void> {
			await dropUnadopted(database, await pageStore(database.knex, database.dialect).listBlocks(passId));
		},
		/** Drops every page that attempts at a job have written but not adopted. */
		discardAttempts: (jobId: JobId, by: AttemptDrop) => discardAttempts(database, jobId, by),
		/**
		 * Makes the pages of passes permanent, as part of the transaction that publishes their output.
		 * @throws StoredMeanwhileError if a pass eliminates duplicates and one of its cards got another token in the meantime
		 */
		adopt: (transaction: Knex.Transaction, passIds: readonly PassId[]) =>
			adoptPasses(transaction, { dialect: database.dialect, now: clock.now() }, passIds),
	};
}

/** Stops the output once a file is sure to be rejected; the pass reads on to find the places of other faults. */
function unlessRejected(sink: Sink, { rejections }: Pass): Sink {
	if (!rejections) return sink;
	return { write: (bytes) => (rejections.count > 0 ? Promise.resolve() : sink.write(bytes)) };
}

/**
 * Finds the page ids that earlier attempts at a job have reserved. Jobs that begin at the same time share one query.
 */
const attemptBlocksOf = perDatabase(({ knex, dialect }: Database) => {
	return gathered(pageStore(knex, dialect).listAttemptBlocks);
});

/** Drops every page of a pass that was not adopted, and gives up its ids. The pass must have ended for certain. */
export async function discardPages(database: Database, passId: PassId): Promise<void> {
	const blocks = await pageStore(database.knex, database.dialect).listBlocks(passId);
	await dropBlocks(database, blocks);
	await forget(database, blocks);
}

/**
 * Drops the pages of attempts at a job that were not adopted. Which attempt is the present one is asked of the job, and
 * not told by the times in their ids, because the clocks of daemons may differ.
 */
async function discardAttempts(database: Database, jobId: JobId, { except, requireOurs }: AttemptDrop): Promise<void> {
	const blocks = (await attemptBlocksOf(database)(jobId)) ?? [];
	const dropped = blocks.filter(({ passId }) => passId !== except);
	await dropUnadopted(database, dropped, requireOurs);
}

/**
 * Drops the pages of blocks of ids. On PostgreSQL the daemon that made an attempt at a job may only be stalled, and then
 * it goes on to write pages for a moment. So the ids of attempts stay reserved there, which keeps such pages from
 * counting, until `discardAbandonedPages` drops them too.
 */
async function dropUnadopted(
	database: Database,
	blocks: readonly PageBlock[],
	requireOurs?: AttemptDrop['requireOurs'],
): Promise<void> {
	await dropBlocks(database, blocks, requireOurs);
	const isEnded = ({ jobId }: PageBlock) => database.dialect === 'sqlite' || jobId === null;
	await forget(database, blocks.filter(isEnded));
}

/**
 * Drops the pages of each block of ids in a transaction of its own. To drop all pages of a large attempt at once would
 * block the database for seconds.
 */
async function dropBlocks(
	database: Database,
	blocks: readonly PageBlock[],
	requireOurs?: AttemptDrop['requireOurs'],
): Promise<void> {
	for (const block of blocks) {
		await transact(database, async (transaction) => {
			await requireOurs?.(transaction);
			await pageStore(transaction, database.dialect).removeBlock(block);
		});
	}
}

async function forget({ knex, dialect }: Database, blocks: readonly PageBlock[]): Promise<void> {
	const passIds = [...new Set(blocks.map(({ passId }) => passId))];
	if (passIds.length > 0) await pageStore(knex, dialect).forgetBlocks(passIds);
}

/**
 * Output is held back until the cards whose tokens it contains are durable. The cards for about this many bytes of
 * output are committed together.
 */
const HELD_BYTES = 1_048_576;

/**
 * A sink for output that cannot be taken back once it is sent. It holds the bytes back until `settle` has made the
 * cards durable whose tokens they contain.
 */
export class SettledSink implements Sink {
	readonly #sink: Sink;
	readonly #settle: () => Promise<void>;
	#held: Buffer[] = [];
	#heldBytes = 0;

	constructor(sink: Sink, settle: () => Promise<void>) {
		this.#sink = sink;
		this.#settle = settle;
	}

	async write(bytes: Buffer): Promise<void> {
		this.#held.push(Buffer.from(bytes));
		this.#heldBytes += bytes.length;
		if (this.#heldBytes >= HELD_BYTES) await this.release();
	}

	/**
	 * Makes the cards durable, then passes on all bytes written so far. It must be called once more at the end of the
	 * file.
	 */
	async release(): Promise<void> {
		const held = this.#held;
		this.#held = [];
		this.#heldBytes = 0;
		try {
			await this.#settle();
		} catch (error) {
			// Nobody gets this output, which may hold card numbers in clear.
			for (const bytes of held) bytes.fill(0);
			throw error;
		}
		for (const bytes of held) await this.#sink.write(bytes);
	}
}
