// Writes down tests that were skipped because a program is missing, for the list at the end of `npm test`.

import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The file of skipped tests, which has one line of JSON for each of them. */
export const SKIPPED_FILE = fileURLToPath(new URL('../../node_modules/.cache/skipped-tests', import.meta.url));

export interface SkippedTest {
	readonly title: string;
	readonly missing: readonly string[];
}

export function noteSkipped(skipped: SkippedTest): void {
	mkdirSync(dirname(SKIPPED_FILE), { recursive: true });
	appendFileSync(SKIPPED_FILE, `${JSON.stringify(skipped)}\n`);
}
