// Collects a file: it is read from its source once, from beginning to end, and sealed as it comes, so that no clear byte
// rests on our disk and no later failure needs the source again. A file to be processed becomes a job in the transaction
// that says so in the ledger.

import type { Knex } from 'knex';
import { transactAnew } from '../../../base/database/dialect.ts';
import { makeUlid } from '../../../base/database/ulid.ts';
import { told, type Why, why } from '../../../base/failures.ts';
import { findNameProblem, heldFolder, type InputArea } from '../../drops/drop-names.ts';
import { dropStore } from '../../drops/drop-store.ts';
import type { Upload } from '../../drops/upload.ts';
import { type LedgerRow, ledgerStore } from '../ledger/ledger-store.ts';
import type { Source } from '../places/place.ts';
import { badName, HopelessError, RunLostError } from '../runs/run-errors.ts';
import { copyHashed, type DeliveryParts, noteWithin, type RunContext } from './delivery-parts.ts';

/** The folder for files with which nothing is done, beside those of the filters. */
const UNPROCESSED = heldFolder('none');

/** What became of a file that was read: it is collected, or it need not be delivered, for the reason given. */
export type Collected = { readonly row: LedgerRow } | { readonly needless: Why; readonly isChanging?: true };

/** @throws HopelessError if the file can never be taken, and the errors of source and store */
export async function collect(
	parts: DeliveryParts,
	run: RunContext,
	source: Source,
	row: LedgerRow,
): Promise<Collected> {
	const { drops, clock } = parts;
	const { route } = run;
	const name = row.path.split('/').at(-1)!;
	const problem = findNameProblem(name);
	if (problem !== undefined) throw badName(problem);
	const { operation, filter } = route.do;
	const area: InputArea = operation === 'none' ? 'tokenize' : operation;
	const folder = { accountId: run.accountId, area, filter: filter === undefined ? UNPROCESSED : heldFolder(filter) };
	// The name is free whatever others collect at the moment, and says that the file is not complete.
	const partial = `.${makeUlid(clock.now().getTime())}.part`;
	const upload = await drops.begin({ folder, name: partial, createdBy: run.actor });
	try {
		const sha256 = await copyHashed(source.read(row.moved_to ?? row.path), run.signal, (piece) =>
			upload.write(null, piece),
		);
		const needless = await findNeedless(parts, run, { row, size: upload.size, sha256 });
		if (needless) {
			await drops.discard(upload);
			return needless;
		}
		return { row: await accept(parts, run, { source, row, upload, name, sha256 }) };
	} catch (error) {
		await drops.discard(upload).catch(() => {});
		if ((error as { problem?: unknown }).problem === 'too-large')
			throw new HopelessError((error as Error).message, told('file-too-large'));
		throw error;
	}
}

async function findNeedless(
	{ database }: DeliveryParts,
	{ routeId, route }: RunContext,
	{ row, size, sha256 }: { row: LedgerRow; size: number; sha256: string },
): Promise<Exclude<Collected, { row: LedgerRow }> | undefined> {
	if (size !== row.size) {
		const needless = why('it changed after it was listed', 'file-changed-since-listed');
		return { needless, isChanging: true };
	}
	const isRepeated = route.from.again === 'whenChanged' && row.tries === 0;
	if (!isRepeated || !(await ledgerStore(database.knex).hasContent(routeId, row.path, sha256))) return undefined;
	return { needless: why('its content was delivered before', 'file-delivered-before') };
}

interface ReadFile {
	readonly source: Source;
	readonly row: LedgerRow;
	readonly upload: Upload;
	readonly name: string;
	readonly sha256: string;
}

/** Accepts a file that was read: as a job, or as it is if nothing is done with it. */
async function accept(parts: DeliveryParts, run: RunContext, file: ReadFile): Promise<LedgerRow> {
	const { source, row, upload, name, sha256 } = file;
	const { operation, filter } = run.route.do;
	const details = { path: row.path, size: row.size, sha256, ...source.facts };
	/** Notes in the transaction that accepts the file what was collected. */
	const alongside = async (collected: Partial<LedgerRow>, transaction: Knex.Transaction) => {
		const entry = { action: 'route.collect', details: { ...details, job: collected.job_id ?? null } };
		await noteWithin(parts, run, row, { changes: { ...collected, sha256 }, entry }, transaction);
	};
	if (operation === 'none') {
		const held_id = await hold(parts, upload, (transaction, id) => alongside({ held_id: id }, transaction));
		return { ...row, held_id, sha256 };
	}
	const job = await parts.intake.accept(upload, {
		name,
		options: run.options,
		route: { id: run.routeId, filter: filter! },
		alongside: ({ id }, transaction) => alongside({ job_id: id }, transaction),
	});
	return { ...row, job_id: job.id, sha256 };
}

/** Keeps a sealed file as it is, until it is delivered; returns its id. */
async function hold(
	{ database, drops }: DeliveryParts,
	upload: Upload,
	alongside: (transaction: Knex.Transaction, id: number) => Promise<void>,
): Promise<number> {
	const sealed = await drops.seal(upload);
	const { id, writer, blob_id, size } = sealed.file;
	let isKept = false;
	try {
		await transactAnew(database, async (transaction) => {
			const kept = { state: 'ready' as const, size, writer: null, held_by: null, held_until: null };
			const isOurs = await dropStore(transaction).update(id, { writer, blob_id, state: 'receiving' }, kept);
			if (!isOurs) throw new RunLostError();
			await sealed.storeWithin(transaction);
			await alongside(transaction, id);
		});
		isKept = true;
	} finally {
		await drops.settle(sealed, isKept);
	}
	return id;
}
