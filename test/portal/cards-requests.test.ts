// Tests card requests in the portal: they are made with a link that is shown once, seen, answered and cancelled.

import test from 'ava';
import { VISA } from '../helpers/card-calls.ts';
import { submitForm } from '../helpers/form-calls.ts';
import { TEST_BASE_URL } from '../helpers/http-app.ts';
import { startMailServer } from '../helpers/mail-server.ts';
import { openPortalApp } from '../helpers/portal-app.ts';
import { until } from '../helpers/until.ts';

const PATH = '/portal/requests';
const XSS = '"><script>alert(1)</script>';

test('a request is made, its link is shown once, and its page tells what became of it', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	t.regex((await clerk.get(PATH)).body, /There is no card request here/);
	const made = await clerk.post(`${PATH}/new`, { RecipientName: 'Marie', CreatorReference: 'booking-7' });
	t.is(made.statusCode, 200);
	const [, link] = />(https:\/\/vault\.example\/cardrequest\/cr_[\w-]+)</.exec(made.body) ?? [];
	const [, id] = /href="\/portal\/requests\/(\w{26})"/.exec(made.body) ?? [];
	const show = async () => (await clerk.get(`${PATH}/${id}`)).body;
	t.regex(await show(), />made</);
	const secret = link.slice(link.indexOf('cr_'));
	t.false((await show()).includes(secret));
	t.false((await clerk.get(PATH)).body.includes(secret));

	const page = await parts.app.inject(link.slice(TEST_BASE_URL.length));
	t.regex(await show(), />seen</);
	const [, form] = /name="form" value="([^"]+)"/.exec(page.body) ?? [];
	t.is((await submitForm(parts, { id: form })).statusCode, 200);
	t.regex(await show(), />answered</);
	t.regex(await show(), /href="\/portal\/cards\/[0-9a-f]{32}"/);
	t.false((await show()).includes('/cancel'), 'it has ended');
	const listed = async (state: string) => (await clerk.get(`${PATH}?state=${state}`)).body.includes('>booking-7</a>');
	t.true(await listed('CardStored'));
	t.false(await listed('Cancelled'));
	t.true(await listed(XSS), 'an unknown state is none');
});

test('a request is mailed where there is a mail server, and cancelled', async (t) => {
	const server = await startMailServer(t);
	const mail = { host: server.host, port: server.port, tls: 'none', from: 'cards@vault.example' } as const;
	const parts = await openPortalApp(t, 'sqlite', { mail });
	const clerk = await parts.signIn('clerk');
	const made = await clerk.post(`${PATH}/new`, { RecipientEmail: 'marie@example.com' });
	t.regex(made.body, /its mail is on the way/);
	const [, id] = /href="\/portal\/requests\/(\w{26})"/.exec(made.body) ?? [];
	const show = async () => (await clerk.get(`${PATH}/${id}`)).body;
	await until('the mail is sent', async () => />sent</.test(await show()));
	t.is((await clerk.post(`${PATH}/${id}/cancel`)).headers.location, `${PATH}/${id}`);
	t.regex(await show(), />cancelled</);
	t.is((await clerk.post(`${PATH}/${id}/cancel`)).statusCode, 303);
	const entry = await parts.database.knex('audit').where({ action: 'card-request.cancel' });
	t.is(entry.length, 1);
	t.true(JSON.stringify(entry).includes(`portal-user ${clerk.viewer.user.id}`));
});

test('what is wrong is said at its field; texts are escaped, and a card number is no reference', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	const made = await clerk.post(`${PATH}/new`, { RecipientEmail: XSS, RecipientName: 'Marie' });
	t.is(made.statusCode, 400);
	t.regex(made.body, /id="RecipientEmail-problem"[^>]*>expected a mail address/);
	t.false(made.body.includes('<script>alert'));
	t.is((await clerk.post(`${PATH}/new`, { CreatorReference: VISA })).statusCode, 400);
	t.is((await clerk.post(`${PATH}/new`, { RequireCvv: 'true' })).statusCode, 400);
	const { statusCode } = await clerk.post(`${PATH}/new`, { CreatorReference: XSS });
	t.is(statusCode, 200);
	const { body } = await clerk.get(PATH);
	t.false(body.includes('<script>alert'));
	t.true(body.includes('&lt;script&gt;alert'));
});

test('roles and other accounts may not make, see or cancel requests', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	const viewer = await parts.signIn('viewer');
	const stranger = await parts.signIn('manager', { account: 'other' });
	const made = await clerk.post(`${PATH}/new`, { CreatorReference: 'booking-7' });
	const [, id] = /href="\/portal\/requests\/(\w{26})"/.exec(made.body) ?? [];
	t.is((await viewer.get(`${PATH}/${id}`)).statusCode, 200);
	t.is((await viewer.get(`${PATH}/new`)).statusCode, 403);
	t.is((await viewer.post(`${PATH}/new`)).statusCode, 403);
	t.is((await viewer.post(`${PATH}/${id}/cancel`)).statusCode, 403);
	t.false((await viewer.get(`${PATH}/${id}`)).body.includes('/cancel"'));
	t.false((await viewer.get(PATH)).body.includes(`${PATH}/new`));
	t.is((await stranger.get(`${PATH}/${id}`)).statusCode, 404);
	t.is((await stranger.post(`${PATH}/${id}/cancel`)).statusCode, 404);
	t.false((await stranger.get(PATH)).body.includes('booking-7'));
	for (const bad of ['nothing', '..%2f..', '%00']) t.is((await clerk.get(`${PATH}/${bad}`)).statusCode, 404, bad);
});
