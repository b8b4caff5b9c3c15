// The engine on a local file: input read as it is, output under its name only when it is complete and its pages count.

import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { CommandContext } from '../commands/command.ts';
import { transact } from '../database/dialect.ts';
import type { JobId } from '../database/ids.ts';
import { makeUlid } from '../drops/ulid.ts';
import { ServiceError } from '../errors.ts';
import { mergedOptions } from '../jobs/format-options.ts';
import { readPieces } from '../transfer/file-source.ts';
import type { Direction } from '../transfer/format.ts';
import type { ReportEntry, Summary } from '../transfer/report.ts';
import { boundEngine } from './bound-engine.ts';
import { openRooms } from './open-rooms.ts';

export interface LocalFile {
	readonly direction: Direction;
	readonly userId: string;
	readonly filter: string;
	/** Over those of the account's folder. */
	readonly options?: unknown;
	readonly input: string;
	readonly output: string;
	/** Where entries go, one JSON line each. */
	readonly reportPath?: string;
	onEntry(entry: ReportEntry): void;
}

/** Swaps a local file. The output is written aside and renamed last; after a failure neither it nor any page is left. */
export async function transferLocalFile(
	context: Pick<CommandContext, 'settings' | 'opened'>,
	request: LocalFile,
): Promise<{ summary: Summary; seconds: number }> {
	const rooms = await openRooms(context);
	const { database, identity, audit, actor } = rooms;
	const account = await identity.accounts.get(request.userId);
	const own = request.options === undefined ? null : JSON.stringify(request.options);
	const { engine, accounts } = boundEngine(rooms, context.settings);
	const owner = await accounts.getAccount(account.id);
	if (request.direction === 'tokenize') {
		await identity.allowance.check(owner).catch((cause) => {
			const moreInfo = `account ${request.userId} is blocked or has used up its allowance; account unblock grants a fresh one`;
			throw cause instanceof ServiceError ? new ServiceError(cause.reason, { moreInfo, cause }) : cause;
		});
	}
	const jobId = makeUlid(Date.now()) as JobId;
	const aside = join(dirname(request.output), `.${basename(request.output)}.${randomUUID()}.partial`);
	const started = performance.now();
	const report = request.reportPath === undefined ? undefined : await open(request.reportPath, 'w', 0o600);
	const output = await open(aside, 'wx', 0o600).catch(async (error) => {
		await report?.close();
		throw error;
	});
	try {
		const summary = await engine.run({
			jobId,
			accountId: account.id,
			direction: request.direction,
			filter: request.filter,
			options: await mergedOptions(database, { accountId: account.id, filter: request.filter }, own),
			source: readPieces(request.input, context.settings.transfer.windowBytes),
			sink: { write: (bytes) => writeAll(output, bytes) },
			report: {
				entry(entry) {
					request.onEntry(entry);
					return report && writeAll(report, Buffer.from(`${JSON.stringify(entry)}\n`));
				},
			},
		});
		await output.sync();
		// Pages first: a file with tokens that lead nowhere would be worse than tokens that stand in no file.
		await transact(database, async (transaction) => {
			await engine.adopt(transaction, jobId);
			if (request.direction === 'tokenize') await identity.allowance.count(owner, summary.cards, transaction);
			await audit.record(
				{
					actor,
					action: `file.${request.direction}`,
					subject: `account ${request.userId}`,
					details: { filter: request.filter, cards: summary.cards, refused: summary.refused },
				},
				transaction,
			);
		});
		await rename(aside, request.output);
		return { summary, seconds: (performance.now() - started) / 1000 };
	} catch (error) {
		await rm(aside, { force: true });
		await engine.discard(jobId);
		throw error;
	} finally {
		await output.close();
		await report?.close();
	}
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
	for (let written = 0; written < bytes.length; ) {
		written += (await file.write(bytes, written)).bytesWritten;
	}
}
