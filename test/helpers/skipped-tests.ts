// Where tests that were skipped for want of a program are written down, for the list at the end of `npm test`.

import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A line of JSON each. */
export const SKIPPED_FILE = fileURLToPath(new URL('../../node_modules/.cache/skipped-tests', import.meta.url));

export interface SkippedTest {
	readonly title: string;
	readonly missing: readonly string[];
}

export function noteSkipped(skipped: SkippedTest): void {
	mkdirSync(dirname(SKIPPED_FILE), { recursive: true });
	appendFileSync(SKIPPED_FILE, `${JSON.stringify(skipped)}\n`);
}
