// Tests what the parameters of the hosted forms do, and which of them are refused.

import test from 'ava';
import { storeCard } from '../helpers/card-calls.ts';
import { CVV_FORM, dataOf, openForm, submitForm, TYPED } from '../helpers/form-calls.ts';
import { openHttpApp } from '../helpers/http-app.ts';

const WRONG: Readonly<Record<string, readonly string[]>> = {
	cvv: ['maybe', '1'],
	autoDetectCardType: ['yes'],
	defaultCardType: ['Visa2', '<script>'],
	cardTypes: ['Visa,,', 'Visa,Nobody'],
	minExpiration: ['2030', '13/30', '2030-04-01', 'x', "1' or 1"],
	expirationMonths: ['-1', '1.5', '241', 'x'],
	showOwnerId: ['2'],
	nameOnCardValidation: ['2'],
	autoFocus: ['on'],
	creatorReference: ['4111111111111111', 'x'.repeat(256)],
	eliminateCardDuplication: ['2'],
	submitWithPostMessage: ['2', 'true'],
	useCustomValidation: ['2'],
	formNonce: ['a b', '<x>', 'x'.repeat(65)],
	brand: ['nobody', '"><script>alert(1)</script>'],
	css: ['x'.repeat(8193), `p${':not('.repeat(1000)}`],
	removeBaseCss: ['2'],
	postMessageHost: [
		...['*', 'shop.example', 'https://evil.example', 'javascript:alert(1)', 'null', 'https://a@shop.example'],
		...['http://shop.example', 'https://shop.example.evil.example', '//shop.example', 'https://shop.example:444'],
	],
	success: [
		...[
			'https://evil.example/',
			'javascript:alert(1)',
			'//evil.example/',
			'/done',
			'data:text/html,x',
			'http://shop.example/',
		],
		...[
			'https://shop.example@evil.example/',
			'https://{cardToken}.shop.example/',
			'https:\\\\shop.example',
			'ftp://shop.example/',
		],
		...[
			'https://shop.example\\@evil.example/',
			'https:shop.example',
			' https://shop.example',
			'https://shop.example.evil.example',
		],
	],
	failure: ['https://evil.example/', 'javascript:alert(1)'],
};

test('a parameter that is wrong is a standard error that names it', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	await parts.identity.origins.add('demo', 'https://shop.example', 'operator test');
	for (const [name, values] of Object.entries(WRONG)) {
		for (const value of values) {
			const { page } = await openForm(demo, { [name]: value });
			const field = name === 'submitWithPostMessage' && value === 'true' ? 'postMessageHost' : name;
			t.is(page.statusCode, 400, `${name}=${value}`);
			t.regex(page.body, new RegExp(`<code>-125</code>.*<moreInfo>${field}`, 's'), `${name}=${value}`);
		}
	}
});

test('what is registered is accepted, and in the sandbox the machine itself', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	await parts.identity.origins.add('demo', 'https://shop.example', 'operator test');
	const queries = [
		{ success: 'https://shop.example/done?t={cardToken}', postMessageHost: 'https://shop.example/any/path' },
		{ success: 'http://localhost:8080/done', postMessageHost: 'http://127.0.0.1:3000' },
	];
	for (const query of queries) t.is((await openForm(demo, query)).page.statusCode, 200, JSON.stringify(query));
	const { page } = await openForm(demo, queries[0]);
	t.is(dataOf(page).messageOrigin, 'https://shop.example');
	const policy = String(page.headers['content-security-policy']);
	t.regex(policy, /frame-ancestors https:\/\/shop\.example /);
	t.is(page.headers['x-frame-options'], undefined);
	t.is(page.headers['cross-origin-resource-policy'], 'cross-origin');
	t.is(page.headers['cache-control'], 'no-store');
	t.is(page.headers['set-cookie'], undefined);
});

test('in production nothing is accepted that is not registered', async (t) => {
	const parts = await openHttpApp(t, 'sqlite', {});
	const demo = await parts.createCaller('demo');
	const { page } = await openForm(demo, { postMessageHost: 'https://localhost.example' });
	t.is(page.statusCode, 400);
});

test('credentials fail as everywhere: the empty 401', async (t) => {
	const parts = await openHttpApp(t);
	for (const query of ['', '?sessionToken=x', '?accessToken=00', '?sessionToken=']) {
		const answer = await parts.app.inject(`/api/payments/capturecard${query}`);
		t.is(answer.statusCode, 401);
		t.is(answer.body, '');
	}
});

