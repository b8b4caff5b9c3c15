// Moves ended API keys from the list of earlier versions to the register of ended rows, once.

import { readFile } from 'node:fs/promises';
import type { Knex } from 'knex';
import { endedRowsStore } from '../../base/keys/rows/ended-rows-store.ts';
import { type RowSealer, type RowShape, sealedEndedRows } from '../../base/keys/rows/row-seals.ts';
import { rowSealsStore, type SealableRow } from '../../base/keys/rows/row-seals-store.ts';

/** Describes the rows of the earlier list. Its rows stay in the table and in a file, and are not read any more. */
export const sealedFormerEnds: RowShape = {
	table: 'ended_credentials',
	id: ['kind', 'credential_id', 'created_at'],
	columns: ['version', 'at'],
	freshness: { by: 'nothing', because: 'nothing reads the table once its rows are in the register of ended rows' },
};

const MAX_ROWS = 1_000_000;

/**
 * Notes every API key of the earlier list in the register. SSH keys of the list need no note: the seal of a removed row
 * does not cover its generation, so that the row is not valid any more. `file` is the file of the earlier list.
 */
export async function moveFormerEnds(transaction: Knex.Transaction, sealer: RowSealer, file?: string): Promise<void> {
	const rows = [
		...(await rowSealsStore(transaction, sealedFormerEnds).listAfter(undefined, MAX_ROWS)),
		...(file === undefined ? [] : await linesOf(file)),
	];
	const generations = new Map<number, number>();
	for (const row of rows) {
		if (row.kind !== 'api-key' || !sealer.matches(sealedFormerEnds, row)) continue;
		const { credential_id: id, version } = row;
		generations.set(id, Math.max(generations.get(id) ?? 0, version + 1));
	}
	for (const [id, generation] of generations) {
		const entry = { name: 'api_keys', row_id: String(id), generation, needed_until: null, at: Date.now() };
		await endedRowsStore(transaction).put({ ...entry, ...sealer.seal(sealedEndedRows, entry) });
	}
}

async function linesOf(file: string): Promise<SealableRow[]> {
	const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
		if (error.code === 'ENOENT') return '';
		throw error;
	});
	return text.split('\n').flatMap((line) => {
		try {
			const row = JSON.parse(line);
			return [{ ...row, seal: Buffer.from(row.seal, 'base64') }];
		} catch {
			// A full disk may have cut the line off.
			return [];
		}
	});
}
