// Those tests of files.test.ts that take long.

import type { AddressInfo } from 'node:net';
import test from 'ava';
import { databases } from '../helpers/database.ts';
import { runNextJob } from '../helpers/http-jobs.ts';
import { openPortalApp, type PortalApp, type SignedIn } from '../helpers/portal-app.ts';
import { sendMultipart } from '../helpers/portal-forms.ts';
import { CSV, sendPiece } from './files.setup.ts';

/** Sends the form of the page, as a browser without JavaScript does. */
function sendForm(parts: PortalApp, person: SignedIn, files: Record<string, string>, fields = {}) {
	return sendMultipart(parts, person, '/portal/upload', { fields: { folder: 'tokenize/CSV', ...fields }, files });
}

for (const dialect of databases) {
	test(`${dialect}: a file is sent, becomes a job, and its page shows the report`, async (t) => {
		const parts = await openPortalApp(t, dialect);
		const clerk = await parts.signIn('clerk');
		t.true((await clerk.get('/portal/files')).body.includes('sftp -P 2022 agency@vault.example'));

		const sent = await sendPiece(parts, clerk, CSV);
		t.is(sent.statusCode, 200, sent.body);
		const { job } = sent.json();
		t.true((await clerk.get('/portal/files')).body.includes(`/portal/jobs/${job}`));
		t.regex(
			(await clerk.get(`/portal/jobs/${job}`)).body,
			/data-live="jobs" data-href="\/portal\/jobs\/\w+\?refresh=1"/,
		);
		t.is(await runNextJob(parts), 'done');

		const { body, headers } = await clerk.get(`/portal/jobs/${job}`);
		t.false(body.includes('data-live'));
		t.true(body.includes('•••• 1112'));
		t.false(body.includes('4111111111111112'));
		t.regex(String(headers['content-security-policy']), /trusted-types 'none'/);
		const output = await clerk.get(`/portal/jobs/${job}/output`);
		t.is(output.statusCode, 200);
		t.regex(output.body, /MARIE,[0-9a-f]{32},/);
		t.regex(String(output.headers['content-disposition']), /^attachment; filename="may\.csv"/);
		t.is((await clerk.get(`/portal/jobs/${job}/report`)).json().id, job);

		const folder = await clerk.get('/portal/files/tokenized/CSV');
		t.true(folder.body.includes('may.csv'));
		const file = await clerk.get('/portal/files/tokenized/CSV/download?name=may.csv');
		t.is(file.body, output.body);
		const trail = await parts.database
			.knex('audit')
			.select('*')
			.then((rows) => JSON.stringify(rows));
		t.true(trail.includes('file.upload') && trail.includes('portal-user 1'));
		t.true(trail.includes('file.download'));
		t.true((await clerk.get('/portal/files?show=refused')).body.includes('may.csv'));
		t.false((await clerk.get('/portal/files?show=failed')).body.includes('may.csv'));
		t.false((await clerk.get('/portal/files?filter=GBT')).body.includes('may.csv'));
	});
}

test('an upload goes on where it stopped, and notices another file of its name', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	const content = `${CSV}${'A'.repeat(100_000)}`;
	const size = content.length;
	const first = await sendPiece(parts, clerk, content.slice(0, 50_000), { size });
	t.deepEqual(first.json(), { size: 50_000 });
	t.true((await clerk.get('/portal/files/tokenize/CSV')).body.includes('interrupted: send it again to go on'));

	const gap = await sendPiece(parts, clerk, content.slice(60_000), { size, offset: 60_000 });
	t.is(gap.statusCode, 409);
	t.deepEqual(gap.json(), { size: 50_000 });
	const other = await sendPiece(parts, clerk, 'B'.repeat(20_000), { size, offset: 40_000 });
	t.is(other.statusCode, 400);
	t.true(other.json().isOther);

	const again = await parts.signIn('clerk');
	const rest = await sendPiece(parts, again, content.slice(40_000), { size, offset: 40_000 });
	t.is(rest.statusCode, 200, rest.body);
	t.is(rest.json().size, size);
	t.truthy(rest.json().job);
});

