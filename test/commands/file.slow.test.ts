// Those tests of file.test.ts that take long.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import test from 'ava';
import { openFolder, ROWS, TEXT } from './file.setup.ts';

test('a local file is tokenized and comes back, for its owner alone to read', async (t) => {
	const { run, path, tokenize } = await openFolder(t);
	t.like((await tokenize(path('in.csv'), path('out.csv'))).json, { cards: 1, refused: 0 });
	t.regex(readFileSync(path('out.csv'), 'latin1'), /\n[0-9a-f]{32},04,2039\n$/);
	const back = ['--user-id', 'agency', '--filter', 'SIMPLECSV', path('out.csv'), path('back.csv')];
	t.is((await run('file', 'detokenize', ...back)).code, 0);
	t.is(readFileSync(path('back.csv'), 'latin1'), TEXT);
	t.like((await run('account', 'show', '--user-id', 'agency')).json, { allowanceUsed: 1 });
});

test('a file that cannot be read, options that are none: the wrong word is named, and nothing is quoted', async (t) => {
	const { path, tokenize } = await openFolder(t);
	writeFileSync(path('options.json'), '{"onRefused": 4111111111111111');
	const cases = [
		[[path('none.csv'), path('out.csv')], `${path('none.csv')}: ENOENT`],
		[[path('.'), path('out.csv')], `${path('.')}: EISDIR`],
		[['--options', path('none.json'), path('in.csv'), path('out.csv')], `--options ${path('none.json')}: ENOENT`],
		[
			['--options', path('options.json'), path('in.csv'), path('out.csv')],
			`--options ${path('options.json')}: not JSON`,
		],
	] as const;
	for (const [words, message] of cases) {
		const { code, json } = await tokenize(...words);
		t.is(code, 64, message);
		t.deepEqual(json, { error: { reason: 'usage', message } });
	}
});

test('an output that is a folder or a device is refused before anything is stored', async (t) => {
	const { run, path, tokenize } = await openFolder(t);
	for (const output of [path('.'), '/dev/null']) {
		const { code, json } = await tokenize(path('in.csv'), output);
		t.is(code, 64);
		t.is(json.error.message, `${output}: not a file that can be replaced`);
	}
	t.like((await run('account', 'show', '--user-id', 'agency')).json, { allowanceUsed: 0 });
});

test('a report on the command line is the document of a job, as JSON or CSV by its name', async (t) => {
	const { path, tokenize } = await openFolder(t);
	const refused = Array.from({ length: 1_200 }, () => '4111111111111112,04,2039,\n').join('');
	writeFileSync(path('in.csv'), `${ROWS}4111111111111111,04,2039,\n${refused}`);
	const { json } = await tokenize('--report', path('report.json'), path('in.csv'), path('out.csv'));
	t.like(json, { cards: 1, refused: 1_200, otherNumbers: 0, entries: { length: 20 } });
	t.is(json.refusals[0].cards, 1_200);
	const report = JSON.parse(readFileSync(path('report.json'), 'utf8'));
	t.like(report, { state: 'done', filter: 'SIMPLECSV', operation: 'tokenize', name: 'in.csv', cards: 1, error: null });
	t.is(report.entries.length + report.entriesOmitted, 1_200);
	t.like(report.warnings[0], { text: 'The Card type is missing', cards: 1 });
	await tokenize('--report', path('report.csv'), path('in.csv'), path('out.csv'));
	t.regex(
		readFileSync(path('report.csv'), 'utf8'),
		/^record,line,offset,outcome,.*\n,,,notice,"\d+ entries are left out/,
	);
	writeFileSync(path('options.json'), '{"report":{"cards":"all"}}');
	const every = ['--options', path('options.json'), '--report', path('report.json')];
	t.is((await tokenize(...every, path('in.csv'), path('out.csv'))).code, 0);
	t.is(JSON.parse(readFileSync(path('report.json'), 'utf8')).entries.length, 1_201);
	t.deepEqual(
		readdirSync(path('.')).filter((name) => name.endsWith('.partial')),
		[],
	);
});

test('people see notices first, then counts and the first places', async (t) => {
	const { run, path } = await openFolder(t);
	writeFileSync(path('in.csv'), 'CardNumber,ExpirationDate\n4111111111111112,04/39\n4111111111111111,04/39\n');
	const words = ['--user-id', 'agency', '--filter', 'SIMPLECSV', path('in.csv'), path('out.csv')];
	const { stdout } = await run.text('file', 'tokenize', ...words);
	t.regex(stdout, /^The file has no column for the card type\ncards tokenized: 1, refused: 1, with a warning: 0,/);
	t.regex(stdout, /\nLuhn \(Mod10\) error: 1, on line 2\n/);
});

test('a report that cannot be written leaves no half output behind', async (t) => {
	const { run, path, tokenize } = await openFolder(t);
	const { code, json } = await tokenize('--report', path('none/report'), path('in.csv'), path('out.csv'));
	t.is(code, 1);
	t.regex(json.error.message, /none\/report/);
	t.deepEqual(
		readdirSync(run.dataDir).filter((name) => name.includes('out.csv')),
		[],
	);
});
