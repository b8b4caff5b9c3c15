import { once } from 'node:events';
import type { Writable } from 'node:stream';
import {
	type CommandContext,
	EXIT,
	readOptionFile,
	STANDARD_INPUT,
	STANDARD_OUTPUT,
	UsageError,
} from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import { toStandardOutput } from '../../installation/frame/output.ts';
import type { Exported, ExportFormat } from '../../installation/vault/export-vault.ts';
import type { Imported } from '../../installation/vault/import-vault.ts';
import type { KeySource } from '../../installation/vault/named-keys.ts';
import { writeNewFile } from '../new-file.ts';

interface KeyOptions {
	readonly keyFile?: string;
	readonly passphraseFile?: string;
	readonly pgpKey?: string;
	readonly keyOf?: string;
}

interface ExportOptions extends KeyOptions {
	readonly fingerprint: string;
	readonly account?: readonly string[];
	readonly format: string;
	readonly armor?: boolean;
}

interface ImportOptions extends KeyOptions {
	readonly rename?: readonly string[];
	readonly leaveOut?: boolean;
	readonly dryRun?: boolean;
	readonly report?: string;
}

/** At most this many problems are printed; `--report` writes all of them. */
const SHOWN_PROBLEMS = 20;
const REPORT = { columns: ['line', 'token', 'problem'], lineEnd: 'windows' } as const;

/** Gathers the values of an option that may be given several times. */
const collect = (value: string, earlier: readonly string[] = []): readonly string[] => [...earlier, value];

/** Registers `vault export|import`, by which cards go from one installation to another with their tokens. */
export function register(program: FramedCommand): void {
	const vault = program.subcommand('vault', 'the cards of accounts, out of this installation and into another');
	vault
		.subcommand(
			'export',
			'write cards with their numbers, encrypted for the OpenPGP key of whoever is to have them; never a CVV',
		)
		.requiredOption('--fingerprint <hex>', 'the fingerprint of that key, as its owner says it')
		.option('--key-file <file>', 'the public key, armored or binary')
		.option('--pgp-key <name>', 'or a key of an account (pgp-key list)')
		.option('--key-of <id>', 'the account that has this key')
		.option('--account <id>', 'only the cards of this primary account; may be repeated; without it, of all', collect)
		.option('--format <format>', 'json: all of each token, for vault import; csv: cards for a payment provider', 'json')
		.option('--armor', 'write text in place of bytes')
		.argument('<out>', 'a new file')
		.run<ExportOptions>((context, options, out) => runExport(context, options, out!));
	vault
		.subcommand('import', 'store the cards of such a file under the tokens that they have, once all of it is judged')
		.option('--key-file <file>', 'the secret key that opens the file')
		.option('--passphrase-file <file>', 'what opens the secret key, up to the end of its line; - is standard input')
		.option('--pgp-key <name>', 'or an own key of an account (pgp-key list)')
		.option('--key-of <id>', 'the account that has this key')
		.option('--rename <there=here>', 'an account that has another user ID here; may be repeated', collect)
		.option('--leave-out', 'store the rest where some records have problems; without it, nothing is stored then')
		.option('--dry-run', 'judge the file, and store nothing')
		.option('--report <file>', 'a new file for all problems, line by line, in CSV')
		.argument('<in>', 'the file')
		.run<ImportOptions>((context, options, input) => runImport(context, options, input!));
}

async function runExport(context: CommandContext, options: ExportOptions, out: string): Promise<void> {
	const { EXPORT_FORMATS, exportVault } = await import('../../installation/vault/export-vault.ts');
	const { systemClock: clock } = await import('../../base/clock.ts');
	const { findReceiver } = await import('../../installation/vault/named-keys.ts');
	const { format } = options;
	if (!(EXPORT_FORMATS as readonly string[]).includes(format)) {
		throw new UsageError(`--format must be ${EXPORT_FORMATS.join(' or ')}`);
	}
	const isStandard = out === STANDARD_OUTPUT;
	if (isStandard && context.output.isJson) throw new UsageError('--json needs a file for the export');
	const source = await keyOf(options);
	const { database, keyRing, audit, identity, actor } = await context.parts();
	const key = await findReceiver({ database, keyRing, identity }, source, options.fingerprint);
	const { environment } = context.settings;
	const progress = context.output.progress('exporting', 'things');
	const exportTo = (write: (bytes: Uint8Array) => Promise<void>) =>
		exportVault(
			{ database, keyRing, audit, identity, clock },
			{
				actor,
				userIds: options.account ?? [],
				key,
				environment,
				format: format as ExportFormat,
				isArmored: options.armor === true,
				write,
				onProgress: progress.update,
			},
		).finally(progress.end);
	const exported = isStandard
		? await exportTo(toStandardOutput)
		: await writeNewFile(context, out, (stream) => exportTo((bytes) => writeTo(stream, bytes)));
	if (exported.leftOut > 0) context.exitCode = EXIT.failed;
	if (isStandard) context.output.note(exportText('standard output', exported));
	else context.output.show({ file: out, ...exported }, exportText(out, exported));
}

