import test from 'ava';
import fc from 'fast-check';
import type { AccountId } from '../../src/base/database/ids.ts';
import { findOrigin, isOwnMachine, parseOrigin } from '../../src/people/identity/accounts/origin-names.ts';
import { openIdentity } from '../../src/people/identity/identity.ts';
import { anyCharacter } from '../helpers/any-character.ts';
import { databases } from '../helpers/database.ts';
import { createAccount, type IdentityParts, openIdentityParts } from '../helpers/identity-parts.ts';

const BY = 'operator test';
const SHOP = 'https://shop.example';
const LOCAL = ['http://localhost:3000', 'https://localhost', 'http://127.0.0.1:8080', 'http://[::1]:5173'];

const inProduction = (parts: IdentityParts) => openIdentity({ ...parts, environment: 'production' }).origins;

for (const dialect of databases) {
	test(`${dialect}: an origin works for its account and its people, and for nobody else`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { origins } = parts.identity;
		const { account } = await createAccount(parts, 'agency');
		const { account: clerk } = await createAccount(parts, 'clerk', { kind: 'sub-user', parent: 'agency' });
		const { account: other } = await createAccount(parts, 'other');
		t.is(await origins.add('agency', 'HTTPS://Shop.Example:443/', BY), SHOP);
		t.is(await origins.add('clerk', 'https://desk.example:8443', BY), 'https://desk.example:8443');
		await origins.add('clerk', SHOP, BY);
		t.deepEqual(await origins.list(account.id), [SHOP]);
		t.deepEqual(await origins.list(clerk.id), ['https://desk.example:8443', SHOP]);
		t.deepEqual(await origins.list(other.id), []);
		for (const { id } of [account, clerk]) t.true(await origins.allows(id, SHOP));
		t.false(await origins.allows(account.id, 'https://desk.example:8443'));
		t.false(await origins.allows(other.id, SHOP));
		for (const not of ['http://shop.example', `${SHOP}:8443`, `${SHOP}.evil.example`, 'null', '', `${SHOP}/x`])
			t.false(await origins.allows(account.id, not), not);
		t.true(await origins.allowsSome(SHOP));
		t.false(await origins.allowsSome('https://elsewhere.example'));
		t.is(await origins.remove('agency', `${SHOP}/`, BY), SHOP);
		t.false(await origins.allows(account.id, SHOP));
		t.true(await origins.allows(clerk.id, SHOP), 'the clerk has it too');
		const entries = await parts.database.knex('audit').where('action', 'like', 'origin.%').orderBy('seq');
		t.deepEqual(
			entries.map(({ action, subject, details }) => `${action} ${subject} ${details}`),
			[
				'origin.add account agency {"origin":"https://shop.example"}',
				'origin.add account clerk {"origin":"https://desk.example:8443"}',
				'origin.add account clerk {"origin":"https://shop.example"}',
				'origin.remove account agency {"origin":"https://shop.example"}',
			],
		);
	});

	test(`${dialect}: an origin that the database was given without keys, or that of another account, does not work`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { origins } = parts.identity;
		const { account } = await createAccount(parts, 'agency');
		const { account: thief } = await createAccount(parts, 'thief');
		await origins.add('thief', SHOP, BY);
		const { knex } = parts.database;
		const row = await knex('origins').first();
		const evil = 'https://evil.example';
		await knex('origins').insert({ ...row, account_id: account.id });
		await knex('origins').insert({ ...row, account_id: account.id, origin: evil, seal: null, seal_key: null });
		t.deepEqual(await origins.list(account.id), []);
		t.false(await origins.allows(account.id, SHOP));
		t.false(await origins.allowsSome(evil));
		t.true(await origins.allows(thief.id, SHOP));
	});

	test(`${dialect}: an account has an origin once, and not without end; a disabled one allows none`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { origins } = parts.identity;
		const { account } = await createAccount(parts, 'agency');
		await origins.add('agency', SHOP, BY);
		await t.throwsAsync(origins.add('agency', `${SHOP}:443`, BY), { message: /has this origin already/ });
		await t.throwsAsync(origins.remove('agency', 'https://other.example', BY), { message: /no such origin/ });
		await t.throwsAsync(origins.add('nobody', SHOP, BY), { message: /no such account/ });
		for (let n = 1; n < 50; n++) await origins.add('agency', `https://shop${n}.example`, BY);
		await t.throwsAsync(origins.add('agency', 'https://shop50.example', BY), { message: /at most 50/ });
		t.is((await origins.list(account.id)).length, 50);
		await parts.identity.changes.disable(account, BY);
		t.false(await origins.allowsSome(SHOP));
	});
}

test('pages of the machine itself work in the sandbox without registration, and never in production', async (t) => {
	const parts = await openIdentityParts(t, 'sqlite');
	const { account } = await createAccount(parts, 'agency');
	const production = inProduction(parts);
	for (const origin of LOCAL) {
		t.true(await parts.identity.origins.allows(account.id, origin), origin);
		t.true(await parts.identity.origins.allowsSome(origin), origin);
		t.false(await production.allows(account.id, origin), origin);
		t.false(await production.allowsSome(origin), origin);
	}
	await parts.identity.origins.add('agency', SHOP, BY);
	t.deepEqual(await production.frameAncestors(account.id), [SHOP]);
	t.true((await parts.identity.origins.frameAncestors(account.id)).includes('http://localhost:*'));
	t.false(await parts.identity.origins.allows(account.id, 'http://localhost.evil.example'));
	t.deepEqual(await production.list(0 as AccountId), []);
});

test('what is not an origin is refused, and a card number in one', (t) => {
	const wrong = [
		...['', 'shop.example', 'http://shop.example', 'ftp://shop.example', '//shop.example', 'javascript:alert(1)'],
		...['https://shop.example/path', 'https://shop.example?x', 'https://shop.example#x', 'https://me@shop.example'],
		...[
			'https://*.example',
			'https://*',
			"https://shop.example;script-src'",
			'https://a,b.example',
			'https://shop.example.',
		],
		...[
			'https://shop .example',
			'https://shop.\texample',
			' https://shop.example',
			'https://[2001:db8::1]',
			'https:shop.example',
		],
		...[
			'https://shop.example:99999',
			'https://4111111111111111.example',
			`https://${'a.'.repeat(200)}example`,
			'null',
			'self',
		],
	];
	for (const text of wrong) t.throws(() => parseOrigin(text), { message: /^.*origin: expected https:\/\/host/ }, text);
	t.is(parseOrigin('https://bücher.example'), 'https://xn--bcher-kva.example');
	t.is(parseOrigin('https://192.0.2.7:8443'), 'https://192.0.2.7:8443');
});

test('whatever the text, an origin that is accepted holds nothing that a header or CSP could misread', (t) => {
	const near = fc.tuple(
		fc.constantFrom('https://', 'http://', 'https:/', ''),
		fc.string({ unit: anyCharacter }),
		fc.domain(),
	);
	const texts = fc.oneof(
		near.map(([scheme, text, host]) => `${scheme}${text}${host}`),
		fc.webUrl(),
		fc.string(),
	);
	fc.assert(
		fc.property(texts, (text) => {
			const origin = findOrigin(text);
			if (origin === undefined) return isOwnMachine(text) ? /^https?:/i.test(text) : true;
			return /^https:\/\/[a-z0-9.-]+(:\d+)?$/.test(origin) && findOrigin(origin) === origin;
		}),
		{ numRuns: 500 },
	);
	t.pass();
});
