import { existsSync, readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import test from 'ava';
import { allPermissions } from '../../src/people/identity/permissions.ts';
import { databases } from '../helpers/database.ts';
import { createAccount, HOUR_MS, MINUTE_MS, openIdentityParts } from '../helpers/identity-parts.ts';

const OPERATOR = 'operator test';

for (const dialect of databases) {
	test(`spec §5.1: an API key identifies its account, and nothing near it does (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { text, account } = await createAccount(parts, 'agency', { cvvRetention: true });
		t.regex(text, /^td_sandbox_[A-Za-z0-9_-]{43}$/);
		const login = (secret: string) => parts.identity.authenticate({ kind: 'api-key', secret });
		const principal = await login(text);
		t.like(principal, { accountId: account.id, userId: 'agency', kind: 'primary', ownerId: account.id });
		t.like(principal, { cvvRetention: true, method: 'api-key' });
		t.false(principal!.permissions.has('FileDetokenize') || principal!.permissions.has('DisplayCard'));
		t.is(principal!.permissions.size, 15);
		const others = [
			'',
			' ',
			`${text} `,
			` ${text}`,
			text.slice(0, -1),
			`${text}A`,
			text.toUpperCase(),
			`APIKEY ${text}`,
		];
		const foreign = text.replace('sandbox', 'production');
		for (const secret of [...others, foreign, 'x'.repeat(100_000), '\0', '\ud800']) t.is(await login(secret), null);
		t.is(await parts.identity.authenticate({ kind: 'session-token', secret: text }), null);
		t.is(await parts.identity.authenticate({ kind: 'access-token', secret: text }), null);
	});

	test(`spec §2.1: a sub-user acts for its parent, and keeps CVVs when the parent does (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const parent = await createAccount(parts, 'agency', { cvvRetention: true });
		const { principal } = await createAccount(parts, 'clerk', { kind: 'sub-user', parent: 'agency' });
		t.like(principal, { userId: 'clerk', kind: 'sub-user', ownerId: parent.account.id, cvvRetention: true });
	});

	test(`spec §2.2, shapes §11: a rotated key is dead at once, or after its overlap (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { apiKeys, authenticate } = parts.identity;
		const works = async (secret: string) => (await authenticate({ kind: 'api-key', secret })) !== null;
		const { text: first, account } = await createAccount(parts, 'agency');
		const second = (await apiKeys.rotate(account, OPERATOR)).secret.reveal();
		t.deepEqual([await works(first), await works(second)], [false, true]);
		const third = (await apiKeys.rotate(account, OPERATOR, { overlapMs: 2 * HOUR_MS })).secret.reveal();
		t.deepEqual([await works(second), await works(third)], [true, true]);
		parts.turn(2 * HOUR_MS - 1);
		t.true(await works(second));
		parts.turn(1);
		t.deepEqual([await works(second), await works(third)], [false, true]);
		t.deepEqual(
			(await apiKeys.list(account)).map((key) => key.state),
			['ended', 'ended', 'active'],
		);
	});

	test(`a successor has the permissions of the key it follows (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { account, secret } = await parts.identity.createAccount(
			{ userId: 'a' },
			OPERATOR,
			new Set(['FileDetokenize']),
		);
		const rotated = await parts.identity.apiKeys.rotate(account, OPERATOR);
		t.not(rotated.secret.reveal(), secret.reveal());
		t.deepEqual([...rotated.apiKey.permissions], ['FileDetokenize']);
	});

	test(`a revoked key is dead at once, also while it was ending (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { apiKeys, authenticate } = parts.identity;
		const { text, account, apiKey } = await createAccount(parts, 'agency');
		await apiKeys.rotate(account, OPERATOR, { overlapMs: HOUR_MS });
		t.not(await authenticate({ kind: 'api-key', secret: text }), null);
		t.is((await apiKeys.revoke(account, OPERATOR, apiKey.id)).state, 'revoked');
		t.is(await authenticate({ kind: 'api-key', secret: text }), null);
		await t.throwsAsync(apiKeys.revoke(account, OPERATOR, apiKey.id), { message: /no such API key/ });
	});

	test(`a key is only chosen for the caller where there is no choice, and never another account's (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { apiKeys } = parts.identity;
		const { account, apiKey } = await createAccount(parts, 'agency');
		const other = await createAccount(parts, 'other');
		await apiKeys.create(account, OPERATOR, allPermissions);
		await t.throwsAsync(apiKeys.rotate(account, OPERATOR), { message: /several API keys/ });
		await t.throwsAsync(apiKeys.revoke(account, OPERATOR, other.apiKey.id), { message: /no such API key/ });
		await apiKeys.rotate(account, OPERATOR, { id: apiKey.id });
		t.is((await apiKeys.list(account)).filter((key) => key.state === 'active').length, 2);
		t.is((await apiKeys.list(other.account))[0].state, 'active');
	});

	test(`of two rotations of one key at once, one succeeds (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { account, apiKey } = await createAccount(parts, 'agency');
		const other = await parts.anotherDaemon();
		const rotations = [parts, other].map(({ identity }) =>
			identity.apiKeys.rotate(account, OPERATOR, { id: apiKey.id }),
		);
		const settled = await Promise.allSettled(rotations);
		t.deepEqual(settled.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
		t.is((await parts.identity.apiKeys.list(account)).length, 2);
	});

	test(`keys made under an older credential key keep working, and move to the newest (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { text, apiKey } = await createAccount(parts, 'agency');
		const newest = await parts.keyRing.rotate('credential');
		const later = await parts.anotherDaemon();
		const login = (secret: string) => later.identity.authenticate({ kind: 'api-key', secret });
		t.not(await login(text), null);
		const row = await parts.database.knex('api_keys').where({ id: apiKey.id }).first();
		t.is(row.key_id, newest.id);
		t.not(await login(text), null);
	});

	test(`a key another daemon hashed under a new credential key works here soon (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		await createAccount(parts, 'agency');
		await parts.keyRing.rotate('credential');
		const other = await parts.anotherDaemon();
		const { secret } = await other.identity.createAccount({ userId: 'newcomer' }, OPERATOR);
		await new Promise((resolve) => setTimeout(resolve, 1_100));
		t.like(await parts.identity.authenticate({ kind: 'api-key', secret: secret.reveal() }), { userId: 'newcomer' });
	});

	test(`spec §5.2.2: a session token works for five minutes, as often as it likes, on every daemon (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const other = await parts.anotherDaemon();
		const { principal } = await createAccount(parts, 'agency');
		const { secret, expiresAt } = await parts.identity.sessionTokens.create(principal);
		t.is(expiresAt.toISOString(), '2026-11-21T12:05:00.000Z');
		const login = (daemon = parts.identity) => daemon.authenticate({ kind: 'session-token', secret: secret.reveal() });
		for (const daemon of [parts.identity, other.identity, parts.identity]) {
			t.like(await login(daemon), { userId: 'agency', method: 'session-token', apiKeyId: principal.apiKeyId });
		}
		t.is(await parts.identity.authenticate({ kind: 'api-key', secret: secret.reveal() }), null);
		parts.turn(5 * MINUTE_MS - 1);
		t.not(await login(), null);
		parts.turn(1);
		t.is(await login(), null);
		t.is(await parts.identity.purgeExpired(), 0);
		parts.turn(1);
		t.is(await parts.identity.purgeExpired(), 1);
		t.is((await parts.database.knex('session_tokens')).length, 0);
	});

	test(`spec §5.4.1: a session token ends with the API key it was made from (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { principal, account } = await createAccount(parts, 'agency');
		const { secret } = await parts.identity.sessionTokens.create(principal);
		await parts.identity.apiKeys.revoke(account, OPERATOR);
		t.is(await parts.identity.authenticate({ kind: 'session-token', secret: secret.reveal() }), null);
	});

	test(`a blocked account still logs in (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { text } = await createAccount(parts, 'agency');
		await parts.identity.accounts.block('agency', OPERATOR);
		t.like(await parts.identity.authenticate({ kind: 'api-key', secret: text }), { userId: 'agency' });
	});

	test(`spec §5: no credential stands in clear in the database (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { text, principal } = await createAccount(parts, 'agency');
		const session = (await parts.identity.sessionTokens.create(principal)).secret.reveal();
		const tables = ['api_keys', 'session_tokens', 'audit', 'accounts', 'spent_access_tokens'];
		const rows = JSON.stringify(await Promise.all(tables.map((table) => parts.database.knex(table))));
		const files =
			dialect === 'postgres'
				? []
				: ['', '-wal', '-shm'].map((end) => parts.database.url.replace('sqlite:', '') + end).filter(existsSync);
		for (const content of [rows, ...files.map((file) => readFileSync(file, 'latin1'))]) {
			for (const secret of [text, session]) {
				t.false(content.includes(secret));
				t.false(content.includes(secret.slice(-43, -5)));
			}
		}
		t.is(files.length > 0, dialect === 'sqlite');
	});
}

test('a new secret shows itself to nobody who does not ask', async (t) => {
	const parts = await openIdentityParts(t, 'sqlite');
	const { secret } = await parts.identity.createAccount({ userId: 'agency' }, OPERATOR);
	const shown = [
		inspect({ secret }, { depth: 9, showHidden: true }),
		JSON.stringify({ secret }),
		`${secret}`,
		String(secret),
	];
	for (const text of shown) t.false(text.includes(secret.reveal()), text);
});
