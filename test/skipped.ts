// Runs before and after `npm test`. Before, it forgets what the last run skipped; after, it tells what this run left out:
// the slow tests, and each test whose program is missing.

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { SKIPPED_FILE, type SkippedTest } from './helpers/skipped-tests.ts';
import { filesOfRun, isSlow, isWholeRun } from './suite/shares.ts';

if (process.argv[2] === 'clear') rmSync(SKIPPED_FILE, { force: true });
else {
	if (!isWholeRun()) tellSlow(filesOfRun(true).filter(isSlow).length);
	if (existsSync(SKIPPED_FILE)) list(readFileSync(SKIPPED_FILE, 'utf8').trim().split('\n').map(read));
}

function tellSlow(count: number): void {
	const left = `${count} files of slow tests, and most tests of databases on PostgreSQL`;
	console.log(`\n  ${left}, were left out: npm run test:all and CI run them too.\n`);
}

function read(line: string): SkippedTest {
	return JSON.parse(line) as SkippedTest;
}

function list(skipped: readonly SkippedTest[]): void {
	const byProgram = Map.groupBy(skipped, ({ missing }) => missing.join(' and '));
	console.log(`\n  ${skipped.length} tests were skipped, for this machine lacks what they run:`);
	for (const [missing, tests] of byProgram) {
		console.log(`\n  ${missing}`);
		for (const { title } of tests) console.log(`    - ${title}`);
	}
}
