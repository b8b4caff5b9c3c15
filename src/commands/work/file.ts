import { access, constants, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Direction } from '../../engine/format.ts';
import type { ReportEntry } from '../../engine/report.ts';
import {
	type CommandContext,
	readOptionJson,
	STANDARD_INPUT,
	STANDARD_OUTPUT,
	table,
	UsageError,
} from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import type { CountedText, ReportBook } from '../../work/jobs/attempts/report-book.ts';

interface FileOptions {
	readonly userId: string;
	readonly filter: string;
	readonly options?: string;
	readonly report?: string;
	readonly dryRun?: boolean;
}

const SHOWN_ENTRIES = 20;

/** Registers `file tokenize|detokenize`, which run the engine on local files, with a running daemon or without. */
export function register(program: FramedCommand): void {
	const file = program.subcommand('file', 'tokenize and detokenize local files');
	for (const direction of ['tokenize', 'detokenize'] satisfies Direction[]) {
		const command = file
			.subcommand(
				direction,
				direction === 'tokenize' ? 'put tokens in place of card numbers' : 'put the card numbers back',
			)
			.requiredOption('--user-id <id>', 'the account whose cards they are')
			.requiredOption('--filter <filter>', 'AIR, CSV, GBT, IUR, SIMPLECSV, SIMPLEJSON or TADC')
			.option('--options <file>', "options in JSON, over those of the account's folder")
			.option('--report <file>', 'write the report: JSON, or CSV where the name ends so')
			.argument('<in>', 'the file to read; - for standard input')
			.argument(
				'[out]',
				'the file to write, which appears whole or not at all; - for standard output, whole only if the exit code is 0',
			);
		if (direction === 'tokenize') {
			command.option('--dry-run', 'show record by record what would be swapped, masked, and store and write nothing');
		}
		command.run(async (context, options: FileOptions, input, output) => {
			if (options.dryRun) return dryRun(context, options, input!, output);
			if (output === undefined) throw new UsageError("missing required argument 'out'");
			await checkFiles(input!, output, options.report);
			const own = options.options === undefined ? undefined : await readOptionJson('--options', options.options);
			const { transferLocalFile } = await import('../../installation/files/local-file.ts');
			const isOut = output === STANDARD_OUTPUT;
			if (isOut && context.output.isJson)
				throw new UsageError('--json needs a file as <out>, because the output is not JSON');
			const size = await sizeOf(input!);
			const progress = context.output.progress(`${direction.slice(0, -1)}ing`, 'bytes');
			const result = await transferLocalFile(context, {
				direction,
				...options,
				options: own,
				input: input!,
				output,
				reportPath: options.report,
				onProgress: ({ bytesRead }) => progress.update(bytesRead, size),
			}).finally(progress.end);
			const { summary, seconds, book } = result;
			const { warnings, refusals, others } = book;
			const shown = await firstEntries(book);
			const text = [
				...summary.notices,
				`cards ${direction}d: ${summary.cards}, refused: ${summary.refused}, with a warning: ${summary.warned}, ` +
					`tokens not resolved: ${summary.unresolved}, other numbers that look like cards: ${summary.otherNumbers}; ` +
					`${summary.bytesRead} bytes in ${seconds.toFixed(2)} s`,
				...[...others, ...refusals, ...warnings].map(countedLine),
				...(shown.length > 0 ? [entryTable(shown)] : []),
			].join('\n');
			if (isOut) context.output.note(text);
			else context.output.show({ ...summary, seconds, warnings, refusals, others, entries: shown }, text);
		});
	}
}

