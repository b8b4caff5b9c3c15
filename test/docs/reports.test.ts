// Checks docs/reports.md: its examples are typed as they stand into a shell beside a daemon, and every field of a report
// has a row.

import test from 'ava';
import type { ReportEntry } from '../../src/engine/report.ts';
import { CSV_COLUMNS } from '../../src/work/jobs/attempts/report.ts';
import { page } from './reports.setup.ts';

const OUTCOMES: Record<ReportEntry['outcome'], string> = {
	...{ tokenized: '', detokenized: '', refused: '', unresolved: '', otherNumber: '', otherCode: '' },
};
const CSV_OUTCOMES = ['notice', 'counted'];

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
