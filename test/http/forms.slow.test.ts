// Those tests of forms.test.ts that take long.

import test, { type ExecutionContext } from 'ava';
import { buildApp } from '../../src/doors/http/app.ts';
import type { Token } from '../../src/vault/tokens/token.ts';
import { openVault } from '../../src/vault/vault.ts';
import { onBothAlways } from '../helpers/caller-stories.ts';
import { storeCard } from '../helpers/card-calls.ts';
import { CVV_FORM, openForm, submitForm, TYPED } from '../helpers/form-calls.ts';
import { type HttpApp, openHttpApp } from '../helpers/http-app.ts';

onBothAlways(
	'shapes §5: a form stores its card once, and a second submission gets the first token',
	async (t, parts, demo) => {
		const { page, id } = await openForm(demo, { creatorReference: 'booking-7' });
		t.is(page.statusCode, 200);
		t.is(page.headers['content-type'], 'text/html; charset=utf-8');
		const first = await submitForm(parts, { id });
		t.is(first.statusCode, 200, first.body);
		const { cardToken, next } = first.json();
		t.is(next, null);
		const found = await parts.vault.find(demo.account.id, cardToken);
		t.is(found?.record.digits.toString(), '4111111111111111');
		t.is(found?.record.name?.toString(), 'MARIE DUPONT');
		t.is(found?.record.expiry, 203012);
		t.deepEqual((await submitForm(parts, { id }, { ...TYPED, cardNumber: '5555555555554444' })).json(), first.json());
		const listed = await demo.inject('GET', '/api/payments/paycard/meta?ref=booking-7');
		t.is(listed.json().length, 1);
		t.is((await parts.database.knex('audit').where({ action: 'card.store' })).length, 1);
	},
);

onBothAlways('shapes §5: two submissions at the same moment store one card', async (t, parts, demo) => {
	for (let round = 0; round < 5; round++) {
		const { id } = await openForm(demo, { creatorReference: `round-${round}` });
		const answers = await Promise.all([1, 2, 3].map(() => submitForm(parts, { id })));
		t.is(new Set(answers.map((each) => each.json().cardToken)).size, 1);
		const listed = await demo.inject('GET', `/api/payments/paycard/meta?ref=round-${round}`);
		t.is(listed.json().length, 1);
	}
});

onBothAlways(
	'two daemons that get submissions of one form at the same moment store one card',
	async (t, parts, demo) => {
		const second = await openSecond(t, parts);
		for (let round = 0; round < 5; round++) {
			const { id } = await openForm(demo, { creatorReference: `round-${round}` });
			const answers = await Promise.all([parts, second, parts, second].map((daemon) => submitForm(daemon, { id })));
			t.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([200]));
			t.is(new Set(answers.map((each) => each.json().cardToken)).size, 1);
			const listed = await demo.inject('GET', `/api/payments/paycard/meta?ref=round-${round}`);
			t.is(listed.json().length, 1);
		}
	},
);

test('every field that is wrong is told at once, in the language of the form', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const { id } = await openForm(demo, { language: 'de-AT' });
	const typed = { cardNumber: '4111 1111 1111 1112', expiry: '13 / 30', cvv: '12', nameOnCard: '' };
	const answer = await submitForm(parts, { id }, typed);
	t.is(answer.statusCode, 400);
	t.deepEqual(answer.json(), {
		errors: {
			cardNumber: ['Bitte prüfen Sie die Kartennummer: Eine Ziffer scheint falsch zu sein.'],
			expiry: ['Ein Monat liegt zwischen 01 und 12.'],
			cvv: ['Die Prüfziffer hat 3 oder 4 Ziffern.'],
			nameOnCard: ['Bitte füllen Sie dieses Feld aus.'],
		},
	});
	t.is((await submitForm(parts, { id })).statusCode, 200, 'the form can be corrected');
});

