// Registers the tests of several files with the runner, as one file.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runInTurn } from './in-turn.ts';
import { filesOf, type Share, shares, TESTS } from './shares.ts';
import { writeTimes } from './times.ts';

const load = createRequire(import.meta.url);

/**
 * Loads the tests of a share. It does so synchronously, because AVA starts with the first pause after the first test was
 * declared: no file of tests, and nothing it imports, may have an `await` at its top.
 */
export function loadShare(name: keyof typeof shares): void {
	const share: Share = shares[name];
	runInTurn(share.atOnce ?? 1);
	writeTimes(name);
	for (const file of filesOf(share)) load(join(TESTS, file));
}