/** Prints the cards of a file, masked; if there are many thousands, only the first ones. */
async function dryRun(context: CommandContext, options: FileOptions, input: string, output: string | undefined) {
	if (output !== undefined || options.report !== undefined)
		throw new UsageError('--dry-run writes nothing: leave out <out> and --report');
	await checkReadable(input);
	const own = options.options === undefined ? undefined : await readOptionJson('--options', options.options);
	const { tryLocalFile } = await import('../../installation/files/local-file.ts');
	const size = await sizeOf(input);
	const progress = context.output.progress('looking', 'bytes');
	const onProgress = ({ bytesRead }: { bytesRead: number }) => progress.update(bytesRead, size);
	const { userId, filter } = options;
	const trial = tryLocalFile(context, { userId, filter, options: own, input, onProgress });
	const { summary, book } = await trial.finally(progress.end);
	const { warnings, refusals, others, omitted } = book;
	const entries: ReportEntry[] = [];
	for await (const lines of book.lines()) entries.push(...lines.map((line) => JSON.parse(line) as ReportEntry));
	context.output.show(
		{ dryRun: true, ...summary, bytesWritten: 0, warnings, refusals, others, entriesOmitted: omitted, entries },
		[
			...summary.notices,
			...(entries.length > 0 ? [entryTable(entries)] : []),
			...(omitted > 0 ? [`and ${omitted} more`] : []),
			`cards that would be tokenized: ${summary.cards}, refused: ${summary.refused}, with a warning: ${summary.warned}; ` +
				`other numbers that look like cards: ${summary.otherNumbers}. Nothing was stored or written.`,
		].join('\n'),
	);
}

/**
 * Checks the paths of a command.
 * @throws UsageError if the input cannot be read, the output is a folder or device, or the report has the path of input
 * or output
 */
async function checkFiles(input: string, output: string, report: string | undefined): Promise<void> {
	if (report === STANDARD_OUTPUT) throw new UsageError('--report: name a file, not -');
	if (report !== undefined && [input, output].map((path) => resolve(path)).includes(resolve(report)))
		throw new UsageError('--report must be another file than the one read and the one written');
	await checkReadable(input);
	if (output === STANDARD_OUTPUT) return;
	// The output may replace an existing file. That file stays until the new one is complete.
	const there = await stat(output).catch(() => undefined);
	if (there && !there.isFile()) throw new UsageError(`${output}: not a file that can be replaced`);
}

async function checkReadable(input: string): Promise<void> {
	if (input === STANDARD_INPUT) return;
	// Whether the input can be read is found out without opening it, because a pipe can be opened and read only once.
	const problem = await access(input, constants.R_OK).then(
		async () => ((await stat(input)).isDirectory() ? 'EISDIR' : undefined),
		(error: NodeJS.ErrnoException) => error.code ?? 'cannot be read',
	);
	if (problem !== undefined) throw new UsageError(`${input}: ${problem}`);
}

async function sizeOf(input: string): Promise<number | undefined> {
	return input === STANDARD_INPUT ? undefined : (await stat(input)).size;
}

async function firstEntries(book: ReportBook): Promise<ReportEntry[]> {
	const entries: ReportEntry[] = [];
	for await (const lines of book.lines()) {
		entries.push(...lines.slice(0, SHOWN_ENTRIES - entries.length).map((line) => JSON.parse(line) as ReportEntry));
		if (entries.length === SHOWN_ENTRIES) break;
	}
	return entries;
}

/** Returns a line such as `Expired card: 3, on lines 4, 7, 9`. */
function countedLine({ text, cards, places }: CountedText): string {
	const lines = [...new Set(places.map(({ line }) => line))].join(', ');
	return `${text}: ${cards}, ${cards > places.length ? 'first on' : 'on'} line${lines.includes(',') ? 's' : ''} ${lines}`;
}

function entryTable(entries: readonly ReportEntry[]): string {
	return table(
		['record', 'line', 'offset', 'outcome', 'reason', 'number', 'field'],
		entries.map((entry) => [
			String(entry.record ?? ''),
			String(entry.line),
			String(entry.offset),
			entry.outcome,
			entry.reason ?? entry.warnings?.join('; ') ?? '',
			entry.number ?? (entry.lastFour === undefined ? '' : `…${entry.lastFour}`),
			entry.field ?? '',
		]),
	);
}