test('without a script the browser gets pages: what is wrong, then thanks; a number never comes back', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const { id } = await openForm(demo);
	const typed = { ...TYPED, expiry: '01 / 20', nameOnCard: '"><b>X' };
	const wrong = await submitForm(parts, { id, isPlain: true }, typed);
	t.is(wrong.statusCode, 400);
	t.true(wrong.body.includes('The card has expired.'));
	t.true(wrong.body.includes('value="&quot;&gt;&lt;b&gt;X"'));
	t.false(/4111 ?1111|value="123"/.test(wrong.body));
	const stored = await submitForm(parts, { id, isPlain: true });
	t.is(stored.statusCode, 200);
	t.true(stored.body.includes('Thank you. The card was stored.'));
	t.false(stored.body.includes('<form'));
});

test('the browser goes to the address for success, with the number masked and the CVV as stars', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	await parts.identity.origins.add('demo', 'https://shop.example', 'operator test');
	const success = `https://shop.example/done?t={cardToken}&c={cardType}&n={cardNumber}&v={cvv}&e={expiration}&h={cardHolderName}&x={other}#{cardToken}`;
	for (const isPlain of [false, true]) {
		const { page, id } = await openForm(demo, { success });
		t.true(String(page.headers['content-security-policy']).includes("form-action 'self' https://shop.example"));
		const answer = await submitForm(parts, { id, isPlain }, { ...TYPED, nameOnCard: 'A & B=é' });
		const next = isPlain ? String(answer.headers.location) : answer.json().next;
		if (isPlain) t.is(answer.statusCode, 303);
		const url = new URL(next);
		const token = url.searchParams.get('t')!;
		t.regex(token, /^[0-9a-f]{32}$/);
		const shown = { c: 'Visa', n: '411111******1111', v: '***', e: '12/2030', h: 'A & B=é', x: '{other}' };
		for (const [name, value] of Object.entries(shown)) t.is(url.searchParams.get(name), value);
		t.is(url.hash, `#${token}`);
		t.false(/123|4111111111/.test(next.replaceAll(token, '')));
	}
});

test('a form that is over says so, and one that never was is a failed login', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const { id } = await openForm(demo);
	parts.clock.turn(31 * 60_000);
	const over = await submitForm(parts, { id });
	t.is(over.statusCode, 401);
	t.is(over.body, '');
	const page = await submitForm(parts, { id, isPlain: true });
	t.is(page.statusCode, 401);
	t.true(page.body.includes('Nothing was stored'));
	for (const wrong of ['', 'cf_guess', 'x'.repeat(100_000)]) {
		t.is((await submitForm(parts, { id: wrong })).statusCode, 401);
	}
	t.is((await submitForm(parts, { id: 'cf_guess', isPlain: true })).statusCode, 401);
	t.is((await parts.vault.list(demo.account.id, { from: 0, num: 10 })).length, 0);
});

test('an access token is spent by opening the form; its card can still be stored, and a reload is refused', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const made = await demo.inject('POST', '/api/payments/paycard/tempsession');
	const url = `/api/payments/paycard/capturecard?sessionToken=${made.body}`;
	const page = await parts.app.inject(url);
	t.is(page.statusCode, 200);
	const id = /name="form" value="([^"]+)"/.exec(page.body)![1];
	parts.clock.turn(20 * 60_000);
	t.is((await parts.app.inject(url)).statusCode, 401, 'the session is over');
	t.is((await submitForm(parts, { id, path: '/api/payments/paycard/capturecard' })).statusCode, 200);
});

test('each card costs a unit, and a submission that is refused costs nothing', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo', { allowanceLimit: 1 } as never);
	const [first, second] = [await openForm(demo), await openForm(demo)];
	t.is((await submitForm(parts, { id: first.id }, { ...TYPED, cvv: '1' })).statusCode, 400);
	t.is((await submitForm(parts, { id: first.id })).statusCode, 200);
	t.is((await submitForm(parts, { id: first.id })).statusCode, 200, 'the same form again');
	const refused = await submitForm(parts, { id: second.id, isPlain: true });
	t.is(refused.statusCode, 403);
	t.true(refused.body.includes('could not be stored'));
});

