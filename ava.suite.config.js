import { basename } from 'node:path';
import single from './ava.config.js';
import { shares } from './test/suite/shares.ts';

const order = Object.keys(shares);
const placeOf = (file) => order.indexOf(basename(file, '.suite.ts'));

/** What `npm test` runs: the tests of several files in one process, in the order of the table (test/suite/shares.ts). */
export default {
	...single,
	files: ['test/suite/*.suite.ts'],
	// Shares wait for daemons, for PostgreSQL and for time to pass.
	concurrency: 3,
	sortTestFiles: (one, other) => placeOf(one) - placeOf(other),
};
