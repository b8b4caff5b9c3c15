// Registers the tests of several files with the runner, as one file.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runInTurn } from './in-turn.ts';
import { filesOfRun, type Share, type ShareName, shareOf, shares, TESTS } from './shares.ts';

const load = createRequire(import.meta.url);

/**
 * Loads the tests of a share that belong to this run. It does so synchronously, because AVA starts with the first pause after
 * the first test was declared: no file of tests, and nothing it imports, may have an `await` at its top.
 */
export function loadShare(name: ShareName): void {
	const share: Share = shares[name];
	runInTurn(share.atOnce ?? 1);
	for (const file of filesOfRun().filter((each) => shareOf(each) === name)) load(join(TESTS, file));
}
