import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import test from 'ava';
import { openFolder, ROWS, TEXT } from './file.setup.ts';

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

test('a report never overwrites what is read or written', async (t) => {
	const { path, tokenize } = await openFolder(t);
	for (const report of ['in.csv', 'out.csv']) {
		t.is((await tokenize('--report', path(report), path('in.csv'), path('out.csv'))).code, 64);
	}
	t.is(readFileSync(path('in.csv'), 'latin1'), TEXT);
	t.false(existsSync(path('out.csv')));
});

test('the file of a blocked account is refused with what to do about it', async (t) => {
	const { run, path, tokenize } = await openFolder(t);
	await run('account', 'block', '--user-id', 'agency');
	const { code, json } = await tokenize(path('in.csv'), path('out.csv'));
	t.is(code, 1);
	t.is(json.error.reason, 'allowance-exceeded');
	t.regex(json.error.message, /the account is blocked\. .* \(account unblock\)/);
});
