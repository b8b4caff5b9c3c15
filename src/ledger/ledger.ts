// Keeps the books of one pass over cards: it drops what an earlier attempt left, checks the allowance, records the pass
// in the audit trail, takes units from the account, and at the end makes the pages of the pass count or drops them. All
// of this happens here and nowhere else.

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
	/** The logger; absent for a command, whose user reads what the command prints. */
	readonly logger?: Pick<Logger, 'warn' | 'error'>;
}

/** Describes a pass as the audit trail names it, and names the account that pays. */
export interface LedgerPass {
	readonly id: PassId;
	/**
	 * The kind of the pass. A stream, a batch, a transfer and an import get an entry in the trail at their beginning, and
	 * another if they break off, because tokens or cards may have been sent by then. A file and a job happen completely
	 * or not at all, so they need neither. For a job, a file or an import, a person reads how it ended, so the error then
	 * says what to do.
	 */
	readonly kind: 'stream' | 'batch' | 'transfer' | 'import' | 'file' | 'job';
	/** True if the pass stores cards, because each stored card costs a unit. */
	readonly storesCards: boolean;
	readonly payer: Payer;
	readonly actor: Actor;
	/** The subject of the entries in the trail, for example `stream 01j…` or `job 01j…`. */
	readonly subject: string;
	/**
	 * The name of the entry at the end of the pass, for example `file.tokenize`. The entry at its beginning has `.begin`
	 * appended.
	 */
	readonly action: string;
	/** These details are added to every entry of the pass. */
	readonly details?: AuditDetails;
}

/** Describes how a pass ended. */
export interface PassResult {
	/** The number of cards in what was written, if it is known. If the pass stores cards, each costs a unit. */
	readonly cards?: number;
	/** Further details for the entry in the trail, in addition to `cards` and the details of the pass. */
	readonly details?: AuditDetails;
	/** For a pass over a file, this is the number of card numbers at places where the format expects none. */
	readonly others?: { readonly filter: string; readonly otherNumbers: number };
}

export interface Ledger {
	/**
	 * Checks that the paying account has units left, for a caller who must know before the pass begins.
	 * @throws ServiceError `allowance-exceeded`
	 */
	ask(): Promise<void>;
	/**
	 * Begins the pass; call it before the first card is processed. It drops what an earlier attempt left, and checks the
	 * allowance unless `ask` was called.
	 * @throws ServiceError `allowance-exceeded`
	 */
	begin(): Promise<void>;
	/**
	 * Takes up to this many units during the pass and returns how many were left to take. They are not charged again at
	 * the end. Absent if the account has no limit.
	 */
	readonly takeUnits?: (units: number) => Promise<number>;
	/** Returns a warning for the report if storing so many cards leaves little of the allowance. */
	findWarning(cards: number): Promise<string | undefined>;
	/**
	 * Ends a pass that is complete, in one transaction.
	 * @throws StoredMeanwhileError if duplicates are eliminated and a card of the pass got another token in the meantime
	 */
	end(result: PassResult): Promise<void>;
	/**
	 * Ends a pass that is complete within the caller's transaction, except for its entry in the trail. The caller calls
	 * `record` afterwards.
	 * @throws StoredMeanwhileError as `end` does
	 */
	settle(result: PassResult, transaction: Knex.Transaction): Promise<void>;
	/**
	 * Records the end of a pass in the caller's transaction. This must be the last step in it, because all other writers
	 * of the trail wait until the transaction ends.
	 */
	record(result: PassResult, transaction: Knex.Transaction): Promise<void>;
	/**
	 * Records what was kept after a failure, and drops the pages whose tokens the caller never got. It never throws, so
	 * that the caller sees the first failure and not a later one.
	 */
	endBroken(kept: PassResult): Promise<void>;
}

/** Opens the ledger of one pass. */
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
	const count = ({ cards = 0 }: PassResult, transaction: Knex.Transaction) =>
		allowance.count(payer, storesCards ? Math.max(0, cards - taken) : 0, transaction);
	const settle = async (result: PassResult, transaction: Knex.Transaction) => {
		// Pages are made to count before anything else is written, because a file whose tokens stand for no card would be
		// worse than cards without a file.
		await engine.adopt(transaction, id);
		await count(result, transaction);
	};
	const record = async ({ cards, details, others }: PassResult, isWhole: boolean, transaction: Knex.Transaction) => {
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
		await transact(database, async (transaction) => {
			await (isWhole ? settle : count)(result, transaction);
			await record(result, isWhole, transaction);
		});
		const { others } = result;
		if (others && others.otherNumbers > 0) logger?.warn({ passId: id, ...others }, OTHER_NUMBERS_FOUND);
	};

	return {
		ask,
		async begin() {
			// Only a job can have earlier attempts; every other pass has a new id, so nothing can be left from it.
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
		end: (result) => end(result, true),
		settle,
		record: (result, transaction) => record(result, true, transaction),
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
