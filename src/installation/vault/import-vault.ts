// Stores the records of an export that another installation wrote, under the tokens they have there. The file is read
// twice: nothing is stored before all of it was decrypted, authenticated and judged.

import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { LockedError, takeExclusiveLock } from '../../base/database/locks.ts';
import type { Database } from '../../base/database/open.ts';
import { ServiceError } from '../../base/errors.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { NamedKey } from '../../base/openpgp/message-task.ts';
import { type MessageThreads, openMessageThreads } from '../../base/openpgp/message-threads.ts';
import { discardPages } from '../../engine/engine.ts';
import type { Identity } from '../../people/identity/identity.ts';
import type { Actor } from '../../trail/actor.ts';
import type { Audit } from '../../trail/audit.ts';
import { foreignTokenStore } from '../../vault/tokens/foreign-token-store.ts';
import { ImportAccounts } from './import-accounts.ts';
import { ImportRun, type LineProblem } from './import-run.ts';
import { readMessageLines } from './message-lines.ts';

export interface VaultImport {
	readonly path: string;
	/** The secret key that opens the file. */
	readonly key: NamedKey;
	readonly environment: string;
	readonly actor: Actor;
	/** The data directory, which all processes of an installation share. */
	readonly dataDir: string;
	/** User IDs here of those accounts that are called otherwise in the file. */
	readonly renamed: ReadonlyMap<string, string>;
	/** Whether the rest is stored if some records have problems. */
	readonly leavesOut: boolean;
	readonly isTrial: boolean;
	onProblems(problems: readonly LineProblem[]): Promise<void>;
	onProgress(step: 'checking' | 'storing', bytes: number, total: number): void;
}

export interface Imported {
	/** The name of the export, which both installations have in their trails. */
	readonly export: string;
	readonly records: number;
	readonly stored: number;
	/** The records that were here already, for example because an import was cut off. */
	readonly present: number;
	readonly problems: number;
	/** False if nothing was stored, because there were problems or it was a trial. */
	readonly isStored: boolean;
	/** The SHA-256 of the encrypted file, in hexadecimal. */
	readonly sha256: string;
}

/**
 * Imports a file. What was cut off goes on when it is imported again: records that are here are passed over.
 * @throws ServiceError if the file is not an export, is damaged or was cut off, or its accounts are not here
 */
export async function importVault(parts: ImportParts, order: VaultImport): Promise<Imported> {
	const lock = lockImports(order.dataDir);
	const threads = openMessageThreads({ threads: 1 });
	try {
		return await importWith(threads, parts, order);
	} finally {
		await threads.close();
		lock.close();
	}
}

interface ImportParts {
	database: Database;
	keyRing: KeyRing;
	audit: Audit;
	identity: Pick<Identity, 'accounts'>;
	clock: Clock;
}

async function importWith(
	threads: MessageThreads,
	{ database, keyRing, audit, identity, clock }: ImportParts,
	order: VaultImport,
): Promise<Imported> {
	if (!order.isTrial) await dropUnfinished(database);
	const accounts = new ImportAccounts({ identity }, order.renamed);
	const runOf = (stores: boolean) =>
		new ImportRun({ database, keyRing, accounts, clock }, { environment: order.environment, stores });
	const checked = runOf(false);
	const sha256 = await read(threads, order, 'checking', checked, (problems) => order.onProblems(problems));
	const { first, records, problems } = checked.end();
	const told = { export: first.export, records, problems, sha256 };
	if (order.isTrial || (problems > 0 && !order.leavesOut)) {
		return { ...told, stored: 0, present: checked.present, isStored: false };
	}
	const userIds = first.accounts.map((userId) => accounts.nameHere(userId));
	const entry = { actor: order.actor, action: 'vault.import' };
	for (const userId of userIds) {
		const details = { export: first.export };
		await audit.record({ ...entry, action: 'vault.import.begin', subject: `account ${userId}`, details });
	}
	const stored = runOf(true);
	let isWhole = false;
	try {
		// The problems were told already. Those that came up meanwhile are counted.
		const again = await read(threads, order, 'storing', stored, async () => {});
		if (again !== sha256) throw new Error('the file was changed while it was read');
		isWhole = true;
	} catch (error) {
		throw new Error(`${textOf(error)}; ${stored.stored} records are stored: import the same file again to go on`, {
			cause: error,
		});
	} finally {
		await stored.close();
		for (const userId of userIds) {
			const { stored: mine = 0, present = 0 } = stored.countsOf(userId) ?? {};
			const details = { export: first.export, records: mine, present, isWhole };
			await audit.record({ ...entry, subject: `account ${userId}`, details });
		}
	}
	return { ...told, problems: stored.problems, stored: stored.stored, present: stored.present, isStored: true };
}

async function read(
	threads: MessageThreads,
	order: VaultImport,
	step: 'checking' | 'storing',
	run: ImportRun,
	onProblems: (problems: readonly LineProblem[]) => Promise<void>,
): Promise<string> {
	return readMessageLines(threads, {
		path: order.path,
		key: order.key,
		onProgress: (bytes, total) => order.onProgress(step, bytes, total),
		async take(lines) {
			await onProblems(await run.take(lines));
		},
	});
}

/** Two imports at once might both store the same record. The system releases the lock however the process ends. */
function lockImports(folder: string): { close(): void } {
	try {
		return takeExclusiveLock(join(folder, 'vault-import.lock'));
	} catch (cause) {
		if (!(cause instanceof LockedError)) throw cause;
		throw new Error('another import of a vault is under way', { cause });
	}
}

/** Drops the records of an import that was killed in the middle of a step; all before that step stays. */
async function dropUnfinished(database: Database): Promise<void> {
	const passes = await foreignTokenStore(database.knex, database.dialect).listUnfinished();
	for (const pass of passes) await discardPages(database, pass);
}

function textOf(error: unknown): string {
	if (error instanceof ServiceError && error.at?.line !== undefined) return `${error.message} (line ${error.at.line})`;
	return error instanceof Error ? error.message : String(error);
}
