import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openDatabase } from '../../src/base/database/open.ts';
import { type CommandRunner, openCommandRunner } from '../helpers/run-command.ts';

const FILE = [
	'CardNumber,ExpirationMonth,ExpirationYear,CVV,Reference',
	'4111111111111111,12,2029,123,REF-1',
	'4111111111111111,12,2029,123,REF-1',
	'4111111111111112,12,2029,,REF-2',
	'',
].join('\n');

/** Returns every row of every table. */
async function rowsOf(run: CommandRunner): Promise<Record<string, unknown[]>> {
	const database = await openDatabase({ url: `sqlite:${join(run.dataDir, 'tokendrop.sqlite')}` });
	const names: string[] = await database.knex('sqlite_master').where({ type: 'table' }).orderBy('name').pluck('name');
	const rows: Record<string, unknown[]> = {};
	for (const name of names) rows[name] = await database.knex(name);
	await database.close();
	return rows;
}

test('a dry run shows masked what would be swapped, and leaves no row and no file', async (t) => {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency', '--cvv-retention');
	const folder = join(run.dataDir, 'client');
	mkdirSync(folder);
	const input = join(folder, 'in.csv');
	writeFileSync(input, FILE);
	const options = join(folder, 'options.json');
	writeFileSync(options, JSON.stringify({ eliminateCardDuplication: true }));
	const of = ['--user-id', 'agency', '--filter', 'SIMPLECSV', '--dry-run'];
	const [before, files] = [await rowsOf(run), readdirSync(run.dataDir, { recursive: true }).sort()];
	const tried = await run('file', 'tokenize', ...of, '--options', options, input);
	t.is(tried.code, 0, tried.stderr);
	t.like(tried.json, { dryRun: true, cards: 2, refused: 1 });
	t.deepEqual(
		tried.json.entries.map((entry: Record<string, unknown>) => [entry.record, entry.outcome, entry.lastFour]),
		[
			[2, 'tokenized', '1111'],
			[3, 'tokenized', '1111'],
			[4, 'refused', '1112'],
		],
	);
	const { stdout } = await run.text('file', 'tokenize', ...of, input);
	t.regex(stdout, /2 +2 +\d+ +tokenized .*…1111/);
	t.regex(stdout, /cards that would be tokenized: 2, refused: 1,.*Nothing was stored or written/);
	t.notRegex(stdout, /\d{13}/);
	t.deepEqual(await rowsOf(run), before);
	t.deepEqual(
		readdirSync(run.dataDir, { recursive: true })
			.filter((name) => !/-(wal|shm)$/.test(String(name)))
			.sort(),
		files.filter((name) => !/-(wal|shm)$/.test(String(name))),
	);
	t.is((await run('file', 'tokenize', ...of, input, join(folder, 'out.csv'))).code, 64);
	t.is((await run('file', 'tokenize', ...of, input, '--report', join(folder, 'report.json'))).code, 64);
	t.is((await run('file', 'tokenize', ...of.slice(0, 4), input)).code, 64, 'without it the output has to be named');
	t.false(existsSync(join(folder, 'out.csv')));
});
