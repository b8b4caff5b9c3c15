// A file goes from one end to the other, over real servers, and each step is seen at both.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { CSV, FROM, namesIn, openPartners, TO, TOKENIZE, textOf, writeOld } from '../helpers/route-parts.ts';

test('a file is tokenized from partner to partner, and nothing of it stays in a folder', async (t) => {
	const { run, route, put, runNow, out, into } = await openPartners(t);
	writeOld(out, 'may.csv');
	await put(FROM, TOKENIZE, { ...TO, doneFile: '{name}.done', checksum: 'sha256' });
	const done = await runNow();
	t.like(done, { code: 0, route: 'r', trigger: 'hand', state: 'done', reason: null });
	t.like(done.files, [
		{ path: 'may.csv', name: 'may.csv', size: CSV.length, state: 'delivered', reason: null, cards: 1, refused: 0 },
	]);
	t.like(done.files[0], { deliveredAs: 'in/may.csv', tries: 1 });
	t.deepEqual(namesIn(into), ['may.csv', 'may.csv.done']);
	const delivered = textOf(into, 'may.csv');
	t.regex(delivered, /^CardNumber,.*\n[0-9a-f]{32},12,2029,Visa\n$/);
	t.is(textOf(into, 'may.csv.done'), `${createHash('sha256').update(delivered).digest('hex')}  may.csv\n`);
	t.deepEqual(namesIn(out), ['may.csv'], 'it is kept at its source');

	// It is a job like any other, in the list and in the report.
	const [job] = (await run('job', 'list')).json;
	t.like(job, { id: done.files[0].job, state: 'done', name: 'may.csv', filter: 'SIMPLECSV', cards: 1 });
	t.like((await run('today')).json.accounts[0], {
		account: 'agency',
		sent: [{ filter: 'SIMPLECSV', files: 1, done: 1, cards: 1 }],
		fetched: [{ by: 'route r', door: 'route', files: 1 }],
		notFetched: 0,
	});

	const [file] = (await route('files', '--name', 'r')).json;
	t.like(file, {
		path: 'may.csv',
		state: 'done',
		run: done.run,
		sha256: createHash('sha256').update(CSV).digest('hex'),
	});
	t.deepEqual((await runNow()).files, [], 'it does not come again');
	t.is((await route('history', '--name', 'r')).json.length, 2);
	t.is((await route('history', '--name', 'r', '--state', 'failed')).json.length, 0);
	t.like((await route('list')).json, [{ state: 'waiting', lastOutcome: 'done' }]);

	// Both ends are in the trail, with sizes and hashes.
	t.is((await run('audit', 'verify')).code, 0);
	t.is((await route('forget', '--name', 'r', '--file', 'may.csv')).code, 0);
	t.like(await runNow(), { state: 'failed', files: [{ state: 'failed' }] });

	// Whoever acted, each entry about the route belongs to the account, so that its people find it.
	const trail = join(run.dataDir, 'trail.jsonl');
	t.is((await run('audit', 'export', trail)).code, 0);
	const entries: { action: string; account?: number }[] = readFileSync(trail, 'utf8')
		.trim()
		.split('\n')
		.slice(0, -1) // The last line is the seal.
		.map((line) => JSON.parse(line));
	const account = entries.find(({ action }) => action === 'account.create')!.account;
	t.is(typeof account, 'number');
	const ofRoute = entries.filter(({ action }) => action.startsWith('route.'));
	const kinds = ['route.ask', 'route.collect', 'route.deliver', 'route.forget', 'route.put', 'route.run'];
	t.deepEqual([...new Set(ofRoute.map(({ action }) => action))].sort(), kinds);
	for (const entry of ofRoute) t.is(entry.account, account, entry.action);
});
