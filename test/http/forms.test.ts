// Tests the hosted form for a card without a browser: what is stored, and how submissions are answered.

import test from 'ava';
import { onBothAlways } from '../helpers/caller-stories.ts';
import { dataOf, openForm, submitForm, TYPED } from '../helpers/form-calls.ts';
import { openHttpApp } from '../helpers/http-app.ts';

test('an id of the owner and a name that are card numbers are refused, for metadata shows them', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const { id } = await openForm(demo, { showOwnerId: 'true' });
	const typed = { ...TYPED, nameOnCard: '4111-1111-1111-1111', ownerId: '4111 1111 1111 1111' };
	const answer = await submitForm(parts, { id }, typed);
	t.is(answer.statusCode, 400);
	t.deepEqual(answer.json().errors, {
		nameOnCard: ['Please enter the name, not the card number.'],
		ownerId: ['Please enter an ID, not the card number.'],
	});
	t.notRegex((await submitForm(parts, { id, isPlain: true }, typed)).body, /value="4111/);
	t.is((await submitForm(parts, { id }, { ...TYPED, ownerId: 'guest-7' })).statusCode, 200);
	const [listed] = (await demo.inject('GET', '/api/payments/paycard/meta')).json();
	t.deepEqual([listed.OwnerID, listed.OwnerName], ['guest-7', 'MARIE DUPONT']);
});

test('spec §2.4: the form takes 3 digits for a known brand, 3 or 4 for American Express and an unknown one', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const cases = [
		['4111111111111111', '1234', 400],
		['4111111111111111', '123', 200],
		['378282246310005', '1234', 200],
		['378282246310005', '123', 200],
		['9111111111111110', '1234', 200],
		['9111111111111110', '12345', 400],
	] as const;
	for (const [cardNumber, cvv, status] of cases) {
		const { id } = await openForm(demo);
		t.is((await submitForm(parts, { id }, { ...TYPED, cardNumber, cvv })).statusCode, status, `${cardNumber} ${cvv}`);
	}
});

test('rows of forms are in the order in which the forms were opened, and none is found by its time alone', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const ids: string[] = [];
	for (let nth = 0; nth < 5; nth++) {
		ids.push((await openForm(demo, { creatorReference: `form-${nth}` })).id);
		parts.clock.turn(1_000);
	}
	const rows: { options: string }[] = await parts.database.knex('card_forms').orderBy('hash');
	t.deepEqual(
		rows.map(({ options }) => JSON.parse(options).reference),
		ids.map((_, nth) => `form-${nth}`),
	);
	const [time] = ids[0].split('.');
	const [, random] = ids[1].split('.');
	for (const wrong of [time, `${time}.`, `${time}.${random}`, `cf_${random}`, random]) {
		t.is((await submitForm(parts, { id: wrong })).statusCode, 401);
	}
	for (const id of ids) t.is((await submitForm(parts, { id })).statusCode, 200);
});

test('a form ends with its API key, and asks for the permission again', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const { id } = await openForm(demo);
	await parts.identity.apiKeys.revoke(demo.account, 'operator test');
	t.is((await submitForm(parts, { id })).statusCode, 401);
	const reader = await parts.createCaller('reader', { permissions: ['QueryTokens'] });
	const refused = await openForm(reader);
	t.is(refused.page.statusCode, 403);
	t.true(refused.page.body.includes('Permission Tokenize is required'));
});

test('the data of a page has the rules and nothing secret', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const { page } = await openForm(demo, { cardTypes: 'visa,CA', expirationMonths: '3', cvv: 'optional' });
	const data = dataOf(page);
	t.like(data, { kind: 'card', cvv: 'optional', types: ['Visa', 'MasterCard'], detectsType: true, checksName: true });
	t.true(data.minExpiry > data.month);
	t.false(page.body.includes(demo.apiKey));
});

onBothAlways('forms are forgotten an hour after their end', async (t, parts, demo) => {
	const { purgeForms } = await import('../../src/work/cardholders/forms/forms.ts');
	await openForm(demo);
	parts.clock.turn(89 * 60_000);
	t.is(await purgeForms(parts), 0);
	await openForm(demo);
	parts.clock.turn(2 * 60_000);
	t.is(await purgeForms(parts), 1);
	t.is((await parts.database.knex('card_forms')).length, 1);
});

test('a form is over for the daemon that opened it, too, once its time is up', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const late = await openForm(demo);
	parts.clock.turn(31 * 60_000);
	t.is((await submitForm(parts, late)).statusCode, 401);
	t.deepEqual(await parts.vault.list(demo.account.id, { from: 0, num: 10 }), []);
});
