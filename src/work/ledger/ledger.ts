// Keeps the books of one pass over cards: it drops what an earlier attempt left, checks the allowance, records the pass
// in the audit trail, takes units from the account, and at the end adopts or drops the pages of the pass. Every pass
// goes through a ledger.

import type { Knex } from 'knex';
import { transact } from '../../base/database/dialect.ts';
import type { AccountId, JobId, PassId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import { makeUlid } from '../../base/database/ulid.ts';
import type { Logger } from '../../base/log/log.ts';
import type { TransferEngine } from '../../engine/engine.ts';
import type { Allowance } from '../../people/identity/accounts/allowance.ts';
import type { Payer } from '../../people/identity/accounts/allowance-store.ts';
import type { Actor } from '../../trail/actor.ts';
import type { Audit } from '../../trail/audit.ts';
import type { AuditDetails, AuditEntry } from '../../trail/entry.ts';
import { OTHER_NUMBERS_FOUND, otherNumbersEntries } from '../../trail/other-numbers.ts';
import type { JobPass, LonePass } from '../../vault/pages/page-owner.ts';
import { allowanceWarning, explainRefusal } from './allowance-texts.ts';

export interface LedgersOptions {
	readonly database: Database;
	readonly audit: Pick<Audit, 'record' | 'recordAll'>;
	readonly allowance: Pick<Allowance, 'check' | 'count' | 'takeUpTo' | 'findUsage'>;
	readonly engine: Pick<TransferEngine, 'adopt' | 'discard' | 'discardAttempts'>;
	/** The logger; absent for a command, whose user reads what the command prints. */
	readonly logger?: Pick<Logger, 'warn' | 'error'>;
}

export interface AttemptedJob {
	readonly id: JobId;
	/** Locks the job, and throws if it belongs to another attempt now, whose pages must not be dropped. */
	requireOurs(transaction: Knex.Transaction): Promise<void>;
}

/** Describes a pass as the audit trail names it, and names the account that pays. */
export interface LedgerPass {
	readonly id: PassId;
	readonly job?: AttemptedJob;
	/**
	 * The kind of the pass. A stream, a batch, a transfer and an import get an entry in the trail at their beginning, and
	 * another if they break off, because tokens or cards may have been sent by then. A file and a job get neither entry,
	 * because they happen completely or not at all. For a job, a file and an import, a person reads how the pass ended,
	 * so the text of an error also says what to do.
	 */
	readonly kind: 'stream' | 'batch' | 'transfer' | 'import' | 'file' | 'job';
	/** True if the pass stores cards. Each stored card costs the paying account a unit. */
	readonly storesCards: boolean;
	readonly payer: Payer;
	readonly actor: Actor;
	/** The subject of the entries in the trail, for example `stream 01j…` or `job 01j…`. */
	readonly subject: string;
	/** The action of the entry at the end, for example `file.tokenize`. That at the beginning has `.begin` appended. */
	readonly action: string;
	readonly details?: AuditDetails;
}

export interface PassResult {
	/** The number of cards in the output, if it is known. If the pass stores cards, each costs a unit. */
	readonly cards?: number;
	/** Further details for the entry in the trail, in addition to `cards` and the details of the pass. */
	readonly details?: AuditDetails;
	/** For a pass over a file, this is the number of card numbers at places where the format expects none. */
	readonly others?: { readonly filter: string; readonly otherNumbers: number };
}

export interface PassEnd {
	readonly id: PassId;
	readonly payer: Payer;
	readonly units: number;
	readonly entries: readonly AuditEntry[];
}

export type Ledger = ReturnType<typeof openLedger>;

export type Ledgers = ReturnType<typeof openLedgers>;

export function openLedgers(options: LedgersOptions) {
	return {
		open: (pass: LedgerPass) => openLedger(options, pass),
		/**
		 * Ends complete passes within the caller's transaction. This must be the last step in it, because all other writers of
		 * the audit trail wait until the transaction ends.
		 * @throws StoredMeanwhileError if duplicates are eliminated and a card of a pass got another token in the meantime
		 */
		end: (ends: readonly PassEnd[], transaction: Knex.Transaction) => endPasses(options, ends, transaction),
	};
}

function openLedger(options: LedgersOptions, pass: LedgerPass) {
	const { database, audit, allowance, engine, logger } = options;
	const { id, kind, storesCards, payer, actor, subject, action } = pass;
	const isWholeOrNothing = kind === 'file' || kind === 'job';
	const about = { actor, subject, account: payer.ownerId };
	const isMetered = storesCards && !payer.isUnmetered;
	let isAsked = false;
	let taken = 0;

	const ask = async () => {
		if (storesCards) {
			const asking = allowance.check(payer);
			await (isWholeOrNothing || kind === 'import'
				? asking.catch((error) => explainRefusal(allowance, payer.ownerId, error))
				: asking);
		}
		isAsked = true;
	};
	const endOf = ({ cards, details, others }: PassResult, isWhole: boolean): PassEnd => {
		const told = {
			...pass.details,
			...(cards !== undefined && { cards }),
			...details,
			...(!isWholeOrNothing && { isWhole }),
		};
		const units = storesCards ? Math.max(0, (cards ?? 0) - taken) : 0;
		const found = others ? otherNumbersEntries({ ...about, ...others }) : [];
		return { id, payer, units, entries: [{ ...about, action, details: told }, ...found] };
	};
	const end = async (result: PassResult, isWhole: boolean) => {
		const ended = [endOf(result, isWhole)];
		await transact(database, (transaction) => (isWhole ? endPasses : countPasses)(options, ended, transaction));
		const { others } = result;
		if (others && others.otherNumbers > 0) logger?.warn({ passId: id, ...others }, OTHER_NUMBERS_FOUND);
	};

	return {
		/**
		 * Checks that the paying account has units left, for a caller who must know before the pass begins.
		 * @throws ServiceError `allowance-exceeded`
		 */
		ask,
		/**
		 * Begins the pass; call it before the first card is processed. It drops what an earlier attempt left, and checks the
		 * allowance unless `ask` has already checked it.
		 * @throws ServiceError `allowance-exceeded`
		 */
		async begin(): Promise<void> {
			// Only a job can have earlier attempts, of which something may be left.
			if (pass.job) await engine.discardAttempts(pass.job.id, { except: id, requireOurs: pass.job.requireOurs });
			if (!isAsked) await ask();
			if (isWholeOrNothing) return;
			await audit.record({ ...about, action: `${action}.begin`, details: pass.details });
		},
		/**
		 * Takes up to this many units from the allowance during the pass, and returns how many it took. The end of the pass
		 * does not charge them again. Absent if the pass stores no cards or the account has no limit.
		 */
		...(isMetered && {
			async takeUnits(units: number): Promise<number> {
				const got = await allowance.takeUpTo(payer, units);
				taken += got;
				return got;
			},
		}),
		/** Returns a warning for the report if storing this many cards leaves little of the allowance. */
		async findWarning(cards: number): Promise<string | undefined> {
			return storesCards ? allowanceWarning(await allowance.findUsage(payer.ownerId), cards) : undefined;
		},
		/**
		 * Ends a pass that is complete, in one transaction.
		 * @throws StoredMeanwhileError if duplicates are eliminated and a card of the pass got another token in the meantime
		 */
		end: (result: PassResult) => end(result, true),
		/** Returns units and entries of a complete pass, for who ends several in one transaction with `Ledgers.end`. */
		endOf: (result: PassResult) => endOf(result, true),
		/**
		 * Ends a pass that broke off: records what was kept, and drops the pages whose tokens the caller never got. It never
		 * throws, so that the caller sees the first failure and not a later one.
		 */
		async endBroken(kept: PassResult): Promise<void> {
			await engine.discard(id).catch((err) => {
				logger?.error({ err, passId: id }, `pages of a broken ${kind} stay for now`);
			});
			if (isWholeOrNothing) return;
			await end(kept, false).catch((err) => {
				logger?.error({ err, passId: id }, `the end of a broken ${kind} is not in the audit trail`);
			});
		},
	};
}

async function endPasses(
	{ audit, allowance, engine }: LedgersOptions,
	ends: readonly PassEnd[],
	transaction: Knex.Transaction,
): Promise<void> {
	// Pages are adopted before anything else is written, because a file whose tokens stand for no card would be worse than
	// cards without a file.
	await engine.adopt(
		transaction,
		ends.map(({ id }) => id),
	);
	await countPasses({ audit, allowance }, ends, transaction);
}

/** Charges the units of passes to the accounts that pay, and records the ends of the passes in the audit trail. */
async function countPasses(
	{ audit, allowance }: Pick<LedgersOptions, 'audit' | 'allowance'>,
	ends: readonly PassEnd[],
	transaction: Knex.Transaction,
): Promise<void> {
	const units = new Map<AccountId, number>();
	for (const { payer, units: more } of ends) units.set(payer.ownerId, (units.get(payer.ownerId) ?? 0) + more);
	// Every daemon changes accounts in the order of their ids, so that two transactions cannot deadlock.
	for (const [ownerId, sum] of [...units].toSorted(([one], [other]) => one - other))
		await allowance.count({ ownerId }, sum, transaction);
	await audit.recordAll(
		ends.flatMap(({ entries }) => entries),
		transaction,
	);
}

/** Returns a new pass, with an id of its own, over a file or batch that belongs to no job. */
export function lonePass(nowMs: number): LonePass {
	return { id: makeUlid(nowMs) as PassId, begunAt: nowMs };
}

export function jobPass(jobId: JobId, nowMs: number): JobPass {
	return { id: makeUlid(nowMs) as PassId, jobId };
}
