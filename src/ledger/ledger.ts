// What is written down of one pass over cards, whoever runs it: the audit trail has it, its account pays for it, and its
// pages count from its end on or are dropped.

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

/** What the end of a pass is written with. */
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

/** A pass as the audit trail names it, and who pays. */
export interface LedgerPass {
	readonly id: PassId;
	readonly payer: Pick<Payer, 'ownerId'>;
	readonly actor: Actor;
	/** `stream 01j…`, `job 01j…`. */
	readonly subject: string;
	/** `file.tokenize`; the entry of its beginning has `.begin` behind it. */
	readonly action: string;
	/** Said in each of its entries. */
	readonly details?: AuditDetails;
}

/** What came of a pass. */
export interface PassResult {
	/** Besides the details of the pass. */
	readonly details: AuditDetails;
	/** What its payer owes at its end; 0 where that was taken on the way. */
	readonly units: number;
	/** Of a file: numbers that look like cards outside the places for them. */
	readonly others?: { readonly filter: string; readonly otherNumbers: number };
}

/** The books of a pass that answers or writes as it goes: what has left before a failure stays valid. */
export interface Ledger {
	/** In the trail before the first card moves. */
	begin(): Promise<void>;
	/** The end of a whole pass, in one transaction. */
	end(result: PassResult): Promise<void>;
	/**
	 * After a failure: drops the pages that nobody was told of, and writes down what was kept. The caller is to hear of the
	 * failure and of nothing that comes of this, so it never fails.
	 */
	endBroken(kept: PassResult): Promise<void>;
}

/** Opens the books of one pass. `kind` is what the log calls it. */
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
 * The end of a pass, in a transaction of the caller's: pages count from then on, the account has paid, and the trail has it.
 * To be called last in it: every other writer of the trail waits until it ends.
 * @throws StoredMeanwhileError when a card it was to eliminate as a duplicate got another token in the meantime
 */
export async function endPass(
	rooms: EndingRooms,
	pass: LedgerPass,
	result: PassResult,
	transaction: Knex.Transaction,
): Promise<void> {
	// Pages first: a file with tokens that lead nowhere would be worse than tokens that stand in no file.
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
