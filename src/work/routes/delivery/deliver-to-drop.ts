// Delivers a file into a folder of the account's own. The file appears in the transaction that says in the ledger that it
// is delivered. In a folder for uploads it becomes a job at once.

import type { Knex } from 'knex';
import { writeSpool } from '../../../base/blobs/spool.ts';
import { transactAnew } from '../../../base/database/dialect.ts';
import { makeUlid } from '../../../base/database/ulid.ts';
import { removeUnnamedBlobs } from '../../drops/drop-blobs.ts';
import { findNameProblem, isInputArea } from '../../drops/drop-names.ts';
import { type DropFile, type DropFolder, dropStore } from '../../drops/drop-store.ts';
import { lockNames } from '../../jobs/queue/name-lock-store.ts';
import { fillPlaceholders } from '../document/placeholders.ts';
import type { LedgerRow } from '../ledger/ledger-store.ts';
import { badName } from '../runs/run-errors.ts';
import { chooseName, factsOf } from './deliver.ts';
import { copyHashed, type DeliveryParts, noteWithin, type RunContext } from './delivery-parts.ts';
import { type HeldContent, openContent } from './held-content.ts';

/** Delivers a collected file into a drop; returns the row that says so. */
export async function deliverToDrop(parts: DeliveryParts, run: RunContext, row: LedgerRow): Promise<LedgerRow> {
	const { place, name: template } = run.route.to;
	if (place.kind !== 'drop') throw new Error('internal error: the target is no drop');
	const name = fillPlaceholders(template, factsOf(run, row));
	const problem = findNameProblem(name);
	if (problem !== undefined) throw badName(problem);
	const folder = { accountId: run.accountId, area: place.area, filter: place.filter };
	const content = await openContent(parts, run, row);
	try {
		return isInputArea(folder.area)
			? await sendUpload(parts, run, row, { content, folder, name })
			: await publish(parts, run, row, { content, folder, name });
	} finally {
		await content.close();
	}
}

interface ToDrop {
	readonly content: HeldContent;
	readonly folder: DropFolder;
	readonly name: string;
}

/** Sends the file into a folder for uploads, as a client would. */
async function sendUpload(parts: DeliveryParts, run: RunContext, row: LedgerRow, { content, folder, name }: ToDrop) {
	const { drops, intake } = parts;
	const partial = `.${makeUlid(parts.clock.now().getTime())}.part`;
	const upload = await drops.begin({ folder: folder as never, name: partial, createdBy: run.actor });
	let delivered = row;
	try {
		const sha256 = await copyHashed(content.pieces(), run.signal, (piece) => upload.write(null, piece));
		await intake.accept(upload, {
			name,
			async alongside(_, transaction) {
				delivered = await noteFile(parts, run, row, { folder, name, size: content.size, sha256 }, transaction);
			},
		});
	} catch (error) {
		await drops.discard(upload).catch(() => {});
		throw error;
	}
	return delivered;
}

async function publish(
	parts: DeliveryParts,
	run: RunContext,
	row: LedgerRow,
	{ content, folder, name: wanted }: ToDrop,
): Promise<LedgerRow> {
	const { database, drops, clock } = parts;
	const { store } = drops;
	const now = clock.now().getTime();
	const id = makeUlid(now);
	let sha256 = '';
	const size = await writeSpool(store, { id, folder }, async (writer) => {
		sha256 = await copyHashed(content.pieces(), run.signal, (piece) => writer.write(piece));
	}).catch(async (error) => {
		await store.blobs.remove(id).catch(() => {});
		throw error;
	});
	let replaced: DropFile | undefined;
	try {
		const delivered = await transactAnew(database, async (transaction) => {
			const store = dropStore(transaction);
			const { accountId: account_id, area, filter } = folder;
			await lockNames(transaction, database.dialect, [{ account_id, filter, name: wanted }]);
			const isTaken = async (each: string) => (await store.findVisible(folder, each)) !== undefined;
			const name = await chooseName('folder', wanted, run.route.to.exists, isTaken);
			replaced = await store.findVisible(folder, name);
			if (replaced) await store.remove(replaced.id, { blob_id: replaced.blob_id });
			await store.insertAll([
				{
					account_id,
					area,
					filter,
					name,
					blob_id: id,
					size,
					state: 'ready',
					job_id: row.job_id,
					created_by: null,
					writer: null,
					held_by: null,
					held_until: null,
					created_at: now,
					modified_at: now,
					expires_at: content.file.expires_at ?? null,
				},
			]);
			return noteFile(parts, run, row, { folder, name, size, sha256 }, transaction);
		});
		if (replaced) await removeUnnamedBlobs({ database, blobs: store.blobs }, [replaced.blob_id]);
		return delivered;
	} catch (error) {
		// If the answer to the commit was lost, the file may be there. Then its row keeps the blob.
		await removeUnnamedBlobs({ database, blobs: store.blobs }, [id]);
		throw error;
	}
}

/** Notes in the transaction in which the file appears that it is delivered. */
async function noteFile(
	parts: DeliveryParts,
	run: RunContext,
	row: LedgerRow,
	{ folder, name, size, sha256 }: { folder: DropFolder; name: string; size: number; sha256: string },
	transaction: Knex.Transaction,
): Promise<LedgerRow> {
	const changes = { intent: null, delivered_as: name, delivered_at: parts.clock.now().getTime() };
	const drop = `/${folder.area}/${folder.filter}`;
	const details = { path: row.path, deliveredAs: name, size, sha256, drop, job: row.job_id };
	return noteWithin(parts, run, row, { changes, entry: { action: 'route.deliver', details } }, transaction);
}
