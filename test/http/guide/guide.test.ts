// Checks the pages for those who write the calls: what they say is true, and they load nothing from anywhere else.

import { readFileSync } from 'node:fs';
import test from 'ava';
import { brandOf, CARD_TYPES } from '../../../src/base/card/brand.ts';
import { passesLuhn } from '../../../src/base/card/luhn.ts';
import { catalogue } from '../../../src/base/errors.ts';
import { defaultPermissions, defaultPermissionsOf, permissions } from '../../../src/people/identity/permissions.ts';
import { cardJson, json } from '../../helpers/card-calls.ts';
import { openHttpApp } from '../../helpers/http-app.ts';

const NAMES = [
	'first-steps',
	'permissions',
	'errors',
	'test-cards',
	'snippets',
	'portal',
	'sftp',
	'reports',
	'formats',
];

function rowsOf(name: string): string[][] {
	const text = readFileSync(new URL(`../../../docs/guide/${name}.md`, import.meta.url), 'utf8');
	const lines = text.split('\n').filter((line) => line.startsWith('| `'));
	return lines.map((line) => [...line.split('|').slice(1, -1)].map((cell) => cell.trim().replaceAll('`', '')));
}

test('every page is served to anybody, under the policy of the page of all calls, with local links that lead somewhere', async (t) => {
	const { app } = await openHttpApp(t);
	const main = await app.inject({ url: '/docs' });
	for (const name of NAMES) {
		const page = await app.inject({ url: `/docs/${name}` });
		t.is(page.statusCode, 200, name);
		t.is(page.headers['content-type'], 'text/html; charset=utf-8');
		t.is(page.headers['content-security-policy'], main.headers['content-security-policy']);
		t.false(/<script|<style|<img|\son\w+=|\sstyle=/.test(page.body), name);
		const loaded = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url);
		t.true(loaded.length > NAMES.length, name);
		for (const url of loaded) {
			const { pathname, host } = new URL(url, `http://here.test/docs/${name}`);
			t.is(host, 'here.test', url);
			t.is((await app.inject({ url: pathname })).statusCode, 200, url);
		}
	}
	const { info } = (await app.inject({ url: '/openapi.json' })).json();
	for (const name of NAMES) t.true(info.description.includes(`](docs/${name})`), name);
});

test('the page of errors has every reason', async (t) => {
	const { app } = await openHttpApp(t);
	const { body } = await app.inject({ url: '/docs/errors' });
	for (const reason of Object.keys(catalogue)) t.true(body.includes(`<td><code>${reason}</code></td>`), reason);
});

test('the page of permissions has every one, and says which a new key has', (t) => {
	const ofProperty = defaultPermissionsOf({ kind: 'property' });
	const expected = permissions.map((name) => [
		name,
		ofProperty.has(name) ? 'yes' : defaultPermissions.has(name) ? 'primary accounts only' : 'no',
	]);
	t.deepEqual(
		rowsOf('permissions').map(([name, , isNew]) => [name, isNew]),
		expected,
	);
});

test('test cards are published numbers of their type', (t) => {
	const published = readFileSync(new URL('../../../fixtures/README.md', import.meta.url), 'utf8');
	const cards = rowsOf('test-cards').filter(([number, type]) => CARD_TYPES.includes(type as 'Visa') && number);
	t.true(cards.length >= 10);
	for (const [number, type] of cards) {
		const digits = Buffer.from(number);
		t.true(passesLuhn(digits, 0, digits.length), number);
		t.is(CARD_TYPES[brandOf(digits, 0, digits.length)], type as 'Visa', number);
		t.true(published.includes(number), number);
	}
});

test('examples that must fail do fail', async (t) => {
	const caller = await (await openHttpApp(t)).createCaller('agency');
	const store = (card: object) => caller.inject('POST', '/api/payments/paycard', json(cardJson(card)));
	t.is((await store({ Number: '4111111111111112' })).json().moreInfo, 'BankCard.Number: Luhn (Mod10) error');
	const past = await store({ ExpirationDate: { Month: '01', Year: '2020' } });
	t.is(past.json().moreInfo, 'BankCard.ExpirationDate: Expired card');
	t.is((await store({ CVV: '12' })).json().message, 'Bad input parameter');
	const mismatch = await store({ Type: 'AMEX' });
	t.is(mismatch.statusCode, 201);
	t.truthy(mismatch.headers['x-service-tokenization-warnings']);
	for (const [amount, result] of [
		['10.05', 'Rejected'],
		['10.51', 'TemporaryFailure'],
		['10.91', 'FatalFailure'],
		['10.23', 'Success'],
	]) {
		const order = { OperationType: 'Charge', Amount: amount, Currency: 'USD', PaymentGateway: { Name: 'Sandbox' } };
		const paid = await caller.inject(
			'POST',
			'/api/paymentGateway',
			json({ ...order, Card: JSON.parse(cardJson()).BankCard }),
		);
		t.is(paid.json().OperationResultCode, result, amount);
	}
});