async function writeTo(stream: Writable, bytes: string | Uint8Array): Promise<void> {
	if (!stream.write(bytes)) await once(stream, 'drain');
}

function exportText(file: string, { accounts, records, leftOut, notInFormat, ...told }: Exported): string {
	const lines = [
		`${records} records of ${accounts.length} accounts are in ${file}, for the key ${told.fingerprint}`,
		...accounts.map(({ account, records: own }) => `- ${account}: ${own}`),
		`export ${told.export}`,
		`sha256 ${told.sha256}`,
	];
	if (notInFormat > 0)
		lines.push(`${notInFormat} network tokens and data blocks are not in it: a table has cards only`);
	if (leftOut > 0) {
		lines.push(
			`${leftOut} records are missing, because pages of the vault are damaged; integrity.failed in the trail names them`,
		);
	}
	return lines.join('\n');
}

async function runImport(context: CommandContext, options: ImportOptions, path: string): Promise<void> {
	const { importVault } = await import('../../installation/vault/import-vault.ts');
	const { systemClock: clock } = await import('../../base/clock.ts');
	const { findOpener } = await import('../../installation/vault/named-keys.ts');
	const { csvRows } = await import('../../base/csv.ts');
	if (path === STANDARD_INPUT) throw new UsageError('the file is read twice, so it cannot be standard input');
	const source = await keyOf(options);
	const renamed = renamedOf(options.rename ?? []);
	const { database, keyRing, audit, identity, actor } = await context.parts();
	const key = await findOpener({ database, keyRing, identity }, source);
	const { environment, dataDir } = context.settings;
	const shown: string[] = [];
	const { progress, end } = progressOf(context);
	const importWith = (report?: Writable) =>
		importVault(
			{ database, keyRing, audit, identity, clock },
			{
				actor,
				path,
				key,
				environment,
				dataDir,
				renamed,
				leavesOut: options.leaveOut === true,
				isTrial: options.dryRun === true,
				async onProblems(problems) {
					if (report) await writeTo(report, csvRows(problems, { ...REPORT, header: false }));
					for (const { line, problem } of problems.slice(0, SHOWN_PROBLEMS - shown.length)) {
						shown.push(`line ${line}: ${problem}`);
					}
				},
				onProgress: progress,
			},
		).finally(end);
	const writeReport = async (report: Writable) => {
		await writeTo(report, csvRows([], { ...REPORT, header: true }));
		return importWith(report);
	};
	const { report } = options;
	const imported = await (report === undefined ? importWith() : writeNewFile(context, report, writeReport));
	if (imported.problems > 0) context.exitCode = EXIT.failed;
	context.output.show({ file: path, ...imported, firstProblems: shown }, importText(imported, shown, options));
}

function importText(imported: Imported, shown: readonly string[], { dryRun }: ImportOptions): string {
	const { records, stored, present, problems, isStored } = imported;
	const lines = [`export ${imported.export}, sha256 ${imported.sha256}: ${records} records`];
	if (isStored) lines.push(`${stored} records are stored, ${present} were here already, ${problems} have problems`);
	else lines.push(`${present} are here already, ${problems} have problems. Nothing was stored.`);
	if (!isStored && !dryRun) lines.push('Correct what is wrong, or store the rest with --leave-out.');
	lines.push(...shown.map((text) => `- ${text}`));
	if (problems > shown.length) lines.push(`- and ${problems - shown.length} more: --report writes them all`);
	return lines.join('\n');
}

function progressOf({ output }: CommandContext) {
	let step: string | undefined;
	let bar: ReturnType<typeof output.progress> | undefined;
	return {
		progress(now: string, bytes: number, total: number) {
			if (now !== step) {
				bar?.end();
				bar = output.progress(now, 'bytes');
				step = now;
			}
			bar?.update(bytes, total);
		},
		end: () => bar?.end(),
	};
}

async function keyOf({ keyFile, passphraseFile, pgpKey, keyOf: userId }: KeyOptions): Promise<KeySource> {
	if ((keyFile === undefined) === (pgpKey === undefined)) throw new UsageError('name one key: --key-file or --pgp-key');
	if ((pgpKey === undefined) !== (userId === undefined)) throw new UsageError('--pgp-key and --key-of belong together');
	if (keyFile === undefined) return { userId: userId!, name: pgpKey! };
	if (keyFile === STANDARD_INPUT) throw new UsageError('--key-file: name a file');
	const text = passphraseFile === undefined ? undefined : await readOptionFile('--passphrase-file', passphraseFile);
	return { file: keyFile, passphrase: text?.split(/\r?\n/, 1)[0] };
}

function renamedOf(pairs: readonly string[]): Map<string, string> {
	return new Map(
		pairs.map((pair) => {
			const [there, here, more] = pair.split('=');
			if (!there || !here || more !== undefined) throw new UsageError('--rename takes pairs such as agency=agency-eu');
			return [there, here] as const;
		}),
	);
}