const SCRIPT = '"\'><script>alert(1)</script><img src=x onerror=alert(1)>{{7*7}}`';

test('a script in any parameter stays a text, or is refused', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const { paths } = (await parts.app.inject('/openapi.json')).json();
	const names: string[] = paths['/api/payments/capturecard'].get.parameters.map((each: { name: string }) => each.name);
	t.true(names.length > 15);
	for (const name of names.filter((each) => !each.endsWith('Token'))) {
		const { page } = await openForm(demo, { [name]: SCRIPT });
		t.true(page.statusCode === 200 || page.statusCode === 400, name);
		t.false(page.body.includes('<img') || page.body.includes('<script>'), name);
		t.is((page.body.match(/<script/g) ?? []).length, page.statusCode === 200 ? 2 : 0, name);
	}
});

test('a foreign style sheet changes the look of the form and nothing else', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const hostile =
		'input[value^="4"] { background: url(https://evil.example/4) } @import "https://evil.example"; </style><script>alert(1)</script> button { color: teal }';
	const { page } = await openForm(demo, { css: hostile });
	t.is(page.statusCode, 200);
	t.false(/evil\.example|\[value|alert/.test(page.body));
	const good = await openForm(demo, { css: 'button { color: teal }', removeBaseCss: 'true' });
	t.true(good.page.body.includes('.tokendrop button{color:teal}'));
	t.false(good.page.body.includes('--accent'));
});

test('the style sheet of the account is used, of its name or by default, and one of its primary account too', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const clerk = await parts.createCaller('clerk', { kind: 'sub-user', parent: 'demo' });
	const { openStyles } = await import('../../src/work/cardholders/forms/styles.ts');
	const styles = openStyles({ ...parts, accounts: parts.identity.accounts });
	await styles.set('demo', { name: 'default', css: 'p { color: red }' }, 'operator test');
	await styles.set('demo', { name: 'spa', css: 'p { color: blue }' }, 'operator test');
	for (const caller of [demo, clerk]) {
		t.true((await openForm(caller)).page.body.includes('.tokendrop p{color:red}'));
		const { page } = await openForm(caller, { brand: 'spa' });
		t.true(page.body.includes('.tokendrop p{color:blue}'));
		t.false(page.body.includes('color:red'));
	}
});

test('fields are asked for as the parameters say', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const usual = (await openForm(demo)).page.body;
	for (const name of ['cardNumber', 'expiry', 'cvv', 'nameOnCard']) t.true(usual.includes(`name="${name}"`), name);
	for (const name of ['ownerId', 'cardType']) t.false(usual.includes(`name="${name}"`), name);
	t.false(usual.includes('pattern='));
	t.regex(usual, /inputmode="numeric"/);
	for (const each of ['cc-number', 'cc-exp', 'cc-csc', 'cc-name'])
		t.true(usual.includes(`autocomplete="${each}"`), each);
	const other = { cvv: 'false', showOwnerId: 'true', autoDetectCardType: 'false', cardTypes: 'Visa,AMEX' };
	const { body } = (await openForm(demo, other)).page;
	t.false(body.includes('name="cvv"'));
	t.true(body.includes('name="ownerId"'));
	t.deepEqual(
		[...body.matchAll(/<option value="(\w*)"/g)].map(([, type]) => type),
		['', 'Visa', 'AMEX'],
	);
});

