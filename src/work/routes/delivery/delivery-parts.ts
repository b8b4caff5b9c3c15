// The parts that every step of a delivery works with.

import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Clock } from '../../../base/clock.ts';
import { transact } from '../../../base/database/dialect.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import type { Database } from '../../../base/database/open.ts';
import type { Audit } from '../../../trail/audit.ts';
import type { Drops } from '../../drops/drops.ts';
import type { Intake } from '../../jobs/intake.ts';
import type { Messages } from '../../pgp/messages.ts';
import type { Route } from '../document/route.ts';
import type { LedgerRow } from '../ledger/ledger-store.ts';
import { ledgerStore } from '../ledger/ledger-store.ts';
import { RunLostError } from '../runs/run-errors.ts';
import { runStore } from '../runs/run-store.ts';

/** The run that a step belongs to. */
export interface RunContext {
	readonly id: string;
	readonly daemonId: string;
	readonly routeId: string;
	readonly route: Route;
	readonly accountId: AccountId;
	readonly userId: string;
	readonly options: Readonly<Record<string, unknown>> | undefined;
	/** Names the route in the audit trail. */
	readonly subject: string;
	readonly actor: string;
	readonly signal: AbortSignal;
}

export interface DeliveryParts {
	readonly database: Database;
	readonly drops: Drops;
	readonly intake: Intake;
	/** Decrypts and encrypts the files with which nothing else is done. */
	readonly messages: Messages;
	readonly audit: Pick<Audit, 'record'>;
	readonly clock: Clock;
}

/** What is done in the transaction in which a row of the ledger changes. */
interface Alongside {
	readonly entry?: { readonly action: string; readonly details: Readonly<Record<string, string | number | null>> };
	/** Does more, given the row as it is from now on. */
	readonly alongside?: (transaction: Knex.Transaction, noted: LedgerRow) => Promise<void>;
}

/**
 * Changes a row of the ledger, and does what belongs to that in the same transaction, as long as this daemon has the run.
 * @throws RunLostError if another daemon has it
 */
export async function note(
	parts: Pick<DeliveryParts, 'database' | 'audit'>,
	run: RunContext,
	row: LedgerRow,
	changes: Partial<LedgerRow>,
	also: Alongside = {},
): Promise<LedgerRow> {
	return transact(parts.database, (transaction) => noteWithin(parts, run, row, { changes, ...also }, transaction));
}

/** Like `note`, within a transaction that does more. */
export async function noteWithin(
	{ audit }: Pick<DeliveryParts, 'audit'>,
	run: RunContext,
	row: LedgerRow,
	{ changes, entry, alongside }: Alongside & { readonly changes: Partial<LedgerRow> },
	transaction: Knex.Transaction,
): Promise<LedgerRow> {
	const noted = { ...row, ...changes };
	if (!(await runStore(transaction).isOurs(run.id, run.daemonId))) throw new RunLostError();
	if (!(await ledgerStore(transaction).update(row, changes))) throw new RunLostError();
	await alongside?.(transaction, noted);
	const about = { actor: run.actor, subject: run.subject, account: { within: run.accountId } };
	if (entry) await audit.record({ ...about, ...entry }, transaction);
	return noted;
}

/** Hands the pieces of a file on to `write`; returns the SHA-256 of the whole, in hex. */
export async function copyHashed(
	pieces: AsyncIterable<Buffer>,
	signal: AbortSignal,
	write: (piece: Buffer) => Promise<unknown>,
): Promise<string> {
	const hash = createHash('sha256');
	for await (const piece of pieces) {
		signal.throwIfAborted();
		hash.update(piece);
		await write(piece);
	}
	return hash.digest('hex');
}
