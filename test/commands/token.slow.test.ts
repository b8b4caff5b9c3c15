import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { parse } from 'csv-parse/sync';
import { openDatabase } from '../../src/base/database/open.ts';
import { openCommandRunner } from '../helpers/run-command.ts';
import { trailOf } from '../helpers/trail-rows.ts';

const VISA = '4111111111111111';
const TABLE = `Card Number,Expiry,CVV,Name on card,Card Reference
${VISA},12/39,123,MARIE DUPONT,first
4111111111111112,12/39,,,second
5555555555554444,12/39,,"DUPONT, JEAN",third
${VISA},13/39,,,
`;
const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;

async function openFolder(t: ExecutionContext, ...account: string[]) {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency', ...account);
	const path = (name: string) => join(run.dataDir, name);
	writeFileSync(path('cards.csv'), TABLE);
	const load = (...words: string[]) => run('token', 'import', '--user-id', 'agency', ...words);
	return { run, path, load };
}

/** Returns the rows of a table as a JSON list in which the members of a card are nested. */
function listOf(table: string): string {
	const rows: Record<string, string>[] = parse(table, { columns: true });
	const cards = rows.map(({ 'Card Number': number, Expiry, CVV, ...rest }) => ({
		card: { number, expiry: Expiry, cvv: CVV || null },
		...rest,
	}));
	return JSON.stringify(cards);
}

const REFUSED = ['line 3, CardNumber: Luhn (Mod10) error', 'line 5, ExpirationDate: Expiration date is not readable'];

test('a table of cards is imported, and what is told of its tokens is exported without a number', async (t) => {
	const { run, path, load } = await openFolder(t, '--cvv-retention');
	const { code, json } = await load(path('cards.csv'), path('tokens.csv'));
	t.is(code, 0, JSON.stringify(json));
	t.deepEqual(json, { file: path('tokens.csv'), cards: 2, refused: 2, isWhole: true, problems: REFUSED });
	t.is(statSync(path('tokens.csv')).mode & 0o777, 0o600);
	const rows: Record<string, string>[] = parse(readFileSync(path('tokens.csv')), { columns: true });
	t.deepEqual(
		rows.map(({ index, token, error }) => [index, /^[0-9a-f]{32}$/.test(token), error]),
		[
			['0', true, ''],
			['1', false, REFUSED[0]],
			['2', true, ''],
			['3', false, REFUSED[1]],
		],
	);
	t.like((await run('account', 'show', '--user-id', 'agency')).json, { allowanceUsed: 2 });
	t.like((await run('token', 'export', '--user-id', 'agency', path('export.csv'))).json, { tokens: 2 });
	const exported: Record<string, string>[] = parse(readFileSync(path('export.csv')), { columns: true });
	t.deepEqual(
		exported.map(({ Token, LeadingDigits, LastDigits, OwnerName, CvvExists, CreatorReference, ExpirationYear }) => [
			...[Token, LeadingDigits, LastDigits, OwnerName, CvvExists, CreatorReference, ExpirationYear],
		]),
		[
			[rows[0].token, '411111', '1111', 'MARIE DUPONT', 'true', 'first', '2039'],
			[rows[2].token, '555555', '4444', 'DUPONT, JEAN', 'false', 'third', '2039'],
		],
	);
	for (const file of ['tokens.csv', 'export.csv']) {
		const text = readFileSync(path(file), 'utf8');
		for (const number of [VISA, '4111111111111112', '5555555555554444']) t.false(text.includes(number));
	}
	const trail = await trailOf(run.dataDir, /^card\./);
	t.deepEqual(
		trail.map(({ action, subject, details }) => [action, subject, JSON.parse(details)]),
		[
			['card.import.begin', 'account agency', { name: 'cards.csv' }],
			['card.import', 'account agency', { cards: 2, isWhole: true, name: 'cards.csv', refused: 2 }],
			['card.export', 'account agency', { from: 0, num: 'all' }],
		],
	);
	t.regex(trail[0].actor, /^operator /);
});

test('cards that the account has give their token again, where that is asked for', async (t) => {
	const { path, load } = await openFolder(t);
	const tokens: string[][] = [];
	for (const name of ['one.csv', 'two.csv', 'three.csv']) {
		await load(...(name === 'three.csv' ? [] : ['--eliminate-duplicates']), path('cards.csv'), path(name));
		const rows: Record<string, string>[] = parse(readFileSync(path(name)), { columns: true });
		tokens.push(rows.map(({ token }) => token));
	}
	t.deepEqual(tokens[1], tokens[0]);
	t.not(tokens[2][0], tokens[0][0]);
});

test('a dry run says which rows would be refused, and stores and writes nothing', async (t) => {
	const { run, path, load } = await openFolder(t);
	const { code, json } = await load('--dry-run', path('cards.csv'));
	t.is(code, 0);
	t.deepEqual(json, { dryRun: true, cards: 2, refused: 2, isWhole: true, problems: REFUSED });
	t.like((await run('account', 'show', '--user-id', 'agency')).json, { allowanceUsed: 0 });
	t.deepEqual(await trailOf(run.dataDir, /^card\./), []);
	const said = await run.text('token', 'import', '--user-id', 'agency', '--dry-run', path('cards.csv'));
	t.regex(
		said.stdout,
		/^2 cards would be stored, 2 refused\. Nothing was stored or written\.\n- line 3, CardNumber: Luhn/,
	);
	writeFileSync(path('broken.csv'), `number,expiry\n${VISA},12/39\n${VISA},"12/39" x\n`);
	const broken = await load('--dry-run', path('broken.csv'));
	t.is(broken.code, 1);
	t.like(broken.json, { cards: 1, isWhole: false });
	t.regex(broken.json.problems[0], /^body: a quote stands within a cell, in the row at line 3$/);
});