test('what the parameters require is checked when the form is sent', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const year = new Date(parts.clock.now()).getUTCFullYear();
	const problem = async (query: Record<string, string>, typed: Record<string, string>) => {
		const { id } = await openForm(demo, query);
		const answer = await submitForm(parts, { id }, { ...TYPED, ...typed });
		return answer.statusCode === 200 ? 'stored' : Object.keys(answer.json().errors).join();
	};
	t.is(await problem({ cardTypes: 'MasterCard' }, {}), 'cardNumber');
	t.is(await problem({ cardTypes: 'Visa' }, {}), 'stored');
	t.is(await problem({ minExpiration: '2031-01' }, {}), 'expiry');
	t.is(await problem({ expirationMonths: '3' }, { expiry: `${'12'} / ${year + 5}` }), 'stored');
	t.is(await problem({ nameOnCardValidation: 'false' }, { nameOnCard: '' }), 'stored');
	t.is(await problem({}, { nameOnCard: 'M4RIE' }), 'nameOnCard');
	t.is(await problem({}, { nameOnCard: '4111 1111 1111 1111' }), 'nameOnCard');
	t.is(await problem({ cvv: 'optional' }, { cvv: '' }), 'stored');
	t.is(await problem({ cvv: 'false' }, { cvv: '' }), 'stored');
	t.is(await problem({ autoDetectCardType: 'false' }, {}), 'cardType');
	t.is(await problem({ autoDetectCardType: 'false' }, { cardType: 'AMEX' }), 'cardType');
	t.is(await problem({ autoDetectCardType: 'false' }, { cardType: 'Visa' }), 'stored');
	t.is(await problem({}, { cardNumber: '٤١١١ ١١١١ ١١١١ ١١١١', expiry: '١٢/٣٠', cvv: '١٢٣' }), 'stored');
	t.is(await problem({}, { expiry: '2030-12' }), 'stored');
	t.is(await problem({}, { cardNumber: '4111-1111-1111-1111' }), 'stored');
});

test('the holder of a co-badged card chooses its brand', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	for (const [cardType, expected] of [
		['Dankort', 'Dankort'],
		['', 'Visa'],
		['AMEX', 'Visa'],
	] as const) {
		const { id } = await openForm(demo);
		const answer = await submitForm(parts, { id }, { ...TYPED, cardNumber: '4571000000000001', cardType });
		const found = await parts.vault.findMetadata(demo.account.id, answer.json().cardToken);
		t.is(found?.cardType, expected);
	}
});

test('the CVV form puts a CVV to a card of the account, once', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo', { cvvRetention: true });
	const cardUri = await storeCard(demo);
	const { page, id } = await openForm(demo, { cardUri }, CVV_FORM);
	t.is(page.statusCode, 200);
	t.true(page.body.includes('•••• 1111'));
	t.false(page.body.includes('name="cardNumber"'));
	const wrong = await submitForm(parts, { id, path: CVV_FORM }, { cvv: '1234' });
	t.deepEqual(Object.keys(wrong.json().errors), ['cvv']);
	const answers = await Promise.all([1, 2].map(() => submitForm(parts, { id, path: CVV_FORM }, { cvv: '123' })));
	for (const answer of answers) t.is(answer.json().cardToken, cardUri);
	t.true((await parts.vault.findMetadata(demo.account.id, cardUri as never))?.cvvEndsAt !== null);
	t.is((await parts.database.knex('audit').where({ action: 'cvv.store' })).length, 1);
});

test('the CVV form is refused for the card of another, for no token, and without CVV retention', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo', { cvvRetention: true });
	const other = await parts.createCaller('other', { cvvRetention: true });
	const plain = await parts.createCaller('plain');
	const cardUri = await storeCard(other);
	t.is((await openForm(demo, { cardUri }, CVV_FORM)).page.statusCode, 401);
	t.is((await openForm(demo, { cardUri: 'x' }, CVV_FORM)).page.statusCode, 401);
	t.is((await openForm(demo, {}, CVV_FORM)).page.statusCode, 400);
	const own = await storeCard(plain);
	const refused = await openForm(plain, { cardUri: own }, CVV_FORM);
	t.is(refused.page.statusCode, 401);
	t.true(refused.page.body.includes('User is not authorized to handle bank cards'));
});

test('assets are public, packed, and kept for ever; other addresses are not there', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const [, path] = /src="(\/assets\/card-form-[0-9a-f]{16}\.js)"/.exec((await openForm(demo)).page.body)!;
	const asset = await parts.app.inject({ url: path, headers: { 'accept-encoding': 'gzip' } });
	t.is(asset.statusCode, 200);
	t.is(asset.headers['content-encoding'], 'gzip');
	t.is(asset.headers['cache-control'], 'public, max-age=31536000, immutable');
	t.is(asset.headers['cross-origin-resource-policy'], 'cross-origin');
	t.is((await parts.app.inject(path)).headers['content-type'], 'text/javascript; charset=utf-8');
	for (const wrong of [
		'/assets/card-form-0000000000000000.js',
		'/assets/..%2fpage.ts',
		'/assets/',
		'/assets/base.css',
	]) {
		t.is((await parts.app.inject(wrong)).statusCode, 404, wrong);
	}
});
