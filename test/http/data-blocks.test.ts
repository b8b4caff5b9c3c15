import test from 'ava';
import { json, VISA } from '../helpers/card-calls.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { PATH, put } from './data-blocks.setup.ts';

test('shapes §3: a payload that XML cannot hold is refused in XML and whole in JSON', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const payload = 'left\u0001right\u000b\uffff';
	const path = `${PATH}/${await put(demo, payload)}`;
	const refused = await demo.inject('GET', path, { headers: { accept: 'application/xml' } });
	t.is(refused.statusCode, 400);
	t.true(refused.body.includes('which XML cannot hold; ask for application/json'), refused.body);
	t.is((await demo.inject('GET', path, { headers: { accept: 'application/json' } })).json().Payload, payload);
	const reads = await parts.database.knex('audit').where({ action: 'data-block.read' });
	t.is(reads.length, 1, 'what was not answered was not read');
});

const BAD: [string, object, string][] = [
	['no payload', {}, 'Payload'],
	['a payload of more than 16 KiB', { Payload: 'é'.repeat(8193) }, 'Payload'],
	['a payload that is an object', { Payload: { a: 1 } }, 'Payload'],
	['a payload with a card number', { Payload: `card 4111 1111 1111 1111` }, 'Payload'],
	['a payload with a card number in full-width digits', { Payload: '４１１１ １１１１ １１１１ １１１１' }, 'Payload'],
	['a reference that may be a card number', { Payload: 'x', Reference: VISA }, 'Reference'],
];
for (const [title, body, field] of BAD) {
	test(`shapes §3: ${title} is a 400`, async (t) => {
		const parts = await openHttpApp(t);
		const demo = await parts.createCaller('demo');
		const response = await demo.inject('POST', PATH, json(body));
		t.is(response.statusCode, 400);
		t.true(response.json().moreInfo.startsWith(`${field}:`), response.body);
		t.is(Number((await parts.database.knex('pages').count({ n: '*' }))[0].n), 0);
	});
}
