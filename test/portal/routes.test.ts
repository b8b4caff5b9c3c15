// Tests the pages of routes: the form that makes one, what is said of a wrong one, and what may be done by whom.

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { databases } from '../helpers/database.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { openPortalApp, type SignedIn } from '../helpers/portal-app.ts';

const NUMBER = '4111111111111111';
const problemAt = (body: string, field: string) => new RegExp(`id="${field}-problem"[^>]*>([^<]*)<`).exec(body)?.[1];
const noticeOf = (body: string) => /<p class="notice \w+"[^>]*>([^<]*)</.exec(body)?.[1];
const missingIn = (body: string) =>
	[...body.matchAll(/<li><a href="#(\w+)">([^<]*)/g)].map(([, field, text]) => ({ field, text }));

/** Opens the portal over a folder of the server with two subfolders, from which and to which a route may go. */
async function openFolders(t: ExecutionContext, dialect: (typeof databases)[number] = 'sqlite') {
	const folder = makeFolder(t);
	for (const each of ['out', 'in']) mkdirSync(join(folder, each));
	const parts = await openPortalApp(t, dialect, { folders: [folder] });
	const form = {
		...{ name: 'nightly', from: `folder ${folder}`, fromPath: 'out', operation: 'tokenize', filter: 'SIMPLECSV' },
		...{ to: `folder ${folder}`, toPath: 'in', when: 'daily', time: '02:30', zone: 'Europe/Berlin', by: '06:00' },
		...{ fromDone: '{name}.done', toDone: '{name}.ok', checksum: 'yes', afterwards: 'move', files: '*.csv, *.txt' },
	};
	return { parts, folder, form };
}

for (const dialect of databases) {
	test(`${dialect}: a clerk makes a route with a form, and its page shows how it stands`, async (t) => {
		const { parts, folder, form } = await openFolders(t, dialect);
		const clerk = await parts.signIn('clerk');
		t.regex((await clerk.get('/portal/routes')).body, /There is no route yet/);
		const saved = await clerk.post('/portal/new-route', form);
		t.is(saved.statusCode, 303, problemsOf(saved.body));
		t.is(saved.headers.location, '/portal/routes/nightly');
		const { route } = await parts.routes.get(clerk.viewer.account!.id, 'nightly');
		t.deepEqual(route.when, { cron: '30 2 * * *', timeZone: 'Europe/Berlin' });
		t.like(route.from, { files: ['*.csv', '*.txt'], afterwards: { move: 'done/{date:yyyy-MM}' } });
		t.is(route.from.ready.doneFile, '{name}.done');
		t.like(route.to, { doneFile: '{name}.ok', checksum: 'sha256', place: { kind: 'folder', folder, path: 'in' } });
		t.like(route.expect, { byMinutes: 360, files: 1, timeZone: 'Europe/Berlin' });

		const page = (await clerk.get('/portal/routes/nightly')).body;
		t.regex(page, /waiting/);
		t.regex(page, /30 2 \* \* \* \(Europe\/Berlin\)/);
		const list = (await clerk.get('/portal/routes')).body;
		t.regex(list, /href="\/portal\/routes\/nightly"/);
		t.regex(list, /<time datetime="[^"]+T0[01]:30:00.000Z"/);
		t.is((await clerk.post('/portal/routes/nightly/pause')).statusCode, 303);
		t.regex((await clerk.get('/portal/routes/nightly')).body, /paused/);
		await clerk.post('/portal/routes/nightly/resume');
		t.is((await clerk.post('/portal/routes/nightly/run')).statusCode, 303);
		t.is((await clerk.post('/portal/routes/nightly/run')).statusCode, 400, 'it runs already');
		t.regex((await clerk.get('/portal/routes/nightly/runs')).body, /somebody/);
		const entries = await parts.database.knex('audit').whereIn('action', ['route.put', 'route.ask', 'route.pause']);
		t.is(entries.length, 3);
		t.is((await clerk.get('/portal/routes/nightly/remove')).statusCode, 200);
		t.is((await clerk.post('/portal/routes/nightly/remove')).headers.location, '/portal/routes');
		t.is((await clerk.get('/portal/routes/nightly')).statusCode, 404);
	});
}

function problemsOf(body: string): string {
	return JSON.stringify(missingIn(body));
}

