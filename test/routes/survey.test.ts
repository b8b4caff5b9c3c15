import test from 'ava';
import { CARD_IN_NAME } from '../../src/work/drops/drop-names.ts';
import { parseRoute } from '../../src/work/routes/document/read-route.ts';
import { ledgerStore } from '../../src/work/routes/ledger/ledger-store.ts';
import { NO_FILE, nameRules } from '../../src/work/routes/ledger/name-patterns.ts';
import { LEFT, survey } from '../../src/work/routes/ledger/survey.ts';
import type { Source, SourceEntry } from '../../src/work/routes/places/place.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';

const T0 = Date.UTC(2026, 4, 31, 2, 30);
const SECOND = 1_000;

function routeWith(ready: object = {}, from: object = {}) {
	const source = { destination: 'visa', ready: { unchanged: '60s', ...ready }, ...from };
	const document = { name: 'n', from: source, do: { operation: 'none' }, to: { destination: 'bank' } };
	return parseRoute(JSON.stringify(document));
}

/** A source with these files, which is listed in pieces. */
function sourceOf(files: readonly SourceEntry[], pieceLength = 500): Source {
	return {
		...{ facts: {}, isAlive: true, close() {} },
		async *list() {
			for (let at = 0; at < files.length; at += pieceLength) yield files.slice(at, at + pieceLength);
		},
	} as unknown as Source;
}

const file = (name: string, size = 10, modifiedAtMs = T0 - 3_600_000): SourceEntry => ({ name, size, modifiedAtMs });

for (const dialect of databases) {
	test(`${dialect}: a file is ready when size and time are the same at two looks so far apart`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const look = async (at: number, ...files: SourceEntry[]) => {
			const { ready, left, readyAt } = await survey(sourceOf(files), routeWith(), { database, routeId: 'r', now: at });
			return {
				ready: ready.map(({ path }) => path),
				left: left.map(({ path, reason }) => `${path} ${reason}`),
				readyAt,
			};
		};
		const changing = (path: string) => [`${path} ${LEFT.changing.reason}`];
		t.deepEqual(await look(T0, file('may.csv')), { ready: [], left: changing('may.csv'), readyAt: T0 + 60 * SECOND });
		t.deepEqual((await look(T0 + 59 * SECOND, file('may.csv'))).ready, []);
		const ahead = file('ahead.csv', 10, T0 + 86_400_000);
		await look(T0 - 60 * SECOND, ahead);
		t.deepEqual((await look(T0, ahead)).ready, ['ahead.csv'], 'the clock of a partner may be ahead');
		await database.knex('route_files').where({ path: 'ahead.csv' }).delete();
		// A file that grew begins anew, and so does one that was written again.
		t.is((await look(T0 + 60 * SECOND, file('may.csv', 11))).readyAt, T0 + 120 * SECOND);
		t.is((await look(T0 + 119 * SECOND, file('may.csv', 11, T0))).readyAt, T0 + 179 * SECOND);
		t.deepEqual((await look(T0 + 179 * SECOND, file('may.csv', 11, T0))).ready, ['may.csv']);
		t.is((await database.knex('route_files')).length, 1, 'what was seen of earlier sizes is forgotten');
	});

	test(`${dialect}: what was delivered, given up or is under way does not come again, and only what was delivered keeps a changed file away`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const store = ledgerStore(database.knex);
		const look = async (again: string, ...files: SourceEntry[]) => {
			const route = routeWith({ unchanged: '0s' }, { again });
			return (await survey(sourceOf(files), route, { database, routeId: 'r', now: T0 })).ready;
		};
		const end = async (name: string, changes: object) => {
			const [ready] = await look('never', file(name));
			t.true(await store.claim(ready.row!.id, { run_id: 'one', claimed_at: T0, seq: 1, reason: null, told: null }));
			t.false(
				await store.claim(ready.row!.id, { run_id: 'two', claimed_at: T0, seq: 2, reason: null, told: null }),
				'one run has it',
			);
			await store.update({ ...ready.row!, state: 'claimed', run_id: 'one' }, changes);
		};
		await end('done', { state: 'done' });
		await end('dead', { state: 'dead' });
		await end('claimed', { tries: 0 });
		const all = ['done', 'dead', 'claimed'].map((name) => file(name));
		t.deepEqual(await look('never', ...all), []);
		t.deepEqual(await look('whenChanged', ...all), [], 'nothing has changed');
		const changed = ['done', 'dead', 'claimed'].map((name) => file(name, 11));
		t.deepEqual(
			(await look('never', ...changed)).map(({ path }) => path),
			['dead'],
			'what a partner has corrected comes under its name',
		);
		const again = routeWith({ unchanged: '0s' });
		const { left } = await survey(sourceOf(changed), again, { database, routeId: 'r', now: T0 });
		t.deepEqual(left, [{ path: 'done', size: 11, ...LEFT.again }], 'that a changed file is left is told');
		t.deepEqual(
			(await look('whenChanged', ...changed)).map(({ path }) => path),
			['dead', 'done'],
		);
		// A file of the same second as one that was delivered is a file of its own.
		t.deepEqual(
			(await look('never', ...all, file('new'))).map(({ path }) => path),
			['new'],
		);
		// Once the changed file is delivered, the one that was given up leaves the ledger, and nothing else does.
		const [corrected] = await store.insertSeen([
			{ route_id: 'r', path: 'dead', size: 12, modified_at: T0, seen_at: T0 },
		]);
		t.like(await store.removeReplaced(corrected), [{ path: 'dead', size: 10, state: 'dead' }]);
		t.deepEqual(await store.removeReplaced(corrected), []);
		t.deepEqual(await store.listDead('r'), []);
		t.truthy(await store.findById(corrected.id));
	});

	test(`${dialect}: a listing of many names is compared piece by piece, and only the new ones come`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const route = routeWith({ unchanged: '0s' });
		const known = Array.from({ length: 3_000 }, (_, nth) => file(`${nth}.csv`));
		const first = await survey(sourceOf(known), route, { database, routeId: 'r', now: T0 });
		t.is(first.ready.length, 3_000);
		await database.knex('route_files').update({ state: 'done' });
		const more = [...known.slice(0, 1_500), file('a.csv'), ...known.slice(1_500), file('b.csv')];
		const second = await survey(sourceOf(more, 777), route, { database, routeId: 'r', now: T0 });
		t.deepEqual(
			second.ready.map(({ path }) => path),
			['a.csv', 'b.csv'],
		);
		t.is(second.listed, 3_002);
		t.is(second.leftCount, 0);
	});
}

