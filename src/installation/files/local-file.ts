// Runs the engine on a local file. The input is not changed, and the output gets its name only when it is complete and
// its pages are adopted.

import { untilAborted } from '../../engine/file-source.ts';
import type { Direction } from '../../engine/format.ts';
import type { Progress } from '../../engine/report.ts';
import { mergedOptions, reportOptions } from '../../work/jobs/format-options.ts';
import { type TrialResult, tryFile } from '../../work/jobs/trial.ts';
import { lonePass, openLedgers } from '../../work/ledger/ledger.ts';
import type { CommandContext } from '../frame/command.ts';
import { boundEngine } from '../opening/bound-engine.ts';
import { type CommandOpening, openCommandParts } from '../opening/open-parts.ts';
import { openLocalReport } from './local-report.ts';
import { nameOfInput, openInput, openOutput } from './local-streams.ts';

export interface LocalFile {
	readonly direction: Direction;
	readonly userId: string;
	readonly filter: string;
	/** Format options for this file alone. They take precedence over those that the account has stored for the filter. */
	readonly options?: unknown;
	readonly input: string;
	readonly output: string;
	/** The path of the report, which is JSON, or CSV if the path ends in `.csv`. */
	readonly reportPath?: string;
	onProgress?(progress: Progress): void;
}

/**
 * Exchanges the cards of a local file. The output is written under another name and renamed last; after a failure
 * neither the output nor any page is left. The report can be read until the context of the command is closed.
 */
export async function transferLocalFile(
	context: CommandOpening & Pick<CommandContext, 'interruption'>,
	request: LocalFile,
) {
	const parts = await openCommandParts(context);
	const { database, audit, identity, actor } = parts;
	const account = await identity.accounts.get(request.userId);
	const own = request.options === undefined ? null : JSON.stringify(request.options);
	const { engine, accounts } = await boundEngine(parts, context.settings);
	const owner = await accounts.getAccount(account.id);
	const pass = lonePass(Date.now());
	const ledger = openLedgers({ database, audit, allowance: identity.allowance, engine }).open({
		kind: 'file',
		id: pass.id,
		payer: owner,
		storesCards: request.direction === 'tokenize',
		actor,
		subject: `account ${request.userId}`,
		action: `file.${request.direction}`,
	});
	await ledger.begin();
	const interrupted = context.interruption.cleaningUp();
	const started = performance.now();
	const options = await mergedOptions(parts, { accountId: account.id, filter: request.filter }, own);
	const { direction, filter, input, reportPath: path } = request;
	const { hasAll } = reportOptions(options);
	const onPartial = (each: string) => void context.interruption.partial(each);
	const report = context.opened('report', await openLocalReport({ direction, filter, input, path, hasAll, onPartial }));
	const output = await openOutput(request.output, context.interruption);
	try {
		const summary = await engine.run({
			pass,
			accountId: account.id,
			direction,
			filter,
			options,
			source: untilAborted(openInput(input, context.settings.transfer.windowBytes), interrupted, input),
			sink: { write: (bytes) => output.write(bytes) },
			report: report.book,
			onProgress: (progress) => request.onProgress?.(progress),
		});
		await output.sync();
		await report.done(summary);
		const { cards, refused, otherNumbers } = summary;
		const details = { filter, name: nameOfInput(input), refused };
		await ledger.end({ cards, details, others: { filter, otherNumbers } });
		interrupted.throwIfAborted();
		await output.settle();
		return { summary, seconds: (performance.now() - started) / 1000, book: report.book };
	} catch (error) {
		await (interrupted.aborted ? report.interrupted() : report.failed(error));
		await output.discard();
		await ledger.endBroken({});
		throw error;
	} finally {
		await output.close();
	}
}

/** Shows what `file tokenize` would do with a local file, without storing or writing anything. */
export async function tryLocalFile(
	context: CommandOpening,
	{ userId, filter, input, options, onProgress }: Omit<LocalFile, 'direction' | 'output' | 'reportPath'>,
): Promise<TrialResult> {
	const parts = await openCommandParts(context);
	const { id: accountId } = await parts.identity.accounts.get(userId);
	const { engine } = await boundEngine(parts, context.settings);
	const source = openInput(input, context.settings.transfer.windowBytes);
	return tryFile({ ...parts, engine }, { accountId, filter, own: options, source, onProgress });
}
