import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openCommandRunner } from '../helpers/run-command.ts';

const TEXT = 'CardNumber,ExpirationMonth,ExpirationYear\n4111111111111111,04,2039\n';

/** An account, a file to tokenize and a folder of its own. */
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
	t.regex(json.error.message, /account agency is blocked .* account unblock/);
});
