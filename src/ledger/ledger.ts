// The books of one pass over cards, whoever runs it: what an earlier attempt left goes, the allowance is asked, the audit
// trail has the pass, its account pays for it, and its pages count from its end on or are dropped. Nobody else does any of
// this for a pass.

import type { Knex } from 'knex';
import type { Actor } from '../actor.ts';
import type { Audit } from '../audit/audit.ts';
import type { AuditDetails } from '../audit/entry.ts';
import { OTHER_NUMBERS_FOUND, recordOtherNumbers } from '../audit/other-numbers.ts';
import { transact } from '../database/dialect.ts';
import type { PassId } from '../database/ids.ts';
import type { Database } from '../database/open.ts';
import type { Allowance } from '../identity/allowance.ts';
import type { Payer } from '../identity/allowance-store.ts';
import type { Logger } from '../log.ts';
import type { TransferEngine } from '../transfer/engine.ts';
import { allowanceWarning, explainRefusal } from './allowance-texts.ts';

export interface LedgerRooms {
	readonly database: Database;
	readonly audit: Pick<Audit, 'record'>;
	readonly allowance: Pick<Allowance, 'check' | 'count' | 'takeUpTo' | 'findUsage'>;
	readonly engine: Pick<TransferEngine, 'adopt' | 'discard'>;
	/** Absent for a command, whose user reads what it prints. */
	readonly logger?: Pick<Logger, 'warn' | 'error'>;
}

/** Describes a pass as the audit trail names it, and names the account that pays. */
export interface LedgerPass {
	readonly id: PassId;
	/**
	 * A stream, a batch, a transfer and an import have entries for their beginning and for a broken end, because something may
	 * have left by then. A file and a job happen whole or not at all. Who reads of the end of a job, a file or an import is a
	 * person, who is told what to do.
	 */
	readonly kind: 'stream' | 'batch' | 'transfer' | 'import' | 'file' | 'job';
	/** Whether it stores cards, which is what costs units. */
	readonly storesCards: boolean;
	readonly payer: Payer;
	readonly actor: Actor;
	/** The entries of the trail are about this subject, for example `stream 01j…` or `job 01j…`. */
	readonly subject: string;
	/**
	 * Names the entry at the end of the pass, for example `file.tokenize`. The entry at its beginning has `.begin`
	 * appended.
	 */
	readonly action: string;
	/** Every entry of the pass contains these details. */
	readonly details?: AuditDetails;
}

/** Tells how a pass ended. */
export interface PassResult {
	/** The cards that stand in what was written, if that is known. Where the pass stores cards, each costs a unit. */
	readonly cards?: number;
	/** Besides `cards` and the details of the pass. */
	readonly details?: AuditDetails;
	/** If the pass was over a file, this counts the numbers that look like cards but stand where the format has none. */
	readonly others?: { readonly filter: string; readonly otherNumbers: number };
}

export interface Ledger {
	/**
	 * Asks whether the payer has anything left, for a caller who has to know before the pass begins.
	 * @throws ServiceError `allowance-exceeded`
	 */
	ask(): Promise<void>;
	/**
	 * To be told before the first card moves: drops what an earlier attempt left, and asks unless somebody has.
	 * @throws ServiceError `allowance-exceeded`
	 */
	begin(): Promise<void>;
	/**
	 * Takes units while the pass goes on, as many as are left of them, and returns how many. They are not paid again at the
	 * end. Absent where there is no limit.
	 */
	readonly takeUnits?: (units: number) => Promise<number>;
	/** What the reader of a report is to know of the allowance when so many cards have been stored. */
	findWarning(cards: number): Promise<string | undefined>;
	/**
	 * The end of a whole pass, in one transaction: that of the caller, as the last thing in it because every other writer of
	 * the trail waits until it ends, or one of its own.
	 * @throws StoredMeanwhileError when a card it was to eliminate as a duplicate got another token in the meantime
	 */
	end(result: PassResult, transaction?: Knex.Transaction): Promise<void>;
	/**
	 * Writes down what was kept after a failure, and drops the pages whose tokens the caller was never told. It never
	 * throws, because the caller has to hear of the first failure and not of a later one.
	 */
	endBroken(kept: PassResult): Promise<void>;
}

/** Opens the books of one pass. */
export function openLedger(rooms: LedgerRooms, pass: LedgerPass): Ledger {
	const { database, audit, allowance, engine, logger } = rooms;
	const { id, kind, storesCards, payer, actor, subject, action } = pass;
	const isWholeOrNothing = kind === 'file' || kind === 'job';
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
	const write = async ({ cards, details, others }: PassResult, isWhole: boolean, transaction: Knex.Transaction) => {
		// The pages come first: a file with tokens that lead nowhere would be worse than tokens that are in no file.
		if (isWhole) await engine.adopt(transaction, id);
		await allowance.count(payer, storesCards ? Math.max(0, (cards ?? 0) - taken) : 0, transaction);
		const told = {
			...pass.details,
			...(cards !== undefined && { cards }),
			...details,
			...(!isWholeOrNothing && { isWhole }),
		};
		await audit.record({ actor, subject, action, details: told }, transaction);
		if (others) await recordOtherNumbers(audit, { actor, subject, ...others }, transaction);
	};
	const end = async (result: PassResult, isWhole: boolean) => {
		await transact(database, (transaction) => write(result, isWhole, transaction));
		const { others } = result;
		if (others && others.otherNumbers > 0) logger?.warn({ passId: id, ...others }, OTHER_NUMBERS_FOUND);
	};

	return {
		ask,
		async begin() {
			// The id of any other pass is new, so nothing can be left under it.
			if (kind === 'job') await engine.discard(id);
			if (!isAsked) await ask();
			if (isWholeOrNothing) return;
			await audit.record({ actor, subject, action: `${action}.begin`, details: pass.details });
		},
		...(isMetered && {
			async takeUnits(units: number) {
				const got = await allowance.takeUpTo(payer, units);
				taken += got;
				return got;
			},
		}),
		async findWarning(cards) {
			return storesCards ? allowanceWarning(await allowance.findUsage(payer.ownerId), cards) : undefined;
		},
		end: (result, transaction) => (transaction ? write(result, true, transaction) : end(result, true)),
		async endBroken(kept) {
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
