// Tests what the benchmark does if something is missing or fails, and what it writes.

import test from 'ava';
import { figure } from '../../bench/figures.ts';
import { runGroups } from '../../bench/run-groups.ts';

test('an error of a group is told without card numbers', async (t) => {
	const failing = async () => {
		throw new Error('internal error: the number is 4111111111111111');
	};
	const [{ error, rows }] = await runGroups([['files', failing]]);
	t.notRegex(`${error} ${rows[0].result}`, /4111111111111111/);
	t.regex(rows[0].result, /^failed: internal error/);
});

test('two figures of one name, and one under the name of another group, are bugs of the group', async (t) => {
	const row = (...names: string[]) => ({
		...{ what: '', result: '', target: '' },
		figures: names.map((name) => figure(name, 'MB/s', [1, 3])),
	});
	const groups = await runGroups([
		['files', async () => [row('files/a', 'files/a')]],
		['memory', async () => [row('files/b')]],
		['upload', async () => [row('upload/a', 'upload/b')]],
	]);
	t.deepEqual(
		groups.map(({ error }) => error),
		[
			'internal error: there are two figures files/a',
			'internal error: the figure files/b is not named after memory',
			undefined,
		],
	);
	t.is(groups[2].rows[0].figures[0].value, 2);
});
