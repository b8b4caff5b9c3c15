// Tests what all pages of a kind do: forms that are refused, actions, and searches with something wrong in them.

import test from 'ava';
import { storeCard, VISA } from '../helpers/card-calls.ts';
import { runNextJob } from '../helpers/http-jobs.ts';
import { openPortalApp } from '../helpers/portal-app.ts';
import { CSV, sendPiece } from './files.setup.ts';

const problemAt = (body: string, field: string) => new RegExp(`id="${field}-problem"[^>]*>([^<]*)<`).exec(body)?.[1];
const valueAt = (body: string, field: string) => new RegExp(`id="${field}"[^>]*? value="([^"]*)"`).exec(body)?.[1];
const noticeOf = (body: string) => /<p class="notice bad"[^>]*>([^<]*)</.exec(body)?.[1];

test('a form that is refused says why at its field, keeps what was typed, and masks card numbers in it', async (t) => {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	const request = await manager.post('/portal/requests/new', { CreatorReference: VISA, RecipientName: 'Marie' });
	t.is(request.statusCode, 400);
	t.is(valueAt(request.body, 'CreatorReference'), '411111******1111');
	t.is(valueAt(request.body, 'RecipientName'), 'Marie');
	t.false(request.body.includes(VISA));

	const card = await storeCard(manager.caller!);
	const shared = await manager.post(`/portal/cards/${card}/associate`, { merchantId: 'nobody' });
	t.is(valueAt(shared.body, 'merchantId'), 'nobody');
	t.truthy(problemAt(shared.body, 'merchantId'));

	const account = await manager.post('/portal/access/accounts', { userId: 'a b' });
	t.is(account.statusCode, 400);
	t.regex(problemAt(account.body, 'userId')!, /^expected 1 to 64 letters/, 'the name of the field stands above it');
	const key = await manager.post('/portal/access/keys', { 'may-Tokenize': 'yes', days: '0', from: '10.0.0.0/8' });
	t.is(problemAt(key.body, 'days'), 'expected a whole number from 1 to 3650');
	t.is(valueAt(key.body, 'from'), '10.0.0.0/8');
	t.is(noticeOf(key.body), undefined);
});

test('what is wrong with none of the fields is said at the top of the page', async (t) => {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	const card = await storeCard(manager.caller!);
	const refused = await manager.post(`/portal/cards/${card}/dissociate`, { merchantId: 'nobody' });
	t.is(refused.statusCode, 400);
	t.is(noticeOf(refused.body), 'no such account');
	const made = await manager.post('/portal/access/keys', {});
	t.is(noticeOf(made.body), 'permissions: at least one is needed');
});

test('an action that is refused is said on the page that it was chosen on', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	const { job } = (await sendPiece(parts, clerk, CSV)).json();
	await runNextJob(parts);
	const refused = await clerk.post(`/portal/jobs/${job}/retry`);
	t.is(refused.statusCode, 400);
	t.is(noticeOf(refused.body), 'this file did not fail: there is nothing to try again');
	t.true(refused.body.includes('<h1>may.csv</h1>'));
});

test('a secret that was typed is never written back', async (t) => {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	const typed = { name: 'bank', host: 'h', port: 'x', userName: 'u', password: 'pass-1', privateKey: 'key-1' };
	const { statusCode, body } = await manager.post('/portal/parties/destinations/save', typed);
	t.is(statusCode, 400);
	t.is(valueAt(body, 'host'), 'h');
	t.false(/pass-1|key-1/.test(body));
	t.notRegex(body, /line \d+, column/, 'the lines are those of a text that nobody has seen');
});

test('a search with something wrong in it lists nothing until it is mended', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	await sendPiece(parts, clerk, CSV);
	const folder = '/portal/files/tokenize/CSV';
	t.true((await clerk.get(folder)).body.includes('may.csv'));
	for (const wrong of [`${folder}?from=${VISA}`, '/portal/cards?last4=12']) {
		const { body } = await clerk.get(wrong);
		t.false(body.includes('<table>') || body.includes('class="empty"'), wrong);
	}
	t.is(valueAt((await clerk.get('/portal/cards?last4=12')).body, 'last4'), '12');
});
