import { basename } from 'node:path';
import single from './ava.config.js';
import { filesOfRun, isWholeRun, shareOf, shares } from './test/suite/shares.ts';

const order = Object.keys(shares);
/** Files that are alone come after the shares. */
const placeOf = (file) => (file.endsWith('.suite.ts') ? order.indexOf(basename(file, '.suite.ts')) : order.length);

const alone = filesOfRun().filter((file) => shareOf(file) === undefined);

/** What `npm test` runs: the tests of several files in one process, in the order of the table (test/suite/shares.ts). */
export default {
	...single,
	files: ['test/suite/*.suite.ts', ...alone.map((file) => `test/${file}`)],
	environmentVariables: {
		...single.environmentVariables,
		// Tests of databases go through PostgreSQL in whole runs, and when their file is run by its name (test/helpers/database.ts).
		...(!isWholeRun() && { TOKENDROP_TEST_PLAIN: '1' }),
	},
	// Shares wait for daemons, for PostgreSQL and for time to pass.
	concurrency: 3,
	// A share makes an app or a database for every test and throws it away: with room for them, collecting them is rarer.
	nodeArguments: ['--min-semi-space-size=32', '--max-semi-space-size=64'],
	sortTestFiles: (one, other) => placeOf(one) - placeOf(other),
};
