// Tests the page of the portal on which people ask the audit trail, and the links that lead to it.

import test from 'ava';
import { storeCard } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { openPortalApp } from '../helpers/portal-app.ts';

const NUMBER = '4111111111111111';

for (const dialect of databases) {
	test(`${dialect}: the page of a card leads to who saw it, and reading that is in the trail`, async (t) => {
		const parts = await openPortalApp(t, dialect);
		const manager = await parts.signIn('manager', { name: 'maria@agency.example' });
		const stranger = await parts.signIn('manager', { account: 'hotel' });
		const token = await storeCard(manager.caller!);
		const other = await storeCard(manager.caller!, '', { Number: '5555555555554444', Type: 'MasterCard' });
		const card = (await manager.get(`/portal/cards/${token}`)).body;
		t.true(card.includes(`href="/portal/trail?about=token&amp;name=${token}"`));
		const asked = (await manager.get(`/portal/trail?about=token&name=${token}`)).body;
		t.regex(asked, /1 entry fits\./);
		t.regex(asked, /card\.store/);
		t.true(asked.includes(`href="/portal/cards/${token}"`));
		t.false(asked.includes(other));
		const reads = await parts.database.knex('audit').where({ action: 'audit.read' });
		t.is(reads.length, 1);
		t.true(reads[0].details.includes(token));
		const none = (await stranger.get(`/portal/trail?about=token&name=${token}`)).body;
		t.regex(none, /0 entries fit\./);

		const file = await manager.get(`/portal/trail/csv?about=token&name=${token}`);
		t.is(file.headers['content-type'], 'text/csv; charset=utf-8');
		t.is(file.body.trim().split('\r\n').length, 2);
		t.true(file.body.includes(`token ${token}`));
		t.is((await parts.database.knex('audit').where({ action: 'audit.read' })).length, 3);
	});

	test(`${dialect}: the trail is narrowed by person, action and days, and its pages lead both ways`, async (t) => {
		const parts = await openPortalApp(t, dialect);
		const manager = await parts.signIn('manager', { name: 'maria@agency.example' });
		const { actor } = manager.viewer;
		const account = { within: manager.caller!.account.id };
		for (let nth = 0; nth < 60; nth++)
			await parts.audit.record({ actor, action: 'test.step', subject: `step ${nth}`, account });
		const first = (await manager.get('/portal/trail?action=test.step')).body;
		t.regex(first, /60 entries fit\./);
		t.regex(first, /step 59</);
		t.false(first.includes('Previous page'));
		const next = /href="(\/portal\/trail\?[^"]*after=\d+)"/.exec(first)![1].replaceAll('&amp;', '&');
		const second = (await manager.get(next)).body;
		t.regex(second, /step 0</);
		const previous = /href="(\/portal\/trail\?[^"]*before=\d+)"/.exec(second)![1].replaceAll('&amp;', '&');
		t.regex((await manager.get(previous)).body, /step 59</);
		t.regex((await manager.get('/portal/trail?action=test&person=maria@agency.example')).body, /60 entries fit/);
		t.regex((await manager.get('/portal/trail?action=test&until=2001-01-01')).body, /0 entries fit/);
		t.regex((await manager.get('/portal/trail?person=nobody')).body, /knows nobody with this name/);
	});
}

for (const dialect of databases)
	test(`${dialect}: the trail is narrowed to an operator by the name that entries show, for operators and for accounts`, async (t) => {
		const parts = await openPortalApp(t, dialect);
		const manager = await parts.signIn('manager');
		const stranger = await parts.signIn('manager', { account: 'hotel' });
		const olivia = await parts.signIn('operator', { name: 'olivia@td.example' });
		const { userId: actor } = olivia.viewer.actor;
		const name = actor.replace('operator ', '');
		const account = { within: manager.caller!.account.id };
		await parts.audit.record({ actor, action: 'test.command', subject: 'account agency', account });
		await parts.audit.record({ actor: olivia.viewer.actor, action: 'test.page', subject: 'account agency', account });
		await parts.audit.record({ actor, action: 'test.other', subject: 'installation' });
		const actionsFor = async ({ get }: typeof manager, path: string) =>
			[...(await get(path)).body.matchAll(/data-head="Action"[^>]*>(test\.\w+)</g)].map(([, action]) => action);
		const ofOperators = '/portal/installation/audit?action=test';
		for (const typed of [name, actor, name.toUpperCase()]) {
			const asked = `person=${encodeURIComponent(typed)}`;
			t.deepEqual(await actionsFor(olivia, `${ofOperators}&${asked}`), ['test.other', 'test.page', 'test.command']);
			const seen = (await manager.get(`/portal/trail?action=test&${asked}`)).body;
			t.regex(seen, /2 entries fit\./, typed);
			t.notRegex(seen, /olivia@td\.example|portal-user \d/, 'neither the person nor the credential');
			t.regex((await stranger.get(`/portal/trail?${asked}`)).body, /knows nobody with this name/);
		}
		t.deepEqual(await actionsFor(olivia, `${ofOperators}&about=person&name=${name}`), [
			...['test.other', 'test.page', 'test.command'],
		]);
		t.deepEqual(await actionsFor(olivia, `${ofOperators}&person=olivia@td.example`), ['test.page']);
		t.regex((await manager.get('/portal/trail?person=olivia@td.example')).body, /knows nobody with this name/);
		t.deepEqual(await actionsFor(olivia, `${ofOperators}&person=nobody`), []);
	});

