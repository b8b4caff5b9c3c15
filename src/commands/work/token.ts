import { type FileHandle, open, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ImportResult } from '../../installation/files/import-cards.ts';
import {
	type CommandContext,
	EXIT,
	STANDARD_INPUT,
	STANDARD_OUTPUT,
	UsageError,
} from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import { toStandardOutput } from '../../installation/frame/output.ts';
import { openNewFile, writeNewFile } from '../new-file.ts';

interface ImportOptions {
	readonly userId: string;
	readonly eliminateDuplicates?: boolean;
	readonly dryRun?: boolean;
}

const SHOWN_PROBLEMS = 20;
const PIECE_BYTES = 65_536;

/**
 * Registers `token import|export`: the first stores the cards of a table or list and writes a table with tokens; the second
 * writes the tokens of an account with the masked cards.
 */
export function register(program: FramedCommand): void {
	const token = program.subcommand('token', 'many tokens at once, from tables or JSON lists, and to tables');
	token
		.subcommand('import', 'store the cards of a table or of a JSON list, found by usual names')
		.requiredOption('--user-id <id>', 'the account whose cards they are')
		.option('--eliminate-duplicates', 'a card that the account has gives the token it has')
		.option('--dry-run', 'say which rows would be refused, and store and write nothing')
		.argument('<in>', 'the table or JSON list; - for standard input')
		.argument('[out]', 'a new file for the tokens, row by row; standard output when absent or -')
		.run<ImportOptions>((context, options, input, output) => runImport(context, options, input!, output));
	token
		.ofAccount('export', 'write what may be shown of the tokens of an account, never a number')
		.argument('[out]', 'a new file; standard output when absent or -')
		.run<{ readonly userId: string }>(async (context, { userId }, out) => {
			const output = out === STANDARD_OUTPUT ? undefined : out;
			checkOutput(context, output);
			const { exportTokens } = await import('../../installation/files/export-tokens.ts');
			if (output === undefined) {
				const { leftOut } = await exportTokens(context, userId, process.stdout);
				if (leftOut > 0) {
					context.output.note(leftOutOf(leftOut));
					context.exitCode = EXIT.failed;
				}
				return;
			}
			const exported = await writeNewFile(context, output, (stream) => exportTokens(context, userId, stream));
			const { tokens, leftOut } = exported;
			const lines = [`${tokens} tokens written to ${output}`, ...(leftOut > 0 ? [leftOutOf(leftOut)] : [])];
			context.output.show({ file: output, ...exported }, lines.join('\n'));
			if (leftOut > 0) context.exitCode = EXIT.failed;
		});
}

function leftOutOf(tokens: number): string {
	const counted = tokens === 1 ? '1 token was' : `${tokens} tokens were`;
	return `${counted} left out, because a page of the vault is damaged; the entries integrity.failed of the audit trail name it`;
}

async function runImport(context: CommandContext, options: ImportOptions, input: string, out?: string) {
	const output = out === STANDARD_OUTPUT ? undefined : out;
	const { userId, eliminateDuplicates = false, dryRun = false } = options;
	if (dryRun && output !== undefined) throw new UsageError('--dry-run writes nothing: leave out <out>');
	if (!dryRun) checkOutput(context, output);
	const table = await openSource(context, input);
	const { untilAborted } = await import('../../engine/file-source.ts');
	const source = untilAborted(table, context.interruption.cleaningUp(), input === STANDARD_INPUT ? undefined : input);
	const { importCards, tryCards } = await import('../../installation/files/import-cards.ts');
	if (dryRun) {
		const result = await tryCards(context, { userId, source });
		show(
			context,
			{ dryRun: true, ...result },
			`${countsOf(result, 'would be stored')}. Nothing was stored or written.`,
		);
		return;
	}
	const name = input === STANDARD_INPUT ? 'standard input' : basename(input);
	const order = { userId, name, source, eliminatesDuplicates: eliminateDuplicates };
	if (output === undefined) {
		const result = await importCards(context, { ...order, write: toStandardOutput });
		if (!result.isWhole) context.exitCode = EXIT.failed;
		context.output.note([countsOf(result, 'stored'), ...problemsOf(result)].join('\n'));
		return;
	}
	const rows = context.opened('result', await openResult(output));
	const result = await importCards(context, { ...order, write: (bytes) => rows.write(bytes) }).catch(async (error) => {
		await rows.giveUp();
		throw error;
	});
	await rows.settle();
	show(context, { file: output, ...result }, `${countsOf(result, 'stored')}; their tokens are in ${output}`);
}

/**
 * Checks that the table and the JSON of `--json` are not both written to standard output.
 * @throws UsageError if they are
 */
function checkOutput({ output }: CommandContext, path: string | undefined): void {
	if (path === undefined && output.isJson) throw new UsageError('--json needs <out>, because the table is not JSON');
}

async function openSource({ opened }: CommandContext, path: string): Promise<AsyncIterable<Buffer>> {
	if (path === STANDARD_INPUT) return process.stdin;
	const handle = await open(path).catch((cause: NodeJS.ErrnoException) => {
		throw new UsageError(`${path}: ${cause.code}`, { cause });
	});
	opened('table', handle);
	if ((await handle.stat()).isDirectory()) throw new UsageError(`${path}: EISDIR`);
	return handle.createReadStream({ autoClose: false, highWaterMark: PIECE_BYTES });
}

/** Opens the result file. Each row is correct as soon as it is written, so all stay even if the command fails. */
async function openResult(path: string) {
	const handle: FileHandle = await openNewFile(path);
	let isEmpty = true;
	return {
		async write(bytes: Buffer) {
			await handle.appendFile(bytes);
			isEmpty = false;
		},
		settle: () => handle.sync(),
		/** Closes the result after a failure. Its rows stay, because their cards are stored; an empty file is removed. */
		async giveUp() {
			if (isEmpty) await rm(path, { force: true });
			else await handle.sync();
		},
		close: () => handle.close(),
	};
}

function show(
	context: CommandContext,
	result: ImportResult & { readonly file?: string; readonly dryRun?: true },
	text: string,
): void {
	if (!result.isWhole) context.exitCode = EXIT.failed;
	context.output.show(result, [text, ...problemsOf(result)].join('\n'));
}

function countsOf({ cards, refused, isWhole }: ImportResult, what: string): string {
	return `${cards} cards ${what}, ${refused} refused${isWhole ? '' : '; the rest of the table was not read'}`;
}

function problemsOf({ problems }: ImportResult): string[] {
	const shown =
		problems.length > SHOWN_PROBLEMS ? [...problems.slice(0, SHOWN_PROBLEMS - 1), '…', problems.at(-1)!] : problems;
	return shown.map((problem) => `- ${problem}`);
}