test('an empty form is told everything that is missing at once: each member, and what to write', async (t) => {
	const { parts } = await openFolders(t);
	const clerk = await parts.signIn('clerk');
	const empty = { operation: 'tokenize', when: 'daily', zone: 'UTC', act: 'check' };
	const checked = await clerk.post('/portal/new-route', empty);
	t.is(checked.statusCode, 400);
	t.regex(checked.body, /5 fields are not right yet/);
	const missing = missingIn(checked.body);
	t.deepEqual(missing.map(({ field }) => field).sort(), ['filter', 'from', 'name', 'time', 'to']);
	t.is(problemAt(checked.body, 'name'), 'name: is required: letters, digits, hyphens and underscores');
	t.is(problemAt(checked.body, 'from'), 'from: is required: a destination, a drop or a folder');
	t.is(problemAt(checked.body, 'filter'), 'do.filter: is required: the format of the files, such as GBT');
	t.is(problemAt(checked.body, 'time'), 'write hours and minutes, such as 02:30');
	t.deepEqual(await parts.routes.list(clerk.viewer.account!.id), [], 'nothing is stored');
});

test('check logs in at both ends and lists the files, and says why an end is not reached', async (t) => {
	const { parts, folder, form } = await openFolders(t);
	const clerk = await parts.signIn('clerk');
	const before = parts.clock.now().getTime() / 1_000 - 3_600;
	for (const name of ['may.csv', 'may.csv.done', 'june.csv']) {
		writeFileSync(join(folder, 'out', name), 'x');
		utimesSync(join(folder, 'out', name), before, before);
	}
	const good = await clerk.post('/portal/new-route', { ...form, act: 'check' });
	t.is(good.statusCode, 200, problemsOf(good.body));
	t.regex(noticeOf(good.body)!, /^All is well/);
	t.regex(good.body, /Names that are listed: 3. Files that would be taken: 1/);
	t.regex(good.body, /its done-file is not there yet/);
	t.regex(good.body, /id="name"[^>]* value="nightly"/, 'what was typed stays');
	const bad = await clerk.post('/portal/new-route', { ...form, fromPath: 'nowhere', act: 'check' });
	t.regex(bad.body, /would not work like this/);
	t.deepEqual(await parts.routes.list(clerk.viewer.account!.id), []);
	await clerk.post('/portal/new-route', form);
	const stored = await clerk.post('/portal/routes/nightly/check');
	t.regex(noticeOf(stored.body)!, /^All is well/);
});

test('the document of a route is changed as text, never over a change of somebody else', async (t) => {
	const { parts, form } = await openFolders(t);
	const clerk = await parts.signIn('clerk');
	await clerk.post('/portal/new-route', form);
	t.is(problemAt((await clerk.post('/portal/new-route', form)).body, 'name')?.slice(0, 4), 'name');
	const opened = (await clerk.get('/portal/routes/nightly/edit')).body;
	const version = /name="version" value="(\d+)"/.exec(opened)![1];
	const text = /<textarea[^>]*>\n([^<]*)</.exec(opened)![1].replaceAll('&#39;', "'").replaceAll('&quot;', '"');
	const faulty = await clerk.post('/portal/routes/nightly/edit', {
		version,
		text: text.replace('tokenize', 'tokenise'),
	});
	t.is(faulty.statusCode, 400);
	t.regex(problemAt(faulty.body, 'text')!, /do\.operation: expected tokenize, detokenize or none/);
	const renamed = await clerk.post('/portal/routes/nightly/edit', { version, text: text.replace('nightly', 'other') });
	t.regex(problemAt(renamed.body, 'text')!, /the name stays nightly/);
	const changed = text.replace('30 2 * * *', '45 3 * * *');
	t.is((await clerk.post('/portal/routes/nightly/edit', { version, text: changed })).statusCode, 303);
	const late = await clerk.post('/portal/routes/nightly/edit', { version, text });
	t.is(late.statusCode, 400);
	t.regex(late.body, /Somebody else has saved/);
	const { route } = await parts.routes.get(clerk.viewer.account!.id, 'nightly');
	t.like(route.when, { cron: '45 3 * * *' });
});

test('a route through which numbers leave is not put here, and only managers with a second factor run one', async (t) => {
	const { parts, folder, form } = await openFolders(t);
	const manager = await parts.signIn('manager');
	const weak = await parts.signIn('manager', { hasSecondFactor: false });
	await manager.post('/portal/new-route', form);
	const document = {
		name: 'nightly',
		from: { drop: '/detokenized/SIMPLECSV' },
		do: { operation: 'none' },
		to: { folder, path: 'in' },
	};
	const put = await manager.post('/portal/routes/nightly/edit', { version: '1', text: JSON.stringify(document) });
	t.is(put.statusCode, 400);
	t.regex(put.body, /two operators have to put it/);
	const owner = { accountId: manager.viewer.account!.id, ownerId: manager.viewer.account!.id, userId: 'agency' };
	await parts.routes.put(owner, await parts.routes.read(owner, JSON.stringify(document)), 'operator test');
	t.regex((await weak.post('/portal/routes/nightly/run')).body, /second factor/);
	t.is((await manager.post('/portal/routes/nightly/run')).statusCode, 303);
});