test('a JSON list of cards is imported as a table is', async (t) => {
	const { path, load } = await openFolder(t);
	const list = listOf(TABLE);
	writeFileSync(path('cards.json'), `\ufeff ${list}`);
	const refused = REFUSED.map((text) => text.replace('line 3', 'item 2').replace('line 5', 'item 4'));
	t.deepEqual((await load('--dry-run', path('cards.json'))).json.problems, refused);
	const { code, json } = await load(path('cards.json'), path('tokens.csv'));
	t.is(code, 0, JSON.stringify(json));
	t.deepEqual(json, { file: path('tokens.csv'), cards: 2, refused: 2, isWhole: true, problems: refused });
	const rows: Record<string, string>[] = parse(readFileSync(path('tokens.csv')), { columns: true });
	t.deepEqual(
		rows.map(({ token, error }) => (error === '' ? /^[0-9a-f]{32}$/.test(token) : error)),
		[true, refused[0], true, refused[1]],
	);
	writeFileSync(path('cut.json'), list.slice(0, -20));
	const cut = await load(path('cut.json'), path('cut.csv'));
	t.is(cut.code, 1);
	t.like(cut.json, { cards: 2, isWhole: false });
	t.is(cut.json.problems.at(-1), 'body: the list is no JSON at item 4');
});

test('an import that fails leaves no file behind, and does not repeat a card number in a header row', async (t) => {
	const { run, path, load } = await openFolder(t);
	writeFileSync(path('bare.csv'), `${VISA},12/39\n${VISA},12/39\n`);
	const { code, json } = await load(path('bare.csv'), path('out.csv'));
	t.is(code, 1);
	t.like(json.error, { reason: 'bad-input-data' });
	t.regex(json.error.message, /header row: expected a column CardNumber$/);
	t.false(existsSync(path('out.csv')));
	await run('account', 'block', '--user-id', 'agency');
	const blocked = await load(path('cards.csv'), path('out.csv'));
	t.like(blocked.json.error, { reason: 'allowance-exceeded' });
	t.regex(blocked.json.error.message, /account unblock/);
	t.false(existsSync(path('out.csv')));
	for (const [words, message] of [
		[[path('none.csv'), path('out.csv')], /none\.csv: ENOENT$/],
		[[path('./'), path('out.csv')], /EISDIR$/],
		[[path('cards.csv'), path('cards.csv')], /cards\.csv: the file exists already$/],
		[[path('cards.csv')], /^--json needs <out>/],
		[['--dry-run', path('cards.csv'), path('out.csv')], /^--dry-run writes nothing/],
	] as const) {
		const { code, json } = await load(...words);
		t.is(code, 64, JSON.stringify(json));
		t.regex(json.error.message, message);
	}
	t.is((await run('token', 'export', '--user-id', 'nobody', path('out.csv'))).code, 1);
	t.false(existsSync(path('out.csv')));
});

test('an import stops where the allowance ends, and says so; what was stored is in the result', async (t) => {
	const { path, load } = await openFolder(t, '--allowance', '1');
	const { code, json } = await load(path('cards.csv'), path('tokens.csv'));
	t.is(code, 1);
	t.like(json, { cards: 1, isWhole: false });
	t.regex(json.problems.at(-1), /^The processing allowance of the account is used up/);
	t.regex(readFileSync(path('tokens.csv'), 'utf8'), /^index,token,error,warning\r\n0,[0-9a-f]{32},,/);
});

test('an export that lacks the tokens of a damaged page says how many, and fails', async (t) => {
	const { run, path, load } = await openFolder(t);
	await load(path('cards.csv'), path('tokens.csv'));
	const database = await openDatabase({ url: `sqlite:${path('tokendrop.sqlite')}` });
	await database.knex('pages').update({ sealed: Buffer.alloc(64) });
	await database.close();
	const { code, json } = await run('token', 'export', '--user-id', 'agency', path('export.csv'));
	t.is(code, 1);
	t.deepEqual(json, { file: path('export.csv'), tokens: 0, leftOut: 2 });
	t.is(parse(readFileSync(path('export.csv')), { columns: true }).length, 0);
});

test('standard input and standard output are a table each', async (t) => {
	const { run } = await openFolder(t);
	const start = (input: string, ...words: string[]) =>
		execFileSync(process.execPath, [MAIN, 'token', ...words], {
			env: { ...process.env, TOKENDROP_DATA_DIR: run.dataDir },
			stdio: ['pipe', 'pipe', 'ignore'],
			encoding: 'utf8',
			input,
		});
	const stored = start(TABLE, 'import', '--user-id', 'agency', '-');
	const rows: Record<string, string>[] = parse(stored, { columns: true });
	t.deepEqual(
		rows.map(({ error }) => error),
		['', REFUSED[0], '', REFUSED[1]],
	);
	const exported: Record<string, string>[] = parse(start('', 'export', '--user-id', 'agency'), { columns: true });
	t.deepEqual(
		exported.map(({ Token }) => Token),
		[rows[0].token, rows[2].token],
	);
});