test('done-files, ages and empty files follow their rules, and a trial says why and writes nothing', async (t) => {
	const database = await openTestDatabase(t, 'sqlite');
	const route = routeWith({ unchanged: '0s', minAge: '5m', doneFile: '{name}.done' }, { files: ['*.csv'] });
	const young = file('young.csv', 10, T0 - 60 * SECOND);
	const files = [
		file('a.csv'),
		file('a.csv.done', 0),
		file('b.csv'),
		young,
		file('empty.csv', 0),
		file('empty.csv.done', 0),
	];
	const trial = await survey(sourceOf([...files, file('x.txt')]), route, { database, now: T0, isTrial: true });
	t.deepEqual(
		trial.ready.map(({ path }) => path),
		['a.csv'],
	);
	t.deepEqual(
		trial.hopeless.map(({ path, reason }) => [path, reason]),
		[['empty.csv', LEFT.empty.reason]],
	);
	t.deepEqual(trial.left, [
		{ path: 'a.csv.done', size: 0, ...NO_FILE.done },
		{ path: 'empty.csv.done', size: 0, ...NO_FILE.done },
		{ path: 'x.txt', size: 10, ...NO_FILE.unwanted },
		{ path: 'young.csv', size: 10, ...LEFT.young },
		{ path: 'b.csv', size: 10, ...LEFT.undone },
	]);
	t.is(trial.readyAt, T0 + 4 * 60 * SECOND);
	t.deepEqual(await database.knex('route_files'), []);
	const emptyAs = async (empty: string) => {
		const rule = routeWith({ unchanged: '0s', empty });
		const {
			ready,
			hopeless: alarms,
			leftCount,
		} = await survey(sourceOf([file('e', 0)]), rule, {
			...{ database, now: T0, isTrial: true },
		});
		return [ready.length, alarms.length, leftCount];
	};
	t.deepEqual(await emptyAs('alarm'), [0, 1, 0]);
	t.deepEqual(await emptyAs('process'), [1, 0, 0]);
	t.deepEqual(await emptyAs('ignore'), [0, 0, 1]);
});

test('names are matched as a whole, and partial names and done-files are never files', (t) => {
	const { whyNot, isDoneFile } = nameRules(
		routeWith({ doneFile: 'ok-{name}' }, { files: ['*.csv', 'a?.x+'], except: ['old*'] }).from,
	);
	for (const name of ['may.csv', 'b.csv', 'ab.x+', 'a\u{1F600}.x+']) t.is(whyNot(name), undefined, name);
	for (const name of ['may.csv2', 'a.x+', 'abcx+']) t.is(whyNot(name), NO_FILE.unwanted, name);
	for (const name of ['.may.csv', 'may.csv.part']) t.is(whyNot(name), NO_FILE.partial, name);
	t.is(whyNot('old.csv'), NO_FILE.excepted);
	t.is(whyNot('ok-may.csv'), NO_FILE.done);
	t.true(isDoneFile('ok-may.csv'));
	t.false(isDoneFile('ok-'));
	t.is(nameRules(routeWith().from).whyNot('anything'), undefined);
});

for (const dialect of databases) {
	test(`${dialect}: a card number in a name is in no row, and every file of such a name is given up`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const route = routeWith({ unchanged: '0s', doneFile: '{name}.done' });
		const look = (files: readonly SourceEntry[], isTrial = false) =>
			survey(sourceOf(files), route, { database, routeId: 'r', now: T0, isTrial });
		const [one, other] = [file('4111111111111111.csv'), file('4111111111111111.csv', 11)];
		const beside = [
			file('4111111111111111.csv.done', 0),
			file('20261129-030405.csv'),
			file('20261129-030405.csv.done', 0),
		];
		const path = '411111******1111.csv';
		const trial = await look([one, ...beside], true);
		t.deepEqual([trial.ready.map((each) => each.path), trial.hopeless.length], [['20261129-030405.csv'], 1]);
		for (const given of [one, other]) {
			const { hopeless } = await look([given, ...beside]);
			t.like(hopeless, [{ path, size: given.size, reason: CARD_IN_NAME }]);
			const claim = { run_id: 'run', claimed_at: T0, seq: 1, reason: CARD_IN_NAME, told: null };
			t.true(await ledgerStore(database.knex).claim(hopeless[0].row!.id, claim));
			t.deepEqual((await look([given, ...beside])).hopeless, [], 'a run has it');
			await ledgerStore(database.knex).update(
				{ ...hopeless[0].row!, state: 'claimed', run_id: 'run' },
				{ state: 'dead', reason: CARD_IN_NAME },
			);
		}
		t.deepEqual((await look([one, other, ...beside])).hopeless, [], 'each is told of once');
		t.false(JSON.stringify(await database.knex('route_files')).includes('4111111111111111'));
	});
}
