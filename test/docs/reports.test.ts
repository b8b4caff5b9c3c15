// Checks docs/reports.md: its examples are typed as they stand into a shell beside a daemon, and every field of a report
// has a row.

import test from 'ava';
import type { ReportEntry } from '../../src/engine/report.ts';
import { CSV_COLUMNS } from '../../src/work/jobs/attempts/report.ts';
import { readPage, runExamples } from '../helpers/page-examples.ts';
import { openReader } from '../helpers/page-reader.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const OUTCOMES: Record<ReportEntry['outcome'], string> = {
	...{ tokenized: '', detokenized: '', refused: '', unresolved: '', otherNumber: '', otherCode: '' },
};
const CSV_OUTCOMES = ['notice', 'counted'];

const page = readPage('reports.md');

testNeeding('curl')('every example of a report does what it shows', async (t) => {
	t.is(page.examples.length, page.shellBlocks);
	t.is(page.examples.length, 2);
	await runExamples(t, page.examples, await openReader(t));
});

test('every member of a report, every column of its CSV and every outcome has a row', (t) => {
	const shown = [...page.examples[0].output.matchAll(/"(\w+)":/g)].map(([, name]) => name);
	const names = new Set([...shown, ...CSV_COLUMNS, ...Object.keys(OUTCOMES), ...CSV_OUTCOMES]);
	t.true(names.size > 40);
	const explained = page.text
		.split('\n')
		.filter((line) => line.startsWith('| `'))
		.map((row) => row.split('|')[1]);
	for (const name of names)
		t.true(
			explained.some((cell) => cell.includes(`\`${name}\``)),
			name,
		);
});
