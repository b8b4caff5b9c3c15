// What main.test.ts and main.slow.test.ts share.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { runCommandLine } from './helpers/command-line.ts';

export function sink() {
	const texts: string[] = [];
	return { write: (text: string) => texts.push(text), text: () => texts.join('') };
}

/** Runs the command line in this process. */
export async function tokendrop(argv: string[], env: Record<string, string> = {}) {
	const [stdout, stderr] = [sink(), sink()];
	const code = await runCommandLine({ argv, env, stdout, stderr });
	return { code, stdout: stdout.text(), stderr: stderr.text() };
}

export function temporaryFolder(t: ExecutionContext): string {
	const folder = mkdtempSync(join(tmpdir(), 'main-'));
	t.teardown(() => rmSync(folder, { recursive: true }));
	return folder;
}
