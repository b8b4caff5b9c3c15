// Every way in which a file is delivered, refused, given up and taken again.

import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import SqliteDatabase from 'better-sqlite3';
import {
	CSV,
	FROM,
	namesIn,
	openPartners,
	openRouteParts,
	TO,
	TOKENIZE,
	textOf,
	WHOSE,
	writeOld,
} from '../helpers/route-parts.ts';
import { until } from '../helpers/until.ts';

/** Returns why files of runs failed, as pages word it. */
function toldOf({ dataDir }: { readonly dataDir: string }): { code: string }[] {
	const database = new SqliteDatabase(join(dataDir, 'tokendrop.sqlite'), { readonly: true });
	const told = database.prepare('select told from route_run_files where told is not null').pluck().all() as string[];
	database.close();
	return told.map((each) => JSON.parse(each));
}

const byPath = (one: { path: string }, other: { path: string }) => (one.path < other.path ? -1 : 1);

test('numbers come back through a route, and names and folders are filled in', async (t) => {
	const { put, runNow, out, into } = await openPartners(t);
	writeOld(out, 'may.csv');
	await put({ ...FROM, afterwards: { move: 'done/{filter}' } }, TOKENIZE, { ...TO, name: '{stem}-{seq}.{ext}' });
	t.is((await runNow()).state, 'done');
	t.deepEqual(namesIn(out), ['done']);
	t.deepEqual(namesIn(join(out, 'done', 'SIMPLECSV')), ['may.csv']);
	t.deepEqual(namesIn(into), ['may-1.csv']);

	await put(
		{ destination: 'bank', path: 'in', afterwards: 'delete' },
		{ ...TOKENIZE, operation: 'detokenize' },
		{
			...{ destination: 'visa', path: 'back/{date:yyyy}/x' },
		},
	);
	const back = await runNow();
	t.is(back.state, 'done', JSON.stringify(back));
	const year = String(new Date().getUTCFullYear());
	t.is(textOf(join(out, '..', 'back', year, 'x'), 'may-1.csv'), CSV);
	t.deepEqual(namesIn(into), []);
});

test('a file that is not processed arrives byte for byte, whatever is in it', async (t) => {
	const { put, runNow, out, into } = await openPartners(t);
	const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, nth) => (nth * 7 + (nth >> 8)) % 256));
	writeOld(out, 'x.bin', bytes);
	await put({ ...FROM, ready: { empty: 'process' } }, { operation: 'none' }, { ...TO, temporaryName: false });
	writeOld(out, 'empty', '');
	t.is((await runNow()).state, 'done');
	t.true(bytes.equals(readFileSync(join(into, 'x.bin'))));
	t.deepEqual(namesIn(into), ['empty', 'x.bin']);
});

test('a file whose name holds a card number stays where it is, and the number is stored and said nowhere', async (t) => {
	const { run, route, put, runNow, out, into } = await openPartners(t);
	writeOld(out, '4111111111111111.csv');
	await put({ ...FROM, onFailure: { move: 'failed' } }, TOKENIZE, TO);
	const path = '411111******1111.csv';
	const reason = 'file names must not hold card numbers: rename the file and send it again';
	t.like((await route('check', '--name', 'r')).json.from, {
		files: [],
		left: [{ path, reason: `it would be given up: ${reason}` }],
	});
	for (let time = 1; time <= 2; time++) {
		t.like(await runNow(), { state: 'failed', files: [{ path, state: 'dead', reason }] });
		t.deepEqual(new Set(toldOf(run).map(({ code }) => code)), new Set(['card-in-name']));
		t.deepEqual([namesIn(out), namesIn(into)], [['4111111111111111.csv'], []]);
		t.deepEqual((await runNow()).files, [], 'it is told of once');
		t.is((await route('retry', '--name', 'r', '--file', path)).code, 0);
	}
	for (const name of readdirSync(run.dataDir, { recursive: true, encoding: 'utf8' })) {
		const file = join(run.dataDir, name);
		if (statSync(file).isFile()) t.false(readFileSync(file).includes('4111111111111111'), name);
	}
});

test('what is delivered to a folder of the server may be read by its group', async (t) => {
	const { folder, put, runNow } = await openRouteParts(t);
	for (const name of ['in', 'out']) mkdirSync(join(folder, name));
	writeOld(join(folder, 'in'), 'may.csv');
	await put(
		{ folder: join(folder, 'in') },
		{ operation: 'none' },
		{ folder: join(folder, 'out'), path: 'a/b', doneFile: '{name}.done' },
	);
	t.is((await runNow()).state, 'done');
	const modeOf = (...names: string[]) => statSync(join(folder, 'out', ...names)).mode & 0o777;
	t.deepEqual([modeOf('a'), modeOf('a', 'b')], [0o750, 0o750]);
	t.deepEqual([modeOf('a', 'b', 'may.csv'), modeOf('a', 'b', 'may.csv.done')], [0o640, 0o640]);
});

