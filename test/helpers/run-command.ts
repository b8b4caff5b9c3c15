// Runs command lines in this process, on a data directory of their own.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { runCommandLine } from '../../src/main.ts';

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
	/** Adds `--json`. */
	(...argv: string[]): Promise<CommandOutcome>;
	/** As people see it. */
	text(...argv: string[]): Promise<CommandOutcome>;
}

/** A fresh data directory, removed with the test. `variables` as the environment has them. */
export function openCommandRunner(t: ExecutionContext<unknown>, variables: Record<string, string> = {}): CommandRunner {
	const dataDir = mkdtempSync(join(tmpdir(), 'tokendrop-test-'));
	t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
	const run = async (argv: string[]): Promise<CommandOutcome> => {
		let stdout = '';
		let stderr = '';
		const code = await runCommandLine({
			argv,
			env: { TOKENDROP_DATA_DIR: dataDir, ...variables },
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
