// Delivers a file into a folder of the account's own. The file appears in the transaction that says in the ledger that it
// is delivered. In a folder for uploads it becomes a job at once.

import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { writeSpool } from '../../../base/blobs/spool.ts';
import { transactAnew } from '../../../base/database/dialect.ts';
import { makeUlid } from '../../../base/database/ulid.ts';
import { ServiceError } from '../../../base/errors.ts';
import { told } from '../../../base/failures.ts';
import { removeUnnamedBlobs } from '../../drops/drop-blobs.ts';
import { findNameProblem, isInputArea } from '../../drops/drop-names.ts';
import { type DropFile, type DropFolder, dropStore } from '../../drops/drop-store.ts';
import { lockNames } from '../../jobs/queue/name-lock-store.ts';
import { fillPlaceholders } from '../document/placeholders.ts';
import { type LedgerRow, ledgerStore } from '../ledger/ledger-store.ts';
import { firstFreeName } from '../places/place.ts';
import { badName, RunLostError } from '../runs/run-errors.ts';
import { runStore } from '../runs/run-store.ts';
import { factsOf } from './deliver.ts';
import type { DeliveryParts, RunContext } from './delivery-parts.ts';
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
async function sendUpload(
	parts: DeliveryParts,
	run: RunContext,
	row: LedgerRow,
	{ content, folder, name }: ToDrop,
): Promise<LedgerRow> {
	const { drops, intake } = parts;
	const partial = `.${makeUlid(parts.clock.now().getTime())}.part`;
	const upload = await drops.begin({ folder: folder as never, name: partial, createdBy: run.actor });
	let delivered = row;
	try {
		const sha256 = await copy(content, run.signal, (piece) => upload.write(null, piece));
		await intake.accept(upload, {
			name,
			async alongside(_, transaction) {
				delivered = await noteWithin(parts, run, row, { folder, name, size: content.size, sha256 }, transaction);
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
		sha256 = await copy(content, run.signal, (piece) => writer.write(piece));
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
			const name = await freeName(transaction, folder, wanted, run.route.to.exists);
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
			return noteWithin(parts, run, row, { folder, name, size, sha256 }, transaction);
		});
		if (replaced) await removeUnnamedBlobs({ database, blobs: store.blobs }, [replaced.blob_id]);
		return delivered;
	} catch (error) {
		// If the answer to the commit was lost, the file may be there. Then its row keeps the blob.
		await removeUnnamedBlobs({ database, blobs: store.blobs }, [id]);
		throw error;
	}
}

async function copy(
	content: HeldContent,
	signal: AbortSignal,
	write: (piece: Buffer) => Promise<unknown>,
): Promise<string> {
	const hash = createHash('sha256');
	for await (const piece of content.pieces()) {
		signal.throwIfAborted();
		hash.update(piece);
		await write(piece);
	}
	return hash.digest('hex');
}

async function freeName(transaction: Knex, folder: DropFolder, name: string, exists: string): Promise<string> {
	const isTaken = async (each: string) => (await dropStore(transaction).findVisible(folder, each)) !== undefined;
	if (exists === 'number') return firstFreeName(name, isTaken);
	if (exists === 'refuse' && (await isTaken(name))) {
		const problem = 'the folder has a file of this name; to.exists says what then happens';
		throw new ServiceError('bad-input-data', { field: 'fileName', problem, told: told('name-taken') });
	}
	return name;
}

/** Notes in the transaction in which the file appears that it is delivered. */
async function noteWithin(
	{ audit, clock }: DeliveryParts,
	run: RunContext,
	row: LedgerRow,
	{ folder, name, size, sha256 }: { folder: DropFolder; name: string; size: number; sha256: string },
	transaction: Knex.Transaction,
): Promise<LedgerRow> {
	if (!(await runStore(transaction).isOurs(run.id, run.daemonId))) throw new RunLostError();
	const changes = { intent: null, delivered_as: name, delivered_at: clock.now().getTime() };
	if (!(await ledgerStore(transaction).update(row, changes))) throw new RunLostError();
	const details = { path: row.path, deliveredAs: name, size, sha256, drop: `/${folder.area}/${folder.filter}` };
	const account = { within: run.accountId };
	const entry = { actor: run.actor, action: 'route.deliver', subject: run.subject, account };
	await audit.record({ ...entry, details: { ...details, job: row.job_id } }, transaction);
	return { ...row, ...changes };
}
