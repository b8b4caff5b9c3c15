import { basename } from 'node:path';
import single from './ava.config.js';
import { alone, shares } from './test/suite/shares.ts';
import { isWholeRun, quickPatterns, readSlowTests } from './test/suite/slow-tests.ts';

const order = Object.keys(shares);
/** Files that are alone come after the shares. */
const placeOf = (file) => (file.endsWith('.suite.ts') ? order.indexOf(basename(file, '.suite.ts')) : order.length);

const suites = 'test/suite/*.suite.ts';
/** A plain run leaves out slow tests, and files that are alone, which are slow. */
const chosen = isWholeRun()
	? { files: [suites, ...alone.files.map((pattern) => `test/${pattern}.test.ts`)] }
	: { files: [suites], match: quickPatterns(readSlowTests()) };

/** What `npm test` runs: the tests of several files in one process, in the order of the table (test/suite/shares.ts). */
export default {
	...single,
	...chosen,
	// Shares wait for daemons, for PostgreSQL and for time to pass.
	concurrency: 3,
	// A share makes an app or a database for every test and throws it away: with room for them, collecting them is rarer.
	nodeArguments: ['--min-semi-space-size=32', '--max-semi-space-size=64'],
	sortTestFiles: (one, other) => placeOf(one) - placeOf(other),
};
