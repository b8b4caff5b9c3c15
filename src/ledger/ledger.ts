// Writes down one pass over cards, whoever runs it: the audit trail records the pass, its account pays for it, and at
// its end its pages either start to count or are dropped.

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

/** These objects are needed to write down the end of a pass. */
export interface EndingRooms {
	readonly audit: Pick<Audit, 'record'>;
	readonly allowance: Pick<Allowance, 'count'>;
	readonly engine: Pick<TransferEngine, 'adopt'>;
}

export interface LedgerRooms extends EndingRooms {
	readonly database: Database;
	readonly engine: Pick<TransferEngine, 'adopt' | 'discard'>;
	readonly logger: Logger;
}

/** Describes a pass as the audit trail names it, and names the account that pays. */
export interface LedgerPass {
	readonly id: PassId;
	readonly payer: Pick<Payer, 'ownerId'>;
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
	/** The entry at the end contains these details in addition to those of the pass. */
	readonly details: AuditDetails;
	/** The account owes this many units at the end of the pass; 0 if they were paid for during the pass. */
	readonly units: number;
	/** If the pass was over a file, this counts the numbers that look like cards but stand where the format has none. */
	readonly others?: { readonly filter: string; readonly otherNumbers: number };
}

/**
 * Keeps the books of a pass that sends its answer or output while it runs. Tokens that were sent before a failure stay
 * valid.
 */
export interface Ledger {
	/** Writes the pass into the trail before the first card is exchanged. */
	begin(): Promise<void>;
	/** Writes down the end of a complete pass in one transaction. */
	end(result: PassResult): Promise<void>;
	/**
	 * Writes down what was kept after a failure, and drops the pages whose tokens the caller was never told. It never
	 * throws, because the caller has to hear of the first failure and not of a later one.
	 */
	endBroken(kept: PassResult): Promise<void>;
}

/** Opens the books of one pass. The log calls the pass by its `kind`. */
export function openLedger(
	{ database, logger, ...rooms }: LedgerRooms,
	{ kind, ...pass }: LedgerPass & { readonly kind: 'stream' | 'batch' | 'transfer' },
): Ledger {
	const { id } = pass;
	const end = async ({ details, ...result }: PassResult, isWhole: boolean) => {
		const told = { ...result, details: { ...details, isWhole } };
		const write = isWhole ? endPass : writeEnd;
		await transact(database, (transaction) => write(rooms, pass, told, transaction));
		const { others } = result;
		if (others && others.otherNumbers > 0) logger.warn({ passId: id, ...others }, OTHER_NUMBERS_FOUND);
	};
	return {
		begin() {
			const { actor, subject, action, details } = pass;
			return rooms.audit.record({ actor, subject, action: `${action}.begin`, details });
		},
		end: (result) => end(result, true),
		async endBroken(kept) {
			await rooms.engine.discard(id).catch((err) => {
				logger.error({ err, passId: id }, `pages of a broken ${kind} stay for now`);
			});
			await end(kept, false).catch((err) => {
				logger.error({ err, passId: id }, `the end of a broken ${kind} is not in the audit trail`);
			});
		},
	};
}

/**
 * Writes down the end of a pass in the caller's transaction: its pages count from then on, its account has paid, and
 * the trail has its entry. Call it last in the transaction, because every other writer of the trail waits until the
 * transaction ends.
 * @throws StoredMeanwhileError if the pass was to eliminate duplicates and one of its cards got another token in the
 * meantime
 */
export async function endPass(
	rooms: EndingRooms,
	pass: LedgerPass,
	result: PassResult,
	transaction: Knex.Transaction,
): Promise<void> {
	// The pages come first: a file with tokens that lead nowhere would be worse than tokens that are in no file.
	await rooms.engine.adopt(transaction, pass.id);
	await writeEnd(rooms, pass, result, transaction);
}

async function writeEnd(
	{ allowance, audit }: Omit<EndingRooms, 'engine'>,
	{ payer, actor, subject, action, details }: LedgerPass,
	result: PassResult,
	transaction: Knex.Transaction,
): Promise<void> {
	await allowance.count(payer, result.units, transaction);
	await audit.record({ actor, subject, action, details: { ...details, ...result.details } }, transaction);
	if (result.others) await recordOtherNumbers(audit, { actor, subject, ...result.others }, transaction);
}