test('a request that a browser sends again from its beginning loses nothing that came before', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	const content = `${CSV}${'A'.repeat(100_000)}`;
	const size = content.length;
	t.deepEqual((await sendPiece(parts, clerk, content.slice(0, 50_000), { size })).json(), { size: 50_000 });
	t.deepEqual((await sendPiece(parts, clerk, content.slice(0, 20_000), { size })).json(), { size: 50_000 });
	const other = await sendPiece(parts, clerk, `B${content.slice(1)}`, { size });
	t.deepEqual([other.statusCode, other.json().isOther], [400, true]);
	const whole = await sendPiece(parts, clerk, content, { size });
	t.deepEqual([whole.statusCode, whole.json().size], [200, size], whole.body);
});

test('a form without JavaScript sends files, and names are refused as over sFTP', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	const one = await sendForm(parts, clerk, { 'june.csv': CSV });
	t.is(one.statusCode, 303, one.body);
	t.regex(String(one.headers.location), /^\/portal\/jobs\/\w{26}$/);
	const two = await sendForm(parts, clerk, { 'a.csv': CSV, 'b".csv': '' });
	t.is(two.headers.location, '/portal/files');
	t.is((await sendForm(parts, clerk, { '': '' })).statusCode, 400);
	const forged = await sendForm(parts, clerk, { 'c.csv': CSV }, { _csrf: 'x' });
	t.is(forged.statusCode, 403);
	const card = await sendForm(parts, clerk, { '4111111111111111.csv': CSV });
	t.is(card.statusCode, 400);
	t.true(card.body.includes('must not hold card numbers'));
	t.false(card.body.includes('4111111111111111'));
	t.is((await sendForm(parts, clerk, { 'd.csv.part': CSV })).statusCode, 400);
	t.is((await sendForm(parts, clerk, { 'd.csv': CSV }, { folder: 'tokenized/CSV' })).statusCode, 404);
	const list = (await clerk.get('/portal/files')).body;
	t.true(list.includes('june.csv') && list.includes('a.csv'));
	t.false(list.includes('c.csv') || list.includes('d.csv'));
});

test('a role does only what it may, by the button and by the request', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	const { job } = (await sendPiece(parts, clerk, CSV)).json();
	await runNextJob(parts);
	const viewer = await parts.signIn('viewer');
	const page = (await viewer.get(`/portal/jobs/${job}`)).body;
	t.true(page.includes('•••• 1112'));
	for (const action of ['output', 'report', 'retry', 'delete']) t.false(page.includes(`/portal/jobs/${job}/${action}`));
	t.false((await viewer.get('/portal/files')).body.includes('action="/portal/upload"'));
	for (const path of ['output', 'report', 'delete'])
		t.is((await viewer.get(`/portal/jobs/${job}/${path}`)).statusCode, 403);
	for (const path of ['retry', 'delete']) t.is((await viewer.post(`/portal/jobs/${job}/${path}`)).statusCode, 403);
	t.is((await viewer.get('/portal/files/tokenized/CSV/download?name=may.csv')).statusCode, 403);
	t.is((await sendPiece(parts, viewer, CSV, { name: 'x.csv' })).statusCode, 403);
	const developer = await parts.signIn('developer');
	t.is((await developer.post(`/portal/jobs/${job}/delete`)).statusCode, 403);
	const operator = await parts.signIn('operator');
	for (const path of ['/portal/files', `/portal/jobs/${job}`]) t.is((await operator.get(path)).statusCode, 403);
});

test('numbers in clear leave only to a manager with a second factor', async (t) => {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	const clerk = await parts.signIn('clerk');
	const { job } = (await sendPiece(parts, manager, CSV)).json();
	await runNextJob(parts);
	const tokens = (await manager.get(`/portal/jobs/${job}/output`)).body;
	const place = 'detokenize/CSV';
	t.is((await sendPiece(parts, clerk, tokens, { place })).statusCode, 403);
	const sent = await sendPiece(parts, manager, tokens, { place });
	t.is(sent.statusCode, 200, sent.body);
	await runNextJob(parts);
	const back = sent.json().job;
	t.true((await manager.get(`/portal/jobs/${back}/output`)).body.includes('4111111111111111'));
	const single = await parts.signIn('manager', { hasSecondFactor: false });
	for (const person of [clerk, single]) {
		t.is((await person.get(`/portal/jobs/${back}/output`)).statusCode, 403);
		t.is((await person.get('/portal/files/detokenized/CSV/download?name=may.csv')).statusCode, 403);
		t.is((await person.post(`/portal/jobs/${back}/delete`)).statusCode, 403);
		t.false((await person.get(`/portal/jobs/${back}`)).body.includes('/output"'));
	}
	t.true((await single.get(`/portal/jobs/${back}`)).body.includes('Sign in with a second factor'));
});

