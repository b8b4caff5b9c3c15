import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openCommandRunner } from '../helpers/run-command.ts';

const TEXT = 'CardNumber,ExpirationMonth,ExpirationYear\n4111111111111111,04,2039\n';

/** Creates an account, and a file to tokenize in a folder of its own. */
async function openFolder(t: ExecutionContext, ...account: string[]) {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency', ...account);
	const path = (name: string) => join(run.dataDir, name);
	writeFileSync(path('in.csv'), TEXT);
	const tokenize = (...words: string[]) =>
		run('file', 'tokenize', '--user-id', 'agency', '--filter', 'SIMPLECSV', ...words);
	return { run, path, tokenize };
}

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

const ROWS = 'CardNumber,ExpirationMonth,ExpirationYear,CardType\n';

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

test('a rejected file fails with its places, and its report lists them', async (t) => {
	const { path, tokenize } = await openFolder(t);
	writeFileSync(path('in.csv'), `${ROWS}4111111111111112,04,2039,\n4111111111111111,04,2020,\n`);
	writeFileSync(path('options.json'), '{"onRefused":"reject"}');
	const words = ['--options', path('options.json'), '--report', path('report.json'), path('in.csv'), path('out.csv')];
	const { code, json } = await tokenize(...words);
	t.is(code, 1);
	const message =
		'2 cards cannot be tokenized and this folder rejects such files: Luhn (Mod10) error (1), Expired card (1); on lines 2 and 3';
	t.is(json.error.message, `${message} (offset 51, line 2, record 2)`);
	t.false(existsSync(path('out.csv')));
	const report = JSON.parse(readFileSync(path('report.json'), 'utf8'));
	t.like(report, { state: 'failed', counts: null, entries: { length: 2 }, error: { message, at: { line: 2 } } });
});

test('people see notices first, then counts and the first places', async (t) => {
	const { run, path } = await openFolder(t);
	writeFileSync(path('in.csv'), 'CardNumber,ExpirationDate\n4111111111111112,04/39\n4111111111111111,04/39\n');
	const words = ['--user-id', 'agency', '--filter', 'SIMPLECSV', path('in.csv'), path('out.csv')];
	const { stdout } = await run.text('file', 'tokenize', ...words);
	t.regex(stdout, /^The file has no column for the card type\n1 cards tokenized, 1 refused, 0 with a warning/);
	t.regex(stdout, /\nLuhn \(Mod10\) error: 1, on line 2\n/);
});

test('a report never overwrites what is read or written', async (t) => {
	const { path, tokenize } = await openFolder(t);
	for (const report of ['in.csv', 'out.csv']) {
		t.is((await tokenize('--report', path(report), path('in.csv'), path('out.csv'))).code, 64);
	}
	t.is(readFileSync(path('in.csv'), 'latin1'), TEXT);
	t.false(existsSync(path('out.csv')));
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

test('the file of a blocked account is refused with what to do about it', async (t) => {
	const { run, path, tokenize } = await openFolder(t);
	await run('account', 'block', '--user-id', 'agency');
	const { code, json } = await tokenize(path('in.csv'), path('out.csv'));
	t.is(code, 1);
	t.is(json.error.reason, 'allowance-exceeded');
	t.regex(json.error.message, /the account is blocked\. .* \(account unblock\)/);
});
