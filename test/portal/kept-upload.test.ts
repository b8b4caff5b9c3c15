// Tests what the service tells of an upload that was interrupted, to whom, and how it is given up.

import { createHash } from 'node:crypto';
import test from 'ava';
import { openPortalApp, type PortalApp, type SignedIn, tokenOn } from '../helpers/portal-app.ts';
import { CSV, JSON_ACCEPT, sendPiece } from './files.setup.ts';

const BLOCK = 1024 * 1024;
const named = (name: string) => ({ ...JSON_ACCEPT, 'x-file-name': name });

/** Hashes bytes as the browser does: the hash of the hashes of their blocks. */
function hashOf(bytes: Buffer): string {
	const whole = createHash('sha256');
	for (let at = 0; at < bytes.length; at += BLOCK)
		whole.update(
			createHash('sha256')
				.update(bytes.subarray(at, at + BLOCK))
				.digest(),
		);
	return whole.digest('hex');
}

async function discard(parts: PortalApp, { cookie, get }: SignedIn, name: string, place = 'tokenize/CSV') {
	const token = tokenOn((await get('/portal')).body);
	const post = (headers: object) =>
		parts.app.inject({
			method: 'POST',
			url: `/portal/upload/${place}/discard`,
			headers: { cookie, ...named(name), 'sec-fetch-site': 'same-origin', ...headers },
		});
	return { forged: await post({}), answer: await post({ 'x-csrf-token': token }) };
}

test('the hash of what came is told to those who may send the file, and to nobody else', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	const path = '/portal/upload/tokenize/CSV?hash=1';
	t.like((await clerk.get(path, named('large.csv'))).json(), { size: 0 });
	const bytes = Buffer.from(CSV.repeat(Math.ceil((2.5 * BLOCK) / CSV.length)));
	// The service gives back the memory of what it gets.
	await sendPiece(parts, clerk, Buffer.from(bytes), { name: 'large.csv', size: bytes.length + 1 });
	const told = (await clerk.get(path, named('large.csv'))).json();
	t.like(told, { size: bytes.length, hash: hashOf(bytes) });
	const stranger = await parts.signIn('manager', { account: 'other' });
	t.like((await stranger.get(path, named('large.csv'))).json(), { size: 0 });
	t.is((await (await parts.signIn('viewer')).get(path, named('large.csv'))).statusCode, 403);
	const inClear = '/portal/upload/detokenize/CSV?hash=1';
	t.is((await clerk.get(inClear, named('large.csv'))).statusCode, 403);
	// It goes on as if nobody had asked.
	const rest = await sendPiece(parts, clerk, '\n', {
		...{ name: 'large.csv', offset: bytes.length, size: bytes.length + 1 },
	});
	t.truthy(rest.json().job, rest.body);
});

test('an interrupted upload stands in the list of its account, until it is given up', async (t) => {
	const parts = await openPortalApp(t);
	const [clerk, viewer] = [await parts.signIn('clerk'), await parts.signIn('viewer')];
	const stranger = await parts.signIn('manager', { account: 'other' });
	await sendPiece(parts, clerk, CSV, { name: '<b>.csv', size: CSV.length + 1 });
	const list = (await clerk.get('/portal/files')).body;
	t.regex(list, /data-continue="tokenize\/CSV" data-name="&lt;b&gt;\.csv"/);
	const seen = (await viewer.get('/portal/files')).body;
	t.true(seen.includes('&lt;b&gt;.csv') && !seen.includes('data-continue'));
	t.false((await stranger.get('/portal/files')).body.includes('&lt;b&gt;.csv'));
	t.false((await clerk.get('/portal/files?after=99')).body.includes('&lt;b&gt;.csv'), 'on the first page alone');

	const others = await discard(parts, stranger, '<b>.csv');
	t.is(others.answer.statusCode, 200, 'as if there were no such file');
	t.is((await discard(parts, viewer, '<b>.csv')).answer.statusCode, 403);
	t.is((await discard(parts, clerk, '<b>.csv', 'detokenize/CSV')).answer.statusCode, 403);
	t.true((await clerk.get('/portal/files')).body.includes('&lt;b&gt;.csv'));
	const { forged, answer } = await discard(parts, clerk, '<b>.csv');
	t.is(forged.statusCode, 403);
	t.is(answer.statusCode, 200);
	t.false((await clerk.get('/portal/files')).body.includes('&lt;b&gt;.csv'));
	t.deepEqual(await parts.database.knex('drop_files'), []);
	const [entry] = await parts.database.knex('audit').where({ action: 'file.remove' });
	t.regex(entry.details, /<b>\.csv/);
});

test('giving up removes no file that was accepted', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	await sendPiece(parts, clerk, CSV, { name: 'whole.csv' });
	t.is((await discard(parts, clerk, 'whole.csv')).answer.statusCode, 200);
	t.is((await parts.database.knex('drop_files').where({ name: 'whole.csv' })).length, 1);
	t.deepEqual(await parts.database.knex('audit').where({ action: 'file.remove' }), []);
});

test('an upload that another daemon holds is said to be held, whoever asks to go on', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	await sendPiece(parts, clerk, CSV, { name: 'held.csv', size: CSV.length + 1 });
	const held_until = parts.clock.now().getTime() + 60_000;
	await parts.database.knex('drop_files').update({ state: 'receiving', writer: 'w', held_by: 'other', held_until });
	const asked = await clerk.get('/portal/upload/tokenize/CSV?hash=1', named('held.csv'));
	t.like(asked.json(), { isHeld: true, isOther: false });
	const rest = { name: 'held.csv', offset: CSV.length, size: CSV.length + 1 };
	const sent = await parts.app.inject({
		method: 'POST',
		url: `/portal/upload/tokenize/CSV?offset=${CSV.length}&size=${CSV.length + 1}`,
		payload: '\n',
		headers: {
			...named('held.csv'),
			cookie: clerk.cookie,
			'x-csrf-token': tokenOn((await clerk.get('/portal')).body),
			'content-type': 'application/octet-stream',
			'sec-fetch-site': 'same-origin',
		},
	});
	t.like(sent.json(), { isHeld: true, isOther: false });
	parts.clock.turn(61_000);
	t.truthy((await sendPiece(parts, clerk, '\n', rest)).json().job);
});

test('whoever has lost the answer is told which job was made of the file since it began', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	const path = '/portal/upload/tokenize/CSV';
	const { at } = (await clerk.get(path, named('lost.csv'))).json();
	const { job } = (await sendPiece(parts, clerk, CSV, { name: 'lost.csv' })).json();
	const accepted = { job, size: CSV.length };
	t.deepEqual((await clerk.get(`${path}?since=${at}`, named('lost.csv'))).json().accepted, accepted);
	t.is((await clerk.get(path, named('lost.csv'))).json().accepted, undefined, 'another file of this name may come');
	t.is((await clerk.get(`${path}?since=${at}`, named('other.csv'))).json().accepted, undefined);
	const stranger = await parts.signIn('clerk', { account: 'other' });
	t.is((await stranger.get(`${path}?since=${at}`, named('lost.csv'))).json().accepted, undefined);
	parts.clock.turn(1_000);
	t.is((await clerk.get(`${path}?since=${at + 1_000}`, named('lost.csv'))).json().accepted, undefined);
	t.is((await clerk.get(`${path}?since=x`, named('lost.csv'))).statusCode, 400);
});
