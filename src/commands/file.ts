import { access, constants, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { CountedText, ReportBook } from '../jobs/report-book.ts';
import type { Direction } from '../transfer/format.ts';
import type { ReportEntry } from '../transfer/report.ts';
import { type Frame, readOptionJson, table, UsageError } from './command.ts';

interface FileOptions {
	readonly userId: string;
	readonly filter: string;
	readonly options?: string;
	readonly report?: string;
}

/** Entries shown to people; the report has more. */
const SHOWN_ENTRIES = 20;

/** `file tokenize|detokenize`: the engine on local files, beside a running daemon or without one. */
export function register(program: Command, frame: Frame): void {
	const file = program.command('file').description('tokenize and detokenize local files');
	for (const direction of ['tokenize', 'detokenize'] satisfies Direction[]) {
		file
			.command(direction)
			.description(direction === 'tokenize' ? 'put tokens in place of card numbers' : 'put the card numbers back')
			.requiredOption('--user-id <id>', 'the account whose cards they are')
			.requiredOption('--filter <filter>', 'AIR, CSV, GBT, IUR, SIMPLECSV, SIMPLEJSON or TADC')
			.option('--options <file>', "options in JSON, over those of the account's folder")
			.option('--report <file>', 'write the report: JSON, or CSV where the name ends so')
			.argument('<in>', 'the file to read')
			.argument('<out>', 'the file to write; appears whole or not at all')
			.action(
				frame.action(async (context, options: FileOptions, input, output) => {
					await checkFiles(input!, output!, options.report);
					const own = options.options === undefined ? undefined : await readOptionJson('--options', options.options);
					const { transferLocalFile } = await import('../assembly/local-file.ts');
					const result = await transferLocalFile(context, {
						direction,
						...options,
						options: own,
						input: input!,
						output: output!,
						reportPath: options.report,
					});
					const { summary, seconds, book } = result;
					const { warnings, refusals, others } = book;
					const shown = await firstEntries(book);
					context.output.show(
						{ ...summary, seconds, warnings, refusals, others, entries: shown },
						[
							...summary.notices,
							`${summary.cards} cards ${direction}d, ${summary.refused} refused, ${summary.warned} with a warning, ` +
								`${summary.unresolved} tokens not resolved, ${summary.otherNumbers} other numbers that look like cards; ` +
								`${summary.bytesRead} bytes in ${seconds.toFixed(2)} s`,
							...[...others, ...refusals, ...warnings].map(countedLine),
							...(shown.length > 0 ? [entryTable(shown)] : []),
						].join('\n'),
					);
				}),
			);
	}
}

/** @throws UsageError when the input cannot be read, the output is a folder or device, or the report is one of the two */
async function checkFiles(input: string, output: string, report: string | undefined): Promise<void> {
	if (report !== undefined && [input, output].map((path) => resolve(path)).includes(resolve(report)))
		throw new UsageError('--report must be another file than the one read and the one written');
	// Not opened: of a pipe that would be its one reader.
	const problem = await access(input, constants.R_OK).then(
		async () => ((await stat(input)).isDirectory() ? 'EISDIR' : undefined),
		(error: NodeJS.ErrnoException) => error.code ?? 'cannot be read',
	);
	if (problem !== undefined) throw new UsageError(`${input}: ${problem}`);
	// The output is put in the place of what has its name, and that only once all is done.
	const there = await stat(output).catch(() => undefined);
	if (there && !there.isFile()) throw new UsageError(`${output}: not a file that can be replaced`);
}

async function firstEntries(book: ReportBook): Promise<ReportEntry[]> {
	const entries: ReportEntry[] = [];
	for await (const lines of book.lines()) {
		entries.push(...lines.slice(0, SHOWN_ENTRIES - entries.length).map((line) => JSON.parse(line) as ReportEntry));
		if (entries.length === SHOWN_ENTRIES) break;
	}
	return entries;
}

/** `Expired card: 3, on lines 4, 7, 9`. */
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
