// Tests the search field at the top of every page of the portal, and the page with what it finds.

import test from 'ava';
import { storeCard } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { openPortalApp } from '../helpers/portal-app.ts';

const NUMBER = '4111111111111111';

for (const dialect of databases) {
	test(`${dialect}: the field at the top finds cards, files and people of the own account, by kind`, async (t) => {
		const parts = await openPortalApp(t, dialect);
		const manager = await parts.signIn('manager', { name: 'maria@agency.example' });
		const stranger = await parts.signIn('manager', { account: 'hotel', name: 'mario@hotel.example' });
		const token = await storeCard(manager.caller!, '?ref=Booking-77');
		t.regex((await manager.get('/portal/files')).body, /<form method="post" action="\/portal\/find"/);

		const sent = await manager.post('/portal/find', { text: 'Booking-7' });
		t.is(sent.statusCode, 303);
		t.is(sent.headers.location, '/portal/find?text=Booking-7');
		const found = (await manager.get(sent.headers.location as string)).body;
		t.regex(found, /Cards by reference/);
		t.true(found.includes(`href="/portal/cards/${token}"`));
		t.regex((await manager.get(`/portal/find?text=${token}`)).body, /Cards with this token/);
		t.regex((await manager.get('/portal/find?text=visa+1111')).body, /four digits/);
		const people = (await manager.get('/portal/find?text=maria')).body;
		t.regex(people, new RegExp(`href="/portal/people/${manager.viewer.user.id}"`));

		for (const text of [token, 'Booking-77', '1111', 'maria']) {
			const none = (await stranger.get(`/portal/find?text=${text}`)).body;
			t.regex(none, /Nothing that you may see/, text);
			t.false(none.includes('Visa'), text);
		}
	});
}

test('nobody finds what they may not see, and operators have no such field', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk', { name: 'clara@agency.example' });
	const operator = await parts.signIn('operator');
	t.regex((await clerk.get('/portal/find?text=clara')).body, /Nothing that you may see/);
	t.false((await operator.get('/portal/me')).body.includes('id="find"'));
	t.is((await operator.get('/portal/find?text=clara')).statusCode, 404);
});

test('a card number that is searched for is refused, and is neither written back nor put into an address', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	for (const text of [NUMBER, '4111 1111 1111 1111', 'card 4111-1111-1111-1111']) {
		const refused = await clerk.post('/portal/find', { text });
		t.is(refused.statusCode, 400);
		t.regex(refused.body, /looks like a whole card number/);
		t.is(refused.headers.location, undefined);
		t.false(/4111.?1111/.test(refused.body));
	}
	const typed = await clerk.get(`/portal/find?text=${NUMBER}`);
	t.is(typed.statusCode, 400);
	t.false(typed.body.includes(NUMBER));
});
