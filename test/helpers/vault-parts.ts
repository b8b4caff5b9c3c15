// Opens keys, vault and engine over a fresh database, for tests that swap real cards.

import type { ExecutionContext } from 'ava';
import type { Clock } from '../../src/base/clock.ts';
import type { Dialect } from '../../src/base/database/dialect.ts';
import type { AccountId, PassId } from '../../src/base/database/ids.ts';
import type { Database } from '../../src/base/database/open.ts';
import type { KeyRing } from '../../src/base/keys/key-ring.ts';
import { type TransferAccount, type TransferEngine, transferEngine } from '../../src/engine/engine.ts';
import type { Direction, Format } from '../../src/engine/format.ts';
import type { ReportEntry, Summary } from '../../src/engine/report.ts';
import type { WindowLimits } from '../../src/engine/window.ts';
import { openVault, type Vault } from '../../src/vault/vault.ts';
import { ReportBook } from '../../src/work/jobs/attempts/report-book.ts';
import { FIXTURE_TIME, openBegunDatabase } from './begun-database.ts';

/** Returns a clock that tests turn. It starts in the month that fixtures are judged against, whatever the calendar says. */
export function turnableClock(start = FIXTURE_TIME): Clock & { turn(milliseconds: number): void } {
	let time = start.getTime();
	return {
		now: () => new Date(time),
		turn(milliseconds) {
			time += milliseconds;
		},
	};
}

export interface VaultParts {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly vault: Vault;
	readonly clock: ReturnType<typeof turnableClock>;
	engine(formats: readonly Format<never>[], limits?: WindowLimits): TransferEngine;
}

/**
 * Opens parts in which account 1 keeps CVVs, account 2 does not, and account 3 is a sub-user of 1. Everything closes with
 * the test.
 */
export async function openVaultParts(t: ExecutionContext<unknown>, dialect: Dialect = 'sqlite'): Promise<VaultParts> {
	const clock = turnableClock();
	const { database, keyRing } = await openBegunDatabase(t, dialect, clock);
	const vault = await openVault({ database, keyRing, clock });
	return {
		database,
		keyRing,
		vault,
		clock,
		engine: (formats, limits) =>
			transferEngine({
				database,
				keyRing,
				formats: new Map(formats.map((format) => [format.filter, format as unknown as Format])),
				accounts: { getAccount, resolveMerchant: async (_, userId) => Number(userId) as AccountId },
				clock,
				limits,
			}),
	};
}

async function getAccount(accountId: AccountId): Promise<TransferAccount> {
	const ownerId = (accountId === 3 ? 1 : accountId) as AccountId;
	return { ownerId, accountId, hasCvvRetention: ownerId === 1 };
}

export interface Swapped {
	readonly bytes: Buffer;
	readonly summary: Summary;
	readonly entries: ReportEntry[];
	/** The same entries in the form of a report. */
	readonly book: ReportBook;
}

let passes = 0;

/** Runs bytes through the engine as one job and adopts its pages, as a publishing transaction would. */
export async function swap(
	parts: Pick<VaultParts, 'database'>,
	engine: TransferEngine,
	request: {
		readonly filter: string;
		readonly direction: Direction;
		readonly bytes: Buffer;
		readonly options?: unknown;
		readonly accountId?: number;
		/** The sizes of the pieces that the source hands over, in turn. */
		readonly chunkSizes?: readonly number[];
	},
): Promise<Swapped> {
	const pass = { id: `01testpass${String(++passes).padStart(16, '0')}` as PassId, begunAt: 0 };
	const output: Buffer[] = [];
	const entries: ReportEntry[] = [];
	const book = new ReportBook();
	const summary = await engine.run({
		pass,
		accountId: (request.accountId ?? 1) as AccountId,
		direction: request.direction,
		filter: request.filter,
		options: request.options ?? {},
		source: chunks(request.bytes, request.chunkSizes ?? [65_536]),
		sink: {
			async write(bytes) {
				output.push(Buffer.from(bytes));
			},
		},
		report: {
			entry(entry) {
				entries.push(entry);
				return book.entry(entry);
			},
			warned: (...told) => book.warned(...told),
		},
	});
	await parts.database.knex.transaction((transaction) => engine.adopt(transaction, [pass.id]));
	return { bytes: Buffer.concat(output), summary, entries, book };
}

async function* chunks(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
	for (let at = 0, turn = 0; at < bytes.length; turn++) {
		const size = Math.max(1, sizes[turn % sizes.length]);
		yield Buffer.from(bytes.subarray(at, at + size));
		at += size;
	}
}