test('the trail is for managers of the account and for operators, and takes no card number', async (t) => {
	const parts = await openPortalApp(t);
	const [clerk, manager, operator] = [
		await parts.signIn('clerk'),
		await parts.signIn('manager'),
		await parts.signIn('operator', { operatorRole: 'view' }),
	];
	const token = await storeCard(manager.caller!);
	t.is((await clerk.get('/portal/trail')).statusCode, 403);
	t.is((await clerk.get('/portal/trail/csv')).statusCode, 403);
	t.false((await clerk.get(`/portal/cards/${token}`)).body.includes('/portal/trail'));
	t.is((await operator.get('/portal/trail')).statusCode, 403);
	const all = (await operator.get(`/portal/installation/audit?about=token&name=${token}`)).body;
	t.regex(all, /card\.store/);

	const refused = await manager.post('/portal/trail', { about: 'file', name: `${NUMBER}.csv` });
	t.is(refused.statusCode, 400);
	t.false(refused.body.includes(NUMBER));
	const typed = await manager.get(`/portal/trail/csv?about=file&name=${NUMBER}.csv`);
	t.false(typed.body.includes(NUMBER));
	t.is((await parts.database.knex('audit').where({ action: 'audit.read' })).length, 1);
});

test('a token that looks like a card number by chance is in the trail as it is, and asked for like any other', async (t) => {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	const token = 'c1b9b812da2368479319f3361496b41f';
	const account = { within: manager.caller!.account.id };
	await parts.audit.record({ actor: 'daemon', action: 'card.display', subject: `token ${token}`, account });
	const asked = await manager.post('/portal/trail', { about: 'token', name: token });
	t.is(asked.headers.location, `/portal/trail?about=token&name=${token}`);
	const page = await manager.get(asked.headers.location!);
	t.is(page.statusCode, 200);
	t.regex(page.body, /1 entry fits\./);
	t.true(page.body.includes(`href="/portal/cards/${token}"`));
	const [read] = await parts.database.knex('audit').where({ action: 'audit.read' });
	t.true(read.details.includes(token), 'the trail says what was asked');
	t.is((await manager.get(`/portal/find?text=${token}`)).statusCode, 200);
	const glued = await manager.get(`/portal/find?text=${NUMBER}${NUMBER}`);
	t.is(glued.statusCode, 400);
	t.false(glued.body.includes(NUMBER));
});

test('a text with a count has a form for one and for more, written as in its language', async (t) => {
	const parts = await openPortalApp(t);
	const person = await parts.signIn('manager', { language: 'de', name: 'maria@agency.example' });
	const token = await storeCard(person.caller!);
	t.regex((await person.get(`/portal/trail?about=token&name=${token}`)).body, /1 Eintrag passt\./);
});

for (const dialect of databases) {
	test(`${dialect}: an area of actions that nobody has done is found nowhere, alone and beside something else`, async (t) => {
		const parts = await openPortalApp(t, dialect);
		const manager = await parts.signIn('manager');
		const token = await storeCard(manager.caller!);
		for (const query of [
			'action=job',
			'action=x',
			`about=token&name=${token}&action=job`,
			'action=-1&since=2026-01-01',
		]) {
			const page = await manager.get(`/portal/trail?${query}`);
			t.is(page.statusCode, 200, query);
			t.regex(page.body, /0 entries fit\./, query);
			t.is((await manager.get(`/portal/trail/csv?${query}`)).statusCode, 200, query);
		}
		t.regex((await manager.get('/portal/trail?action=card')).body, /[1-9]\d* entr/);
	});
}