for (const [how, temporaryName] of [
	['a temporary name', undefined],
	['its own name', false],
] as const) {
	test(`a delivery under ${how} that the database could not note leaves nothing at the target`, async (t) => {
		const { run, put, runNow, out, into } = await openPartners(t);
		writeOld(out, 'may.csv');
		await put(
			FROM,
			{ operation: 'none' },
			{ ...TO, ...(temporaryName === false && { temporaryName }) },
			{ retry: { first: '100ms', longest: '1s' } },
		);
		const database = new SqliteDatabase(join(run.dataDir, 'tokendrop.sqlite'));
		t.teardown(() => database.close());
		database.exec(`create trigger no_intent before update on route_files when new.intent is not null
			begin select raise(fail, 'the database takes no intents'); end`);
		t.is((await runNow()).files[0].state, 'failed');
		t.deepEqual(namesIn(into), []);
		database.exec('drop trigger no_intent');
		await until('it is delivered', async () => (await runNow()).files[0]?.state === 'delivered');
		t.deepEqual(namesIn(into), ['may.csv']);
	});
}

test('what stands at the target already is refused, replaced or gets company', async (t) => {
	const { put, runNow, route, out, into } = await openPartners(t);
	writeFileSync(join(into, 'may.csv'), 'theirs');
	writeOld(out, 'may.csv', 'ours');
	await put(FROM, { operation: 'none' }, TO, { retry: { tries: 1 } });
	const refused = await runNow();
	t.like(refused, { code: 1, state: 'failed' });
	t.like(refused.files, [{ state: 'dead', tries: 1, deliveredAs: null }]);
	t.regex(refused.files[0].reason, /^fileName: the target has a file of this name; to\.exists says what then happens$/);
	t.deepEqual(namesIn(into), ['may.csv'], 'nothing of ours is left there');
	t.is(textOf(into, 'may.csv'), 'theirs');
	t.like((await route('list')).json, [{ state: 'failing', lastOutcome: 'failed' }]);

	await put(FROM, { operation: 'none' }, { ...TO, exists: 'number' });
	t.deepEqual((await route('retry', '--name', 'r', '--file', 'may.csv')).json.files, ['may.csv']);
	t.like((await runNow()).files, [{ state: 'delivered', deliveredAs: 'in/may.2.csv' }]);
	await put(FROM, { operation: 'none' }, { ...TO, exists: 'replace' });
	await route('forget', '--name', 'r', '--file', 'may.csv');
	t.is((await runNow()).state, 'done');
	t.is(textOf(into, 'may.csv'), 'ours');
	t.is(textOf(into, 'may.2.csv'), 'ours');
});

test('a file that its format refuses is given up at once, moved aside, and can be taken again', async (t) => {
	const { run, put, runNow, route, out, into } = await openPartners(t);
	writeOld(out, 'good.csv');
	writeOld(out, 'bad.csv', 'CardNumber,ExpirationMonth\n"4111');
	writeOld(out, 'empty.csv', '');
	await put({ ...FROM, onFailure: { move: 'failed' } }, TOKENIZE, TO);
	const partly = await runNow();
	t.like(partly, { code: 1, state: 'partly' });
	const states = Object.fromEntries(
		partly.files.map(({ path, state }: { path: string; state: string }) => [path, state]),
	);
	t.deepEqual(states, { 'bad.csv': 'dead', 'empty.csv': 'dead', 'good.csv': 'delivered' });
	t.deepEqual(namesIn(into), ['good.csv']);
	t.deepEqual(namesIn(join(out, 'failed')), ['bad.csv', 'empty.csv']);
	t.like((await route('files', '--name', 'r', '--state', 'dead')).json, [{ tries: 1 }, { tries: 1 }]);
	t.deepEqual((await route('retry', '--name', 'r', '--run', partly.run)).json.files.toSorted(), [
		'bad.csv',
		'empty.csv',
	]);
	// A file of 0 bytes that somebody takes again is taken as it is.
	t.like(await runNow(), { state: 'partly', files: [{ state: 'dead' }, { state: 'delivered' }] });
	t.is((await route('retry', '--name', 'r', '--file', 'good.csv')).code, 1);
	await route('pause', '--name', 'r');
	const waiting = await run.text('route', 'retry', ...WHOSE, '--name', 'r', '--file', 'bad.csv');
	t.regex(waiting.stdout, /Taken again: bad\.csv\. The route is paused: they wait for `route resume`/);
});

