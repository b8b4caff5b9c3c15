// Gives seals to rows that were written before seals existed, once, at the first start of a version that has seals.
// Tables that got seals in a later version get them at the first start of that version. After that a row without a seal
// is refused. In the same way, seals that do not cover the generations or the secrets of their rows are replaced once. The
// audit trail records that this was done and for which tables, so that nobody can have other rows sealed by faking a
// second first start.

import { setImmediate as turn } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { keyStore } from '../../base/keys/key-store.ts';
import { type RowSealer, type RowShape, sealerWith } from '../../base/keys/rows/row-seals.ts';
import { rowSealsStore, type SealableRow } from '../../base/keys/rows/row-seals-store.ts';
import {
	GENERATIONS,
	LATER_SEALED,
	listUnsealed,
	noteSealed,
	SECRETS,
	sealedTableNames,
} from '../../base/keys/rows/sealed-tables.ts';
import type { Audit, BORN_SEALED } from '../../trail/audit.ts';
import { type AuditRow, auditStore } from '../../trail/audit-store.ts';
import { besideOf, sealedTables } from '../keys/sealed-tables.ts';
import { moveFormerEnds } from './former-ends.ts';

export interface AdoptionRooms {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly audit: Pick<Audit, 'record' | 'verify'>;
	/** The file in which earlier versions remembered ended credentials. */
	readonly formerEndsFile?: string;
}

const ACTION = 'integrity.adopt';
const ROWS_PER_STEP = 500;
const ENTRIES_PER_STEP = 1000;

/**
 * Seals every row that grants something, in one transaction with its entry in the trail, and returns how many rows it
 * sealed. If this was done before, it changes nothing and returns undefined.
 * @throws Error if the trail says that rows were sealed but their seals are gone, or if the trail is broken; with
 * `despiteTrail` the rows are sealed even then
 */
export async function adoptRows(
	rooms: AdoptionRooms,
	{ actor = 'daemon', despiteTrail = false } = {},
): Promise<number | undefined> {
	const { database, keyRing, audit } = rooms;
	const { isFirst, later } = await (despiteTrail ? findUnsealed(rooms) : findAdoptable(rooms));
	if (later.length === 0) return undefined;
	const adopt = async (transaction: Knex.Transaction, sealer: Pick<RowSealer, 'seal'>, checker?: RowSealer) => {
		let rows = 0;
		for (const shape of sealedTables) {
			const isAsked = shape !== sealedTableNames && (isFirst || later.includes(shape.table));
			if (isAsked) rows += await sealEach(transaction, shape, sealer);
			else if (checker) {
				for (const name of [GENERATIONS, SECRETS] as const) {
					const columns = later.includes(name) ? shape.former?.[name] : undefined;
					if (columns === undefined) continue;
					const former = { ...shape, columns };
					const isFormer = (row: SealableRow) => !checker.matches(shape, row) && checker.matches(former, row);
					rows += await sealEach(transaction, shape, sealer, isFormer);
				}
			}
		}
		if (checker && later.includes(GENERATIONS)) await moveFormerEnds(transaction, checker, rooms.formerEndsFile);
		await noteSealed(transaction, sealer, later, Date.now());
		const details = { rows, despiteTrail, tables: later.join() };
		await audit.record({ actor, action: ACTION, subject: 'installation', details }, transaction);
		return rows;
	};
	if (isFirst) {
		let rows: number | undefined;
		await keyRing.begin('seal', async (transaction, key) => {
			rows = await adopt(transaction, sealerWith(key));
		});
		return rows;
	}
	return keyRing.seals.transact(database, async (transaction, sealer) => {
		await keyStore(transaction).lock(database.dialect);
		// Another process has sealed the rows in the meantime, so nothing is left to do.
		if ((await listUnsealed(transaction, sealer)).length === 0) return undefined;
		return adopt(transaction, sealer, sealer);
	});
}

/**
 * Finds the tables whose rows may get seals now, if there are any; `isFirst` means that there is no key for seals either.
 * @throws Error if the trail says that rows were sealed but their seals are gone, or if the trail is broken
 */