test('a CVV is kept if the account keeps CVVs, and dropped otherwise', async (t) => {
	const parts = await openHttpApp(t);
	for (const cvvRetention of [true, false]) {
		const caller = await parts.createCaller(`account${cvvRetention}`, { cvvRetention });
		const { id } = await openForm(caller);
		const { cardToken } = (await submitForm(parts, { id })).json();
		const metadata = await parts.vault.findMetadata(caller.account.id, cardToken as Token);
		t.is(metadata?.cvvEndsAt !== null, cvvRetention);
	}
});

test('eliminateCardDuplication gives the earlier token back, and needs its permission', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const tokens = [];
	for (let nth = 0; nth < 2; nth++) {
		const { id } = await openForm(demo, { eliminateCardDuplication: 'true' });
		tokens.push((await submitForm(parts, { id })).json().cardToken);
	}
	t.is(tokens[0], tokens[1]);
	const clerk = await parts.createCaller('clerk', { permissions: ['Tokenize'] });
	t.is((await openForm(clerk, { eliminateCardDuplication: 'true' })).page.statusCode, 403);
});

test('neither number nor CVV nor the id of a form is written to a log or stored in clear', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo', { cvvRetention: true });
	const { id } = await openForm(demo);
	await submitForm(parts, { id });
	await submitForm(parts, { id: (await openForm(demo)).id, isPlain: true }, { ...TYPED, expiry: '' });
	const rows = JSON.stringify(await parts.database.knex('card_forms').select('*'));
	for (const text of [parts.logText(), rows]) {
		for (const secret of ['4111111111111111', '4111 1111', id]) t.false(text.includes(secret), secret);
	}
});

/** Opens a second daemon on the same database. */
async function openSecond(t: ExecutionContext, parts: HttpApp) {
	const app = await buildApp({ ...parts, vault: await openVault({ ...parts, database: parts.database }) });
	t.teardown(() => app.close());
	return { app };
}

test('of a form that somebody altered in the database, no other daemon stores a card', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const other = await parts.createCaller('other');
	const { id } = await openForm(demo);
	await parts.database.knex('card_forms').update({ account_id: other.account.id, owner_id: other.account.id });
	t.is((await submitForm(await openSecond(t, parts), { id })).statusCode, 401);
	t.is((await submitForm(parts, { id })).statusCode, 200, 'the daemon that opened the form knows it as it was');
	t.deepEqual(await parts.vault.list(other.account.id, { from: 0, num: 10 }), []);
	t.is((await parts.vault.list(demo.account.id, { from: 0, num: 10 })).length, 1);
});

onBothAlways('a form that was submitted to another daemon gives its token here, too', async (t, parts, demo) => {
	const second = await openSecond(t, parts);
	const { id } = await openForm(demo);
	const first = await submitForm(second, { id });
	t.is(first.statusCode, 200);
	t.deepEqual((await submitForm(parts, { id })).json(), first.json());
	t.is((await parts.vault.list(demo.account.id, { from: 0, num: 10 })).length, 1);
});

test('a CVV form that was opened before the account lost CVV retention keeps no CVV', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo', { cvvRetention: true });
	const token = await storeCard(demo);
	const { page, id } = await openForm(demo, { cardUri: token }, CVV_FORM);
	t.is(page.statusCode, 200);
	await parts.identity.changes.setCvvRetention(demo.account, 'operator test', false);
	parts.clock.turn(60_000);
	t.is((await submitForm(parts, { id, path: CVV_FORM }, { cvv: '123' })).statusCode, 401);
	t.deepEqual(await parts.database.knex('cvvs').select('ends_at'), []);
});
