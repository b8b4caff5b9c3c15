// Tests the journal of payments in the portal: unknown outcomes come first, and are queried when somebody asks.

import test, { type ExecutionContext } from 'ava';
import { attemptStore } from '../../src/work/payments/gateway/attempt-store.ts';
import { openProviders } from '../gateway/servers/gateways.ts';
import { VISA } from '../helpers/card-calls.ts';
import { openPortalApp } from '../helpers/portal-app.ts';
import { pay } from '../helpers/provider-payments.ts';

const PATH = '/portal/payments';
const CARD = { Number: VISA, ExpirationDate: { Month: '04', Year: '2030' } };
const XSS = '<script>alert(1)</script>';

async function open(t: ExecutionContext) {
	const { stripe, settings } = await openProviders(t);
	const parts = await openPortalApp(t, 'sqlite', { gateway: { ...settings, deadlineMs: 20_000 } });
	const clerk = await parts.signIn('clerk');
	return { parts, stripe, clerk, caller: clerk.caller! };
}

const idsOf = (body: string) => [...body.matchAll(/href="\/portal\/payments\/(\w{26})"/g)].map(([, id]) => id);

test('outcomes that are not known stand first, and are queried when somebody asks', async (t) => {
	const { parts, stripe, clerk, caller } = await open(t);
	t.regex((await clerk.get(PATH)).body, /No payment was sent/);
	stripe.mode = 'lost';
	await pay(caller, { Card: CARD, MyRef: XSS });
	stripe.mode = 'normal';
	parts.clock.turn(1000);
	await pay(caller, { Card: CARD, MyRef: 'second' });
	const { body } = await clerk.get(PATH);
	t.regex(body, /Outcome not known/);
	t.false(body.includes(VISA) || body.includes(XSS));
	t.true(body.includes('411111'));
	const [unknown, newest] = idsOf(body);
	t.is(idsOf(body).length, 3, 'the unknown one, and both of them');
	t.not(unknown, newest);
	t.deepEqual(idsOf((await clerk.get(`${PATH}?state=approved`)).body), [newest]);

	const page = await clerk.get(`${PATH}/${unknown}`);
	t.regex(page.body, /Do not send it again/);
	t.is((await clerk.post(`${PATH}/${unknown}/query`)).headers.location, `${PATH}/${unknown}`);
	t.regex((await clerk.get(`${PATH}/${unknown}`)).body, />approved</);
	t.false((await clerk.get(`${PATH}/${unknown}`)).body.includes('/query'));
	t.false((await clerk.get(PATH)).body.includes('Outcome not known'));
});

test('who asks for an outcome again and again sends one query in ten seconds', async (t) => {
	const { parts, stripe, clerk, caller } = await open(t);
	stripe.mode = 'lost';
	await pay(caller, { Card: CARD });
	stripe.mode = 'error';
	const [id] = idsOf((await clerk.get(PATH)).body);
	const ask = async () => {
		const before = stripe.asked.length;
		await Promise.all([1, 2, 3].map(() => clerk.post(`${PATH}/${id}/query`)));
		await clerk.post(`${PATH}/${id}/query`);
		return stripe.asked.length - before;
	};
	const inTurn = await ask();
	t.true(inTurn > 0);
	t.is(await ask(), 0);
	parts.clock.turn(10_000);
	t.is(await ask(), inTurn);
	stripe.mode = 'normal';
	parts.clock.turn(10_000);
	await clerk.post(`${PATH}/${id}/query`);
	t.regex((await clerk.get(`${PATH}/${id}`)).body, />approved</);
});

test('texts of a provider are shown as text', async (t) => {
	const { parts, clerk, caller } = await open(t);
	await pay(caller, { Card: CARD });
	const [id] = idsOf((await clerk.get(PATH)).body);
	await parts.database.knex('gateway_attempts').where({ id }).update({
		gateway_result_description: XSS,
		description: XSS,
		authorization_code: XSS,
		gateway_result_code: XSS,
	});
	const { body } = await clerk.get(`${PATH}/${id}`);
	t.false(body.includes(XSS));
	t.true(body.includes('&lt;script&gt;'));
});

test('roles and other accounts may not see payments or ask about them', async (t) => {
	const { parts, clerk, caller } = await open(t);
	await pay(caller, { Card: CARD });
	const [id] = idsOf((await clerk.get(PATH)).body);
	const viewer = await parts.signIn('viewer');
	for (const path of [PATH, `${PATH}/${id}`]) t.is((await viewer.get(path)).statusCode, 403);
	t.is((await viewer.post(`${PATH}/${id}/query`)).statusCode, 403);
	const stranger = await parts.signIn('manager', { account: 'other' });
	t.is((await stranger.get(`${PATH}/${id}`)).statusCode, 404);
	t.is((await stranger.post(`${PATH}/${id}/query`)).statusCode, 404);
	t.deepEqual(idsOf((await stranger.get(PATH)).body), []);
	t.is((await clerk.get(`${PATH}/nothing`)).statusCode, 404);
});

test('a payment is found by the reference that the gateway gave it, with everything done about it, and along an index', async (t) => {
	const { parts, clerk, caller } = await open(t);
	for (let nth = 0; nth < 3; nth++) await pay(caller, { Card: CARD, MyRef: `booking-${nth}` });
	const { knex } = parts.database;
	const [first, second, third] = await knex('gateway_attempts').orderBy('id').pluck('id');
	await knex('gateway_attempts').where({ id: first }).update({ gateway_reference: 'pi_first' });
	await knex('gateway_attempts')
		.where({ id: second })
		.update({ gateway_reference: 're_of', original_reference: 'pi_first' });
	const sent = await clerk.post(PATH, { state: '', ref: '', gatewayref: 'pi_first' });
	t.is(sent.headers.location, `${PATH}?gatewayref=pi_first`);
	const { body } = await clerk.get(sent.headers.location!);
	t.deepEqual(idsOf(body), [second, first]);
	t.regex(body, /2 found/);
	t.deepEqual(idsOf((await clerk.get(`${PATH}?gatewayref=pi_`)).body), [], 'the whole of it');
	t.true(idsOf((await clerk.get(PATH)).body).includes(third));
	const asked: { sql: string; bindings: readonly unknown[] }[] = [];
	knex.on('query', (query) => void asked.push(query));
	const asking = { gatewayReference: 'pi_first' };
	const store = attemptStore(knex);
	await store.listNewest(clerk.viewer.account!.id, asking, { limit: 26 });
	await store.list(clerk.viewer.account!.id, { ...asking, from: 0, num: 100 });
	await store.countNewest(clerk.viewer.account!.id, asking, 10_001);
	for (const { sql, bindings } of asked.splice(0)) {
		const plan: { detail: string }[] = await knex.raw(`explain query plan ${sql}`, bindings as never);
		const text = plan.map(({ detail }) => detail).join('; ');
		for (const index of ['gateway_attempts_by_reference', 'gateway_attempts_by_original'])
			t.true(text.includes(index), text);
		t.notRegex(text, /gateway_attempts_by_account \(account_id=\?\)|SCAN gateway/, text);
	}
});