test('the ledger lets dead files be tried again and done ones come again', async (t) => {
	const { parts, form } = await openFolders(t);
	const clerk = await parts.signIn('clerk');
	await clerk.post('/portal/new-route', form);
	const { id } = await parts.database.knex('routes').first('id');
	const file = { route_id: id, size: 5, modified_at: 1, seen_at: 1 };
	await parts.database.knex('route_files').insert([
		{ ...file, path: 'may.csv', state: 'dead', reason: 'it is not CSV', tries: 8 },
		{ ...file, path: 'june.csv', state: 'done', reason: null, tries: 1 },
	]);
	t.regex((await clerk.get('/portal/routes')).body, /files\?state=dead">1</);
	const dead = (await clerk.get('/portal/routes/nightly/files?state=dead')).body;
	t.regex(dead, /it is not CSV/);
	t.false(dead.includes('june.csv'));
	t.is((await clerk.post('/portal/routes/nightly/files/retry', { file: 'may.csv' })).statusCode, 303);
	t.is((await clerk.post('/portal/routes/nightly/files/retry', { file: 'may.csv' })).statusCode, 404);
	t.is((await clerk.post('/portal/routes/nightly/files/forget', { file: 'june.csv' })).statusCode, 303);
	t.deepEqual(await parts.database.knex('route_files').select('path', 'state'), [
		{ path: 'may.csv', state: 'claimed' },
	]);
});

test('viewers only look, other accounts see nothing, and search and trail find a route', async (t) => {
	const { parts, form } = await openFolders(t);
	const manager = await parts.signIn('manager');
	const viewer = await parts.signIn('viewer');
	const stranger = await parts.signIn('manager', { account: 'hotel' });
	await manager.post('/portal/new-route', form);
	t.is((await viewer.get('/portal/routes/nightly')).statusCode, 200);
	for (const path of ['/portal/new-route', '/portal/routes/nightly/edit', '/portal/routes/nightly/remove'])
		t.is((await viewer.get(path)).statusCode, 403, path);
	for (const action of ['run', 'pause', 'resume', 'check', 'files/retry', 'files/forget'])
		t.is((await viewer.post(`/portal/routes/nightly/${action}`)).statusCode, 403, action);
	for (const path of ['', '/runs', '/files', '/edit'])
		t.is((await stranger.get(`/portal/routes/nightly${path}`)).statusCode, 404, path);
	t.regex((await viewer.get('/portal/find?text=night')).body, /href="\/portal\/routes\/nightly"/);
	t.false((await stranger.get('/portal/find?text=night')).body.includes('href="/portal/routes/nightly"'));
	const page = (await manager.get('/portal/routes/nightly')).body;
	const history = /href="(\/portal\/trail\?about=route[^"]*)"/.exec(page)![1].replaceAll('&amp;', '&');
	t.regex((await manager.get(history)).body, /route\.put/);
});

test('a card number that is typed into the form is refused and not written back', async (t) => {
	const { parts, form } = await openFolders(t);
	const clerk = await parts.signIn('clerk');
	const refused = await clerk.post('/portal/new-route', { ...form, fromPath: NUMBER });
	t.is(refused.statusCode, 400);
	t.false(refused.body.includes(NUMBER));
	t.truthy(problemAt(refused.body, 'fromPath'));
});

test('a route that gives cards to another account is put by those who may, in a session with a second factor', async (t) => {
	const { parts, folder } = await openFolders(t);
	const manager = await parts.signIn('manager');
	await parts.signIn('clerk', { account: 'hotel' });
	const text = (name: string, merchantId?: string) =>
		JSON.stringify({
			...{ name, from: { folder, path: 'out' }, to: { folder, path: 'in' } },
			do: { operation: 'tokenize', filter: 'SIMPLECSV', ...(merchantId && { options: { merchantId } }) },
		});
	const owner = { accountId: manager.viewer.account!.id, ownerId: manager.viewer.account!.id, userId: 'agency' };
	await parts.routes.put(owner, await parts.routes.read(owner, text('gift')), 'operator test');
	const save = async (person: SignedIn, merchantId?: string) => {
		const [, version] = /name="version" value="(\d+)"/.exec((await person.get('/portal/routes/gift/edit')).body)!;
		return person.post('/portal/routes/gift/edit', { version, text: text('gift', merchantId) });
	};
	const developer = await parts.signIn('developer');
	const weak = await parts.signIn('clerk', { hasSecondFactor: false });
	for (const person of [developer, weak]) {
		const refused = await save(person, 'hotel');
		t.is(refused.statusCode, 400);
		t.regex(refused.body, /do\.options\.merchantId gives the cards of the files to another account/);
	}
	t.is((await save(manager, 'hotel')).statusCode, 303);
	t.is((await save(developer, 'hotel')).statusCode, 303, 'it stays');
	t.is((await save(developer, 'bank')).statusCode, 400);
	t.is((await save(developer)).statusCode, 303);
});