test('what a partner corrects is delivered under its name, in the place of what was given up', async (t) => {
	const { folder, put, runNow, route, documentFile } = await openRouteParts(t);
	for (const name of ['out', 'in']) mkdirSync(join(folder, name));
	const [out, into] = [join(folder, 'out'), join(folder, 'in')];
	writeOld(out, 'may.csv', 'CardNumber,ExpirationMonth\n"4111');
	await put({ folder, path: 'out' }, TOKENIZE, { folder, path: 'in' });
	t.like(await runNow(), { state: 'failed', files: [{ path: 'may.csv', state: 'dead' }] });
	t.deepEqual((await runNow()).files, [], 'the same file does not come by itself');
	writeOld(out, 'may.csv');
	t.like(await runNow(), { state: 'done', files: [{ path: 'may.csv', state: 'delivered' }] });
	t.deepEqual(namesIn(into), ['may.csv']);
	t.like((await route('files', '--name', 'r')).json, [{ path: 'may.csv', state: 'done', size: CSV.length }]);
	t.deepEqual((await route('files', '--name', 'r', '--state', 'dead')).json, [], 'nothing is left to be forgotten');

	// A check of the document tells what the route of its name would do, whose ledger it keeps.
	const checked = await route('check', '--file', documentFile);
	t.like(checked.json.from, { files: [], left: [{ path: 'may.csv', reason: 'it was delivered already' }] });
	writeOld(out, 'may.csv', `${CSV}\n`);
	const left = await runNow();
	t.like(left, { state: 'done', files: [{ path: 'may.csv', state: 'skipped' }] });
	t.regex(left.files[0].reason, /delivered already, and from\.again is never: `route forget` lets it come$/);
});

test('a file for which the account has no units left waits for them, and costs what any file does', async (t) => {
	const { folder, put, runNow, run } = await openRouteParts(t);
	for (const name of ['out', 'in']) mkdirSync(join(folder, name));
	writeOld(join(folder, 'out'), 'may.csv');
	await put({ folder, path: 'out' }, TOKENIZE, { folder, path: 'in' }, { retry: { first: '100ms', longest: '100ms' } });
	const limit = async (units: string) =>
		t.is((await run('allowance', 'set', '--user-id', 'agency', '--units', units)).code, 0);
	await limit('0');
	const refused = await runNow();
	t.like(refused, { state: 'failed', files: [{ path: 'may.csv', state: 'failed', tries: 1 }] });
	t.regex(refused.files[0].reason, /allowance of the account .* is used up: 0 of 0 units/);
	t.deepEqual(toldOf(run), [{ code: 'allowance-used-up', parameters: { used: 0, limit: 0 } }]);
	t.deepEqual(namesIn(join(folder, 'in')), []);
	await limit('5');
	t.is((await run('account', 'unblock', '--user-id', 'agency')).code, 0);
	await until('its next try', async () => (await runNow()).files[0]?.state === 'delivered');
	t.deepEqual(namesIn(join(folder, 'in')), ['may.csv']);
	t.like((await run('allowance', 'show', '--user-id', 'agency')).json, [{ limit: 5, used: 1 }]);
});

test('a changed file comes again only where that is wanted, and not with content that was delivered before', async (t) => {
	const { folder, put, runNow } = await openRouteParts(t);
	for (const name of ['out', 'in']) mkdirSync(join(folder, name));
	const [out, into] = [join(folder, 'out'), join(folder, 'in')];
	await put(
		{ folder, path: 'out', again: 'whenChanged' },
		{ operation: 'none' },
		{ folder, path: 'in', exists: 'number' },
	);
	const send = async (content: string) => {
		writeFileSync(join(out, 'may.csv'), content);
		const { state, files } = await runNow();
		t.is(state, 'done');
		return files[0];
	};
	t.like(await send('one'), { state: 'delivered', deliveredAs: 'in/may.csv' });
	t.like(await send('two!'), { state: 'delivered', deliveredAs: 'in/may.2.csv' });
	t.like(await send('one'), { state: 'skipped', reason: 'its content was delivered before' });
	t.deepEqual(namesIn(into), ['may.2.csv', 'may.csv']);
});

