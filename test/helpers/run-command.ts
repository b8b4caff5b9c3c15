// Runs command lines in this process, with their own data directory.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { runCommandLine } from './command-line.ts';
import { placeMigratedSqlite } from './database.ts';

export interface CommandOutcome {
	readonly code: number;
	readonly stdout: string;
	readonly stderr: string;
	/** What `--json` printed: the result, or the failure. */
	// biome-ignore lint/suspicious/noExplicitAny: every command has its own result
	readonly json: any;
}

export interface CommandRunner {
	readonly dataDir: string;
	/** Runs a command line with `--json`. */
	(...argv: string[]): Promise<CommandOutcome>;
	/** Runs a command line as people do, without `--json`. */
	text(...argv: string[]): Promise<CommandOutcome>;
}

/** These commands make an installation themselves. */
const MAKING = ['migrate', 'serve', 'demo'];

/**
 * Makes a fresh data directory with an installation, unless `isReady` is false; it is removed with the test.
 * `variables` are those of the environment.
 */
export function openCommandRunner(
	t: ExecutionContext<unknown>,
	variables: Record<string, string> = {},
	{ isReady = true } = {},
): CommandRunner {
	const dataDir = mkdtempSync(join(tmpdir(), 'tokendrop-test-'));
	t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
	const env = { TOKENDROP_DATA_DIR: dataDir, ...variables };
	const silent = { write: () => {} };
	/** An installation is made first, because most commands need one and refuse to make it in an empty folder. */
	const makeInstallation = async () => {
		const database = join(dataDir, 'tokendrop.sqlite');
		if (existsSync(database) || 'TOKENDROP_DATABASE_URL' in variables) return;
		await placeMigratedSqlite(database);
		await runCommandLine({ argv: ['migrate'], env, stdout: silent, stderr: silent });
	};
	const run = async (argv: string[]): Promise<CommandOutcome> => {
		if (isReady && !MAKING.includes(argv[0])) await makeInstallation();
		let stdout = '';
		let stderr = '';
		const code = await runCommandLine({
			argv,
			env,
			stdout: { write: (text) => (stdout += text) },
			stderr: { write: (text) => (stderr += text) },
		});
		const isJson = argv.includes('--json') && (stdout || stderr) !== '';
		return { code, stdout, stderr, json: isJson ? JSON.parse(stdout || stderr) : undefined };
	};
	return Object.assign((...argv: string[]) => run([...argv, '--json']), {
		dataDir,
		text: (...argv: string[]) => run(argv),
	});
}
