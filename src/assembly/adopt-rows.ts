// Rows from before there were seals get theirs once, at the first start that holds the keys. From then on a row without one
// is refused, so nobody may bring about a second first start: the audit trail remembers that there was one.

import { setImmediate as turn } from 'node:timers/promises';
import type { Knex } from 'knex';
import { type Audit, BORN_SEALED } from '../audit/audit.ts';
import { auditStore } from '../audit/audit-store.ts';
import type { Database } from '../database/open.ts';
import type { KeyRing, SealingKey } from '../keys/key-ring.ts';
import { sealerWith } from '../keys/row-seals.ts';
import { rowSealsStore, type SealableRow } from '../keys/row-seals-store.ts';
import { besideOf, sealedTables } from './sealed-tables.ts';

export interface AdoptionRooms {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly audit: Pick<Audit, 'record' | 'verify'>;
}

const ACTION = 'integrity.adopt';
const ROWS_PER_STEP = 500;
const ENTRIES_PER_STEP = 1000;

/**
 * Seals every row that grants something where nobody has done so yet, in one transaction with its entry; returns how many,
 * or undefined when it was done before. @throws Error when the trail says that it was done and the key of it is gone, or
 * cannot say because it is broken; `despiteTrail` takes rows as they are all the same
 */
export async function adoptRows(
	{ database, keyRing, audit }: AdoptionRooms,
	{ actor = 'daemon', despiteTrail = false } = {},
): Promise<number | undefined> {
	if ((await keyRing.list()).some(({ purpose }) => purpose === 'seal')) return undefined;
	if (!despiteTrail) await requireFirstTime(database.knex, audit);
	let rows = 0;
	const isDone = await keyRing.begin('seal', async (transaction, key) => {
		for (const shape of sealedTables) rows += await sealAll(transaction, shape, key);
		const details = { rows, despiteTrail };
		await audit.record({ actor, action: ACTION, subject: 'installation', details }, transaction);
	});
	return isDone ? rows : undefined;
}

async function sealAll(transaction: Knex.Transaction, shape: (typeof sealedTables)[number], key: SealingKey) {
	const store = rowSealsStore(transaction, shape);
	const sealer = sealerWith(key);
	let count = 0;
	let last: SealableRow | undefined;
	for (;;) {
		const rows = await store.listAfter(last, ROWS_PER_STEP);
		for (const row of rows) {
			await store.replace(row, sealer.seal(shape, row, await besideOf(transaction, shape, row)));
		}
		count += rows.length;
		if (rows.length < ROWS_PER_STEP) return count;
		last = rows.at(-1);
		await turn();
	}
}

async function requireFirstTime(knex: Knex, audit: Pick<Audit, 'verify'>): Promise<void> {
	const refuse = (why: string) => {
		throw new Error(
			`rows that grant access have lost their seals: ${why}. Somebody may have written into the database. Put back the ` +
				'table `keys` from a backup; or look through accounts, API keys, SSH keys and associations, and run `tokendrop key adopt`',
		);
	};
	if (!(await audit.verify()).isWhole)
		refuse('there is no key for them, and the audit trail is broken (`audit verify`)');
	const store = auditStore(knex);
	for (let seq = 0; ; ) {
		const entries = await store.listAfter(seq, ENTRIES_PER_STEP);
		if (entries.length === 0) return;
		for (const { action, details } of entries) {
			const isBornSealed = action === 'installation.create' && details === JSON.stringify(BORN_SEALED);
			if (isBornSealed || action === ACTION) refuse('the audit trail says that they had them, and their key is gone');
		}
		seq = entries.at(-1)!.seq;
	}
}
