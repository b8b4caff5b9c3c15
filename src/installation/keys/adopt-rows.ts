// Notices that the key is gone under which rows that grant something are sealed, and seals the rows as they are when an
// operator has looked through them. Until then every such row is refused.

import { setImmediate as turn } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { type RowSealer, type RowShape, sealerWith } from '../../base/keys/rows/row-seals.ts';
import { rowSealsStore, type SealableRow } from '../../base/keys/rows/row-seals-store.ts';
import type { Audit } from '../../trail/audit.ts';
import { besideOf, sealedTables } from './sealed-tables.ts';

const ROWS_PER_STEP = 500;

/** @throws Error if the key of the seals is gone, which says what to do */
export async function requireSealKey(keyRing: Pick<KeyRing, 'list'>): Promise<void> {
	if ((await keyRing.list()).some(({ purpose }) => purpose === 'seal')) return;
	throw new Error(
		'rows that grant access have lost their seals: their key is gone. Somebody may have written into the database. Put ' +
			'back the table `keys` from a backup; or look through accounts, API keys, SSH keys, associations, destinations, ' +
			'profiles, the options of accounts (`format-options show`) and the jobs that wait, and run `tokendrop key adopt`',
	);
}

/**
 * Seals every row that grants something under a new key, in one transaction with its entry in the trail, and returns how
 * many rows it sealed. If the key of the seals is there, it changes nothing and returns undefined.
 */
export async function adoptRows(
	{ keyRing, audit }: { readonly keyRing: KeyRing; readonly audit: Pick<Audit, 'record'> },
	actor: string,
): Promise<number | undefined> {
	let rows: number | undefined;
	await keyRing.begin('seal', async (transaction, key) => {
		rows = 0;
		for (const shape of sealedTables) rows += await sealEach(transaction, shape, sealerWith(key));
		const subject = 'installation';
		await audit.record({ actor, action: 'integrity.adopt', subject, details: { rows } }, transaction);
	});
	// The keys are read again, because another process may just have created this one.
	keyRing.seals.forgetKeys();
	return rows;
}

async function sealEach(transaction: Knex.Transaction, shape: RowShape, sealer: Pick<RowSealer, 'seal'>) {
	const store = rowSealsStore(transaction, shape);
	let count = 0;
	let last: SealableRow | undefined;
	for (;;) {
		const rows = await store.listAfter(last, ROWS_PER_STEP);
		for (const row of rows) await store.replace(row, sealer.seal(shape, row, await besideOf(transaction, shape, row)));
		count += rows.length;
		if (rows.length < ROWS_PER_STEP) return count;
		last = rows.at(-1);
		await turn();
	}
}
