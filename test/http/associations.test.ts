import test, { type ExecutionContext } from 'ava';
import { asJson, storeCard } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { type Caller, type HttpApp, openHttpApp } from '../helpers/http-app.ts';
import { clientOf } from '../helpers/openapi-client.ts';

const ALL = '/api/payments/paycard/{cardToken}/merchants';
const ONE = `${ALL}/{merchantId}` as const;

interface Callers {
	readonly demo: Caller;
	readonly shop: Caller;
	readonly token: string;
	readonly path: string;
}

function onBoth(title: string, story: (t: ExecutionContext, parts: HttpApp, callers: Callers) => Promise<void>) {
	for (const dialect of databases) {
		test(`${dialect}: ${title}`, async (t) => {
			const parts = await openHttpApp(t, dialect);
			const demo = await parts.createCaller('demo');
			const shop = await parts.createCaller('shop');
			const token = await storeCard(demo);
			await story(t, parts, { demo, shop, token, path: `/api/payments/paycard/${token}/merchants` });
		});
	}
}

onBoth(
	'spec §2.3: an associated account may use the token until it is dissociated',
	async (t, parts, { demo, shop, token, path }) => {
		const [owner, user] = [await clientOf(parts, demo), await clientOf(parts, shop)];
		const card = { path: { cardToken: token } };
		const merchant = { path: { cardToken: token, merchantId: 'shop' } };
		const seen = async () => (await user.call('GET /api/payments/paycard/{cardToken}/meta', card)).statusCode;
		t.is(await seen(), 401);
		t.is((await owner.expect(200, `PUT ${ONE}`, merchant)).text, '');
		await owner.expect(200, `PUT ${ONE}`, merchant);
		t.is(await seen(), 200);
		t.deepEqual((await owner.expect(200, `GET ${ALL}`, card)).body, ['shop'], 'a second time changes nothing');
		const asXml = { headers: { accept: 'application/xml' } };
		t.is(
			(await demo.inject('GET', path, asXml)).body,
			'<ArrayOfMerchantId><MerchantId>shop</MerchantId></ArrayOfMerchantId>',
		);
		await owner.expect(200, `DELETE ${ONE}`, merchant);
		t.is(await seen(), 401);
		t.deepEqual((await owner.expect(200, `GET ${ALL}`, card)).body, []);
		const actions = await parts.database
			.knex('audit')
			.where('subject', `token ${token}`)
			.orderBy('seq')
			.pluck('action');
		t.deepEqual(actions, ['card.store', 'card.associate', 'card.associate', 'card.dissociate']);
	},
);

onBoth(
	'shapes §11: an associated account neither associates nor dissociates, and sees itself alone',
	async (t, parts, { demo, shop, path }) => {
		await parts.createCaller('third');
		await demo.inject('PUT', `${path}/shop`);
		await demo.inject('PUT', `${path}/third`);
		for (const [method, url] of [
			['PUT', `${path}/third`],
			['DELETE', `${path}/third`],
			['DELETE', path],
		] as const) {
			const response = await shop.inject(method, url, asJson);
			t.deepEqual([response.statusCode, response.json().code, response.json().moreInfo], [401, -1003, null]);
		}
		t.deepEqual((await shop.inject('GET', path, asJson)).json(), ['shop']);
		t.deepEqual((await demo.inject('GET', path, asJson)).json(), ['shop', 'third']);
		t.is((await demo.inject('DELETE', path)).statusCode, 200);
		t.deepEqual((await demo.inject('GET', path, asJson)).json(), []);
	},
);

onBoth(
	'spec §7.4: a token that is deleted while it is being associated is the 401 of a deleted token',
	async (t, parts, { demo, shop, token, path }) => {
		const { associate } = parts.vault;
		// At this point the call has found the token as its owner. Now another call deletes the token.
		parts.vault.associate = async (...order) => {
			parts.vault.associate = associate;
			t.is((await demo.inject('DELETE', `/api/payments/paycard/${token}`)).statusCode, 200);
			return associate(...order);
		};
		const refused = await demo.inject('PUT', `${path}/shop`, asJson);
		t.is(parts.vault.associate, associate, 'the token was deleted');
		const again = await demo.inject('PUT', `${path}/shop`, asJson);
		for (const response of [refused, again]) {
			t.is(response.statusCode, 401);
			t.deepEqual(response.json(), {
				code: -1003,
				message: 'You are not authorized to access this resource. Please contact customer support.',
				moreInfo: null,
			});
		}
		t.deepEqual(await parts.database.knex('associations'), []);
		t.deepEqual(await parts.database.knex('audit').where({ action: 'card.associate' }), []);
		t.is((await shop.inject('GET', `/api/payments/paycard/${token}/meta`)).statusCode, 401);
	},
);

onBoth('spec §7.4: only a primary account can be associated with', async (t, parts, { demo, path }) => {
	await parts.createCaller('clerk', { kind: 'sub-user', parent: 'demo' });
	await parts.createCaller('hotel', { kind: 'property', parent: 'shop' });
	await parts.createCaller('closed');
	await parts.identity.accounts.block('closed', 'operator test');
	const own = await demo.inject('PUT', `${path}/clerk`, asJson);
	t.is(own.statusCode, 403);
	t.deepEqual(own.json(), {
		code: -1003,
		message: 'This operation is not allowed for the given entity',
		moreInfo: 'You are not authorized to access this resource. Please contact customer support.',
	});
	for (const merchant of ['hotel', 'nobody', 'closed']) {
		const response = await demo.inject('PUT', `${path}/${merchant}`, asJson);
		t.deepEqual([response.statusCode, response.json().message], [400, 'Bad input data'], merchant);
	}
	t.is((await demo.inject('DELETE', `${path}/nobody`, asJson)).statusCode, 400);
	t.is((await demo.inject('DELETE', `${path}/closed`, asJson)).statusCode, 200);
});

test('spec §5.2.2: a session token is good for associations too', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const path = `/api/payments/paycard/${await storeCard(demo)}/merchants`;
	const session = (await demo.inject('POST', '/api/payments/paycard/tempsession')).body;
	const response = await parts.app.inject({ method: 'GET', url: `${path}?sessionToken=${session}` });
	t.is(response.statusCode, 200);
});

test("shapes §11: dissociating tells nobody that another account has a sub-user of a name, and takes one's own", async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	await parts.createCaller('shop');
	await parts.createCaller('clerk', { kind: 'sub-user', parent: 'shop' });
	await parts.createCaller('desk', { kind: 'property', parent: 'demo' });
	const path = `/api/payments/paycard/${await storeCard(demo)}/merchants`;
	const answers = await Promise.all(
		['clerk', 'nobody', 'shop', 'desk'].map((name) => demo.inject('DELETE', `${path}/${name}`, asJson)),
	);
	t.deepEqual(
		answers.map(({ statusCode }) => statusCode),
		[400, 400, 200, 200],
	);
	t.is(answers[0].body, answers[1].body);
});
