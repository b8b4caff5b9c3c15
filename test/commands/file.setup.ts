// What file.test.ts and file.slow.test.ts share.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { openCommandRunner } from '../helpers/run-command.ts';

export const TEXT = 'CardNumber,ExpirationMonth,ExpirationYear\n4111111111111111,04,2039\n';

/** Creates an account, and a file to tokenize in a folder of its own. */
export async function openFolder(t: ExecutionContext, ...account: string[]) {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency', ...account);
	const path = (name: string) => join(run.dataDir, name);
	writeFileSync(path('in.csv'), TEXT);
	const tokenize = (...words: string[]) =>
		run('file', 'tokenize', '--user-id', 'agency', '--filter', 'SIMPLECSV', ...words);
	return { run, path, tokenize };
}

export const ROWS = 'CardNumber,ExpirationMonth,ExpirationYear,CardType\n';
