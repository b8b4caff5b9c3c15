#!/usr/bin/env node
// Runs the command line. Each group of commands has its own file, which has a line in `commandFiles`.

import process from 'node:process';
import { CommanderError } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import type { ProcessPort } from './base/lifecycle.ts';
import { beginPathsAtCaller } from './commands/caller-paths.ts';
import { createFrame, EXIT, EXIT_CODES, reportFailure, UsageError } from './installation/frame/command.ts';
import { FramedCommand } from './installation/frame/framed-command.ts';
import type { TextSink } from './installation/frame/output.ts';

interface CommandFile {
	register(program: FramedCommand): void;
}

/** Maps the first word of a command line to a function that loads the file of the command. */
const commandFiles: Readonly<Record<string, () => Promise<CommandFile>>> = {
	serve: () => import('./commands/installation/serve.ts'),
	migrate: () => import('./commands/installation/migrate.ts'),
	config: () => import('./commands/installation/config-check.ts'),
	account: () => import('./commands/people/account.ts'),
	allowance: () => import('./commands/people/allowance.ts'),
	'cvv-retention': () => import('./commands/work/cvv-retention.ts'),
	'api-key': () => import('./commands/people/api-key.ts'),
	'ssh-key': () => import('./commands/people/ssh-key.ts'),
	origin: () => import('./commands/people/origin.ts'),
	'form-style': () => import('./commands/work/form-style.ts'),
	ban: () => import('./commands/people/ban.ts'),
	file: () => import('./commands/work/file.ts'),
	token: () => import('./commands/work/token.ts'),
	key: () => import('./commands/installation/key.ts'),
	audit: () => import('./commands/installation/audit.ts'),
	operator: () => import('./commands/people/operator.ts'),
	'portal-user': () => import('./commands/people/portal-user.ts'),
	approve: () => import('./commands/people/approval.ts'),
	approval: () => import('./commands/people/approval.ts'),
	format: () => import('./commands/work/format.ts'),
	'format-options': () => import('./commands/work/format-options.ts'),
	'pgp-key': () => import('./commands/work/pgp-key.ts'),
	destination: () => import('./commands/work/destination.ts'),
	route: () => import('./commands/work/route.ts'),
	event: () => import('./commands/work/event.ts'),
	'mail-style': () => import('./commands/work/mail-style.ts'),
	profile: () => import('./commands/work/profile.ts'),
	job: () => import('./commands/work/job.ts'),
	today: () => import('./commands/work/today.ts'),
	login: () => import('./commands/people/login.ts'),
	retention: () => import('./commands/work/retention.ts'),
	database: () => import('./commands/installation/database.ts'),
	vault: () => import('./commands/installation/vault.ts'),
	backup: () => import('./commands/installation/backup.ts'),
	integrity: () => import('./commands/installation/integrity.ts'),
	doctor: () => import('./commands/installation/doctor.ts'),
	completion: () => import('./commands/installation/completion.ts'),
	manual: () => import('./commands/installation/completion.ts'),
	demo: () => import('./commands/installation/demo.ts'),
	bench: () => import('./commands/installation/bench.ts'),
};

/** These commands are about all others. */
const ABOUT_ALL = ['completion', 'manual'];

/**
 * Loads the file of the command that the first argument names. Without such a command it loads all files, because help
 * and error messages list every command.
 */
async function loadCommands([first]: readonly string[]): Promise<ReadonlySet<CommandFile>> {
	const isNamed = first !== undefined && Object.hasOwn(commandFiles, first) && !ABOUT_ALL.includes(first);
	const needed = isNamed ? [commandFiles[first]] : Object.values(commandFiles);
	// The set removes duplicates, because a file that defines two commands is in the list twice.
	return new Set(await Promise.all(needed.map((load) => load())));
}

export interface CommandLine {
	/** The arguments after the names of Node and of the script. */
	readonly argv: readonly string[];
	readonly env?: Readonly<Record<string, string | undefined>>;
	readonly stdout: TextSink;
	readonly stderr: TextSink;
	/** The process whose signals interrupt the command. */
	readonly host?: ProcessPort;
}

/** Runs one command line and returns its exit code. */
export async function runCommandLine({ argv, env, stdout, stderr, host }: CommandLine): Promise<number> {
	let exitCode: number = EXIT.ok;
	let complaint = '';
	const frame = createFrame({
		env,
		stdout,
		stderr,
		host,
		onExit: (code) => {
			exitCode = code;
		},
	});
	const program = new FramedCommand(frame, 'tokendrop')
		.description('A card-data vault you run yourself.')
		.version(packageJson.version)
		.option('--json', 'one JSON document instead of text')
		.option('--config <file>', 'settings in YAML; see config/default.yaml')
		.option('--as <operator>', 'who runs the command, once there are operators; see docs/operators.md')
		.option('--identity-file <file>', 'their private SSH key; ssh-agent when absent')
		.option('--token-file <file>', 'their token; - is standard input')
		.option('--request', 'ask a second operator to approve the command instead of running it')
		.configureHelp({ showGlobalOptions: true })
		.configureOutput({
			writeOut: (text) => stdout.write(text),
			writeErr: (text) => {
				complaint += text;
			},
		})
		.addHelpText('after', EXIT_CODES)
		.addHelpText('beforeAll', ({ error, command }) => {
			// commander shows the help of the program when it is asked for that of a command that there is not.
			const [word] = command.args;
			const isUnknown = !error && command.commands.length > 0 && word !== undefined && !word.startsWith('-');
			if (isUnknown) throw new UsageError(`error: unknown command '${word}'`);
			return '';
		})
		.exitOverride();
	for (const { register } of await loadCommands(argv)) register(program);
	beginPathsAtCaller(program, env);
	// `--json` is searched for directly, because the failure may be that the command line cannot be parsed.
	return reportFailure(argv.includes('--json'), stderr, async () => {
		try {
			await program.parseAsync(argv, { from: 'user' });
		} catch (error) {
			if (!(error instanceof CommanderError)) throw error;
			if (error.exitCode === 0) return EXIT.ok;
			throw new UsageError(complaint.trim());
		}
		return exitCode;
	});
}

/** If something keeps the process alive after its command has finished, the process is ended after this time. */
const LINGER_MS = 5000;

if (import.meta.main) {
	// SQLite and the code of the lock file create their files with modes of their own. With this umask these files, too,
	// are readable only by their owner, like everything in a data directory.
	process.umask(process.umask() | 0o077);
	// A report of Node about a crash lists the environment, in which the master key may be.
	process.report.excludeEnv = true;
	// It is not a failure if the program that reads the output stops early, as `head` does.
	process.stdout.on('error', (error: NodeJS.ErrnoException) =>
		process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failed),
	);
	// What cannot be said to a person is no reason to end what runs, and the log counts its own lines (`LineSink`).
	process.stderr.on('error', () => {});
	const { stdout, stderr } = process;
	process.exitCode = await runCommandLine({ argv: process.argv.slice(2), stdout, stderr, host: process });
	setTimeout(() => process.exit(), LINGER_MS).unref();
}