test("another account's files are not there, under any path", async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	const { job } = (await sendPiece(parts, clerk, CSV)).json();
	await runNextJob(parts);
	const other = await parts.signIn('manager', { account: 'other' });
	for (const path of ['', '/output', '/report', '/delete'])
		t.is((await other.get(`/portal/jobs/${job}${path}`)).statusCode, 404);
	for (const path of ['/retry', '/delete']) t.is((await other.post(`/portal/jobs/${job}${path}`)).statusCode, 404);
	t.is((await other.get('/portal/files/tokenized/CSV/download?name=may.csv')).statusCode, 404);
	t.is((await other.get('/portal/files/tokenized/CSV/remove?name=may.csv')).statusCode, 404);
	t.false((await other.get('/portal/files/tokenized/CSV')).body.includes('may.csv'));
	for (const id of ['x', '%00', '..%2f', '01ARZ3NDEKTSV4RRFFQ69G5FAV'])
		t.is((await other.get(`/portal/jobs/${id}`)).statusCode, 404);
	t.is((await other.get('/portal/files/tokenized/NONE')).statusCode, 404);
	t.is((await clerk.get(`/portal/jobs/${job}/output`)).statusCode, 200);
});

test('a page that refreshes itself does not keep a session from ending', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	const live = { 'x-portal-part': '1' };
	for (let minute = 0; minute < 14; minute++) {
		parts.clock.turn(60_000);
		t.is((await clerk.get('/portal/files?refresh=1', live)).statusCode, 200);
	}
	parts.clock.turn(61_000);
	const ended = await clerk.get('/portal/files?refresh=1', live);
	t.is(ended.statusCode, 401);
	t.regex(String(ended.headers['x-portal-login']), /^\/portal\/login\?next=%2Fportal%2Ffiles$/);
});

test('a list has pages by cursor', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	for (let i = 0; i < 53; i++) await sendPiece(parts, clerk, '', { name: `f${i}.csv` });
	const first = (await clerk.get('/portal/files')).body;
	const [, query] = /href="\/portal\/files\?(after=\d+)"/.exec(first) ?? [];
	t.truthy(query);
	t.true(first.includes('>f52.csv<') && !first.includes('>f2.csv<'));
	const second = (await clerk.get(`/portal/files?${query}`)).body;
	t.true(second.includes('>f2.csv<') && !second.includes('>f3.csv<'));
});

test('a download is cut off when the session of its user ends', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	const lines = `${CSV.split('\n')[1]}\n`.repeat(200_000);
	await sendPiece(parts, clerk, `name,cardnumber,expiry\n${lines}`);
	t.is(await runNextJob(parts), 'done');
	await parts.app.listen({ host: '127.0.0.1', port: 0 });
	const { port } = parts.app.server.address() as AddressInfo;
	const url = `http://127.0.0.1:${port}/portal/files/tokenized/CSV/download?name=may.csv`;
	const fetched = async (meanwhile: () => Promise<void>) => {
		const response = await fetch(url, { headers: { cookie: clerk.cookie, 'accept-encoding': 'identity' } });
		t.is(response.status, 200);
		let size = 0;
		for await (const piece of response.body!) {
			if (size === 0) await meanwhile();
			size += piece.length;
		}
		return { size, length: Number(response.headers.get('content-length')) };
	};
	// Turns the clock by six seconds, after which the session is checked again.
	const whole = await fetched(async () => parts.clock.turn(6_000));
	t.is(whole.size, whole.length);
	await t.throwsAsync(
		fetched(async () => {
			parts.clock.turn(6_000);
			await clerk.end();
		}),
		{ message: 'terminated' },
	);
	t.true(parts.logText().includes('a download was cut off: its session is not open any more'));
	t.false(parts.logText().includes('a stored file could not be read'));
});