test('a source that cannot be cleared up is tried again and then left, and the file is delivered once', async (t) => {
	const { folder, put, runNow, route } = await openRouteParts(t);
	for (const name of ['out', 'in']) mkdirSync(join(folder, name));
	const [out, into] = [join(folder, 'out'), join(folder, 'in')];
	writeOld(out, 'may.csv');
	// A file stands where the folder is to be made.
	writeFileSync(join(out, 'done'), '');
	const from = { folder, path: 'out', files: ['*.csv'], afterwards: { move: 'done' } };
	const retry = { tries: 2, first: '100ms' };
	await put(from, { operation: 'none' }, { folder, path: 'in', exists: 'number' }, { retry });
	const reason = /^it is delivered, but its source could not be cleared up: path: the folder cannot be made/;
	for (const state of ['claimed', 'done']) {
		const run = await runNow();
		t.like(run, { state: 'done', files: [{ state: 'delivered', deliveredAs: 'in/may.csv' }] });
		t.regex(run.files[0].reason, reason);
		t.like((await route('files', '--name', 'r')).json, [{ path: 'may.csv', state }]);
	}
	t.deepEqual((await runNow()).files, []);
	t.deepEqual([namesIn(out), namesIn(into)], [['done', 'may.csv'], ['may.csv']]);
});

test('folders of the server and of the account are ends too, and one drop feeds several routes', async (t) => {
	const { run, folder, put, runNow, route } = await openRouteParts(t);
	mkdirSync(join(folder, 'in'));
	writeOld(join(folder, 'in'), 'may.csv');
	symlinkSync('/etc/hostname', join(folder, 'in', 'link.csv'));
	await put({ folder, path: 'in', files: ['*.csv'] }, TOKENIZE, { drop: '/tokenized/SIMPLECSV' });
	t.like((await runNow()).files, [{ path: 'may.csv', state: 'delivered', deliveredAs: 'may.csv' }]);
	await put(
		{ drop: '/tokenized/SIMPLECSV' },
		{ ...TOKENIZE, operation: 'detokenize' },
		{ folder, path: 'back', doneFile: '{name}.ok' },
	);
	await route('forget', '--name', 'r', '--file', 'may.csv');
	t.is((await runNow()).state, 'done');
	t.is(textOf(join(folder, 'back'), 'may.csv'), CSV);
	t.deepEqual(namesIn(join(folder, 'back')), ['may.csv', 'may.csv.ok']);
	// A file in a folder for uploads becomes a job, as if a client had sent it.
	await put(
		{ folder, path: 'in', files: ['may.csv'] },
		{ operation: 'none' },
		{ drop: '/tokenize/SIMPLECSV', name: 'june.csv' },
	);
	await route('forget', '--name', 'r', '--file', 'may.csv');
	t.like(await runNow(), { state: 'done' });
	t.like((await run('job', 'list', '--state', 'queued')).json, [{ name: 'june.csv', state: 'queued' }]);
});

test('a folder that leads out of the allowed ones is not entered', async (t) => {
	const { folder, put, runNow } = await openRouteParts(t);
	symlinkSync('/etc', join(folder, 'out'));
	await put({ folder, path: 'out' }, { operation: 'none' }, { drop: '/tokenized/GBT' });
	t.like(await runNow(), { state: 'failed', reason: 'folder: is not below a folder of routes.folders' });
});

test('check says what a route would take and why not the rest, and writes nothing', async (t) => {
	const { put, route, out, into, bank } = await openPartners(t);
	writeOld(out, 'may.csv');
	writeOld(out, 'june.csv');
	writeOld(out, 'june.csv.done', '');
	writeOld(out, 'may.txt');
	await put({ ...FROM, files: ['*.csv'], ready: { doneFile: '{name}.done', unchanged: '60s' } }, TOKENIZE, TO);
	const checked = await route('check', '--name', 'r');
	t.is(checked.code, 0, checked.stderr);
	t.like(checked.json, { name: 'r', isOk: true, from: { listed: 4, leftCount: 3 }, to: { isReached: true } });
	t.deepEqual(checked.json.from.files, [{ path: 'june.csv', size: CSV.length }]);
	t.deepEqual(checked.json.from.left.toSorted(byPath), [
		{ path: 'june.csv.done', size: 0, reason: 'it is a done-file' },
		{ path: 'may.csv', size: CSV.length, reason: 'its done-file is not there yet' },
		{ path: 'may.txt', size: CSV.length, reason: 'its name matches none of from.files' },
	]);
	t.deepEqual((await route('run', '--name', 'r', '--dry-run')).json, checked.json);
	t.deepEqual(
		[namesIn(into), (await route('files', '--name', 'r')).json, (await route('history', '--name', 'r')).json],
		[[], [], []],
	);
	await put(FROM, TOKENIZE, { ...FROM, name: '{stem}.tokens.csv' });
	t.regex((await route('check', '--name', 'r')).json.warnings[0], /taken by it again: give to another place than from/);
	await put(FROM, TOKENIZE, TO);
	await bank.kill();
	const alone = await route('check', '--name', 'r');
	t.is(alone.code, 1);
	t.like(alone.json.to, { isReached: false, reason: 'host: the connection was refused' });
	unlinkSync(join(out, 'june.csv'));
});
