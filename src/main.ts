#!/usr/bin/env node
// Runs the command line. Each group of commands has a file; adding one takes a line in `commandFiles`.

import process from 'node:process';
import { Command, CommanderError } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { beginPathsAtCaller } from './commands/caller-paths.ts';
import { createFrame, EXIT, type Frame, reportFailure, UsageError } from './commands/command.ts';
import type { TextSink } from './commands/output.ts';

const commandFiles = (): Promise<{ register(program: Command, frame: Frame): void }>[] => [
	import('./commands/serve.ts'),
	import('./commands/migrate.ts'),
	import('./commands/config-check.ts'),
	import('./commands/account.ts'),
	import('./commands/allowance.ts'),
	import('./commands/cvv-retention.ts'),
	import('./commands/api-key.ts'),
	import('./commands/ssh-key.ts'),
	import('./commands/ban.ts'),
	import('./commands/file.ts'),
	import('./commands/token.ts'),
	import('./commands/key.ts'),
	import('./commands/audit.ts'),
	import('./commands/operator.ts'),
	import('./commands/approval.ts'),
	import('./commands/format-options.ts'),
	import('./commands/destination.ts'),
	import('./commands/profile.ts'),
	import('./commands/job.ts'),
	import('./commands/today.ts'),
	import('./commands/login.ts'),
	import('./commands/retention.ts'),
	import('./commands/backup.ts'),
	import('./commands/doctor.ts'),
	import('./commands/demo.ts'),
	import('./commands/bench.ts'),
];

const EXIT_CODES = `
Exit codes: 0 done, 1 failed, 64 wrong command line, 70 internal error, 77 not by this operator, 78 wrong settings.
Under --json the result is one JSON document on standard output, and a failure is
{"error":{"reason","message"}} on standard error.`;

export interface CommandLine {
	/** The arguments without the two words that name the program. */
	readonly argv: readonly string[];
	readonly env?: Readonly<Record<string, string | undefined>>;
	readonly stdout: TextSink;
	readonly stderr: TextSink;
}

/** Runs one command line and returns its exit code. */
export async function runCommandLine({ argv, env, stdout, stderr }: CommandLine): Promise<number> {
	let exitCode: number = EXIT.ok;
	let complaint = '';
	const program = new Command('tokendrop')
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
		.exitOverride();
	const frame = createFrame({
		env,
		stdout,
		stderr,
		onExit: (code) => {
			exitCode = code;
		},
	});
	for (const { register } of await Promise.all(commandFiles())) register(program, frame);
	beginPathsAtCaller(program, env);
	// The command line could not be parsed completely, so the option is searched for directly.
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

/** Nothing should keep the process alive after its command; if something does, the process is ended. */
const LINGER_MS = 5000;

if (import.meta.main) {
	// SQLite and the lock file choose their own modes, so the umask makes everything in a data directory readable only by
	// its owner.
	process.umask(process.umask() | 0o077);
	// A reader of the output that stops early (`| head`) is not a failure.
	process.stdout.on('error', (error: NodeJS.ErrnoException) =>
		process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failed),
	);
	const { stdout, stderr } = process;
	process.exitCode = await runCommandLine({ argv: process.argv.slice(2), stdout, stderr });
	setTimeout(() => process.exit(), LINGER_MS).unref();
}
