// Opens what a route has collected and is about to deliver: the output of a job, or the sealed file itself.

import { ServiceError } from '../../../base/errors.ts';
import { told } from '../../../base/failures.ts';
import { removeUnnamedBlobs } from '../../drops/drop-blobs.ts';
import { type DropFile, dropStore, folderOf } from '../../drops/drop-store.ts';
import { jobStore } from '../../jobs/job-store.ts';
import { openTranscoded } from '../../pgp/transcoded.ts';
import { messageOptionsOf } from '../document/route.ts';
import type { LedgerRow } from '../ledger/ledger-store.ts';
import { HopelessError } from '../runs/run-errors.ts';
import type { DeliveryParts, RunContext } from './delivery-parts.ts';

export interface HeldContent {
	readonly file: DropFile;
	readonly size: number;
	/** Yields the content. A piece is valid until the next one is requested. */
	pieces(): AsyncIterable<Buffer>;
	close(): Promise<void>;
}

/** @throws HopelessError if it is gone */
export async function openContent(
	{ database, drops, messages }: Pick<DeliveryParts, 'database' | 'drops' | 'messages'>,
	{ accountId, route }: Pick<RunContext, 'accountId' | 'route'>,
	row: LedgerRow,
): Promise<HeldContent> {
	const file = await findHeld({ database }, row);
	if (file?.account_id !== accountId)
		throw new HopelessError('what was collected of it is gone', told('collected-file-gone'));
	const options = row.job_id === null ? messageOptionsOf(route.do) : undefined;
	if (options) {
		const stored = { id: file.blob_id, folder: folderOf(file), name: row.path.split('/').at(-1)! };
		return { file, ...(await openTranscoded({ store: drops.store, messages }, stored, options).catch(giveUpRefused)) };
	}
	const reader = await drops.open(folderOf(file), file);
	return { file, size: reader.size, pieces: () => reader.pieces(), close: () => reader.close() };
}

/** A message or key that is refused stays so, however often it is tried. */
function giveUpRefused(error: unknown): never {
	if (error instanceof ServiceError && !error.retryable)
		throw new HopelessError(error.moreInfo ?? error.message, error.told);
	throw error;
}

async function findHeld({ database }: Pick<DeliveryParts, 'database'>, row: LedgerRow): Promise<DropFile | undefined> {
	const { knex } = database;
	const id = row.job_id === null ? row.held_id : (await jobStore(knex).findById(row.job_id))?.output_id;
	if (id == null) return undefined;
	const file = await dropStore(knex).findById(id);
	return row.job_id === null || file?.job_id === row.job_id ? file : undefined;
}

/** Removes what a route holds of a file. It never fails, because the retention of files removes the rest. */
export async function removeHeld({ database, drops }: Pick<DeliveryParts, 'database' | 'drops'>, row: LedgerRow) {
	try {
		const file = await findHeld({ database }, row);
		if (!file || !(await dropStore(database.knex).remove(file.id, { blob_id: file.blob_id }))) return;
		await removeUnnamedBlobs({ database, blobs: drops.store.blobs }, [file.blob_id]);
	} catch {
		// See above.
	}
}