export async function findAdoptable(
	rooms: AdoptionRooms,
): Promise<{ readonly isFirst: boolean; readonly later: readonly string[] }> {
	const unsealed = await findUnsealed(rooms);
	const { isFirst, later } = unsealed;
	if (later.length === 0) return unsealed;
	try {
		await (isFirst ? requireNoSeals(rooms) : requireNoneOf(rooms, later));
	} catch (error) {
		// The check also fails if another daemon, which starts at the same moment, has sealed the rows since they were
		// found without seals. Then there is nothing to do.
		const now = await findUnsealed(rooms);
		if (now.later.length === 0) return now;
		throw error;
	}
	return unsealed;
}

/** Seals the rows of a table, all or those that `isMeant` selects; returns how many. */
async function sealEach(
	transaction: Knex.Transaction,
	shape: RowShape,
	sealer: Pick<RowSealer, 'seal'>,
	isMeant: (row: SealableRow) => boolean = () => true,
): Promise<number> {
	const store = rowSealsStore(transaction, shape);
	let count = 0;
	let last: SealableRow | undefined;
	for (;;) {
		const rows = await store.listAfter(last, ROWS_PER_STEP);
		for (const row of rows.filter(isMeant)) {
			await store.replace(row, sealer.seal(shape, row, await besideOf(transaction, shape, row)));
			count++;
		}
		if (rows.length < ROWS_PER_STEP) return count;
		last = rows.at(-1);
		await turn();
	}
}

function requireNoSeals(rooms: AdoptionRooms): Promise<void> {
	const refuse = (why: string) => {
		throw new Error(
			`rows that grant access have lost their seals: ${why}. Somebody may have written into the database. Put back the ` +
				'table `keys` from a backup; or look through accounts, API keys, SSH keys and associations, and run `tokendrop key adopt`',
		);
	};
	return readAdoptions(rooms, {
		onBroken: () => refuse('there is no key for them, and the audit trail is broken (`audit verify`)'),
		onAdopted: () => refuse('the audit trail says that they had them, and their key is gone'),
	});
}

/** Finds the tables whose rows have no seals yet; `isFirst` means that there is no key for seals either. */
async function findUnsealed({ database, keyRing }: AdoptionRooms) {
	const isFirst = (await keyRing.list()).every(({ purpose }) => purpose !== 'seal');
	// The keys are read again, because another process may just have created one.
	keyRing.seals.forgetKeys();
	const later = isFirst
		? LATER_SEALED
		: await keyRing.seals.withSealer((sealer) => listUnsealed(database.knex, sealer));
	return { isFirst, later };
}

function requireNoneOf(rooms: AdoptionRooms, later: readonly string[]): Promise<void> {
	const named = later.map((name) => `\`${name}\``).join(' and ');
	const refuse = (why: string) => {
		throw new Error(
			`rows of ${named} have lost their seals: ${why}. Somebody may have written into the database. Put back the table ` +
				'`sealed_tables` from a backup; or look through accounts, keys, destinations, profiles, the options of accounts ' +
				'(`format-options show`) and the jobs that wait, and run `tokendrop key adopt`',
		);
	};
	return readAdoptions(rooms, {
		onBroken: () =>
			refuse('the table `sealed_tables` does not name them, and the audit trail is broken (`audit verify`)'),
		onAdopted(tables) {
			if (later.some((name) => tables.includes(name))) {
				refuse('the audit trail says that they had them, and the table `sealed_tables` does not');
			}
		},
	});
}

/**
 * Reads the trail. Calls `onBroken` if it is broken, and `onAdopted` for every entry that records that rows got seals,
 * with the tables of later versions that the entry names.
 */
async function readAdoptions(
	{ database, audit }: AdoptionRooms,
	heard: { onBroken(): void; onAdopted(later: readonly string[]): void },
): Promise<void> {
	if (!(await audit.verify()).isWhole) heard.onBroken();
	const store = auditStore(database.knex);
	for (let seq = 0; ; ) {
		const entries = await store.listAfter(seq, ENTRIES_PER_STEP);
		if (entries.length === 0) return;
		for (const entry of entries) {
			const later = laterTablesOf(entry);
			if (later) heard.onAdopted(later);
		}
		seq = entries.at(-1)!.seq;
	}
}

function laterTablesOf({ action, details }: Pick<AuditRow, 'action' | 'details'>): readonly string[] | undefined {
	if (action !== ACTION && action !== 'installation.create') return undefined;
	const { rows, tables } = JSON.parse(details) as Partial<typeof BORN_SEALED>;
	if (action !== ACTION && rows !== 'sealed') return undefined;
	return tables?.split(',') ?? [];
}
