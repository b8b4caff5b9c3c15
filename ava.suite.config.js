import single from './ava.config.js';

/** What `npm test` runs: the tests of several files in one process (test/suite/shares.ts). */
export default { ...single, files: ['test/suite/*.suite.ts'], concurrency: 3 };
