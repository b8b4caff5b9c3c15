// Those tests of reports.test.ts that take long.

import { runExamples } from '../helpers/page-examples.ts';
import { openReader } from '../helpers/page-reader.ts';
import { testNeeding } from '../helpers/test-needing.ts';
import { page } from './reports.setup.ts';

testNeeding('curl')('every example of a report does what it shows', async (t) => {
	t.is(page.examples.length, page.shellBlocks);
	t.is(page.examples.length, 2);
	await runExamples(t, page.examples, await openReader(t));
});
