import { constants, generateKeyPairSync, publicEncrypt, randomUUID, X509Certificate } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { isFrom, parseAddressRanges } from '../../src/people/identity/accounts/address-ranges.ts';
import { LAST_USE_EVERY_MS } from '../../src/people/identity/credentials/authenticate.ts';
import type { CredentialEndedError } from '../../src/people/identity/credentials/ending.ts';
import { sealedApiKeys } from '../../src/people/identity/sealed-rows.ts';
import { databases } from '../helpers/database.ts';
import { createAccount, HOUR_MS, MINUTE_MS, openIdentityParts } from '../helpers/identity-parts.ts';
import { changeSealed } from '../helpers/reseal.ts';
import { until } from '../helpers/until.ts';

const OPERATOR = 'operator test';
const INSIDE = '10.1.2.3';
const OUTSIDE = '192.0.2.9';

for (const dialect of databases) {
	test(`${dialect}: a key with an end is refused from then on, with what it opened`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { identity, turn, clock } = parts;
		const { account } = await createAccount(parts, 'agency');
		const expiresAt = new Date(clock.now().getTime() + HOUR_MS);
		const { secret, apiKey } = await identity.apiKeys.create(account, OPERATOR, undefined, { expiresAt });
		const credential = { kind: 'api-key', secret: secret.reveal() } as const;
		const principal = await identity.authenticate(credential);
		const standing = identity.standings.watch(principal!);
		turn(HOUR_MS - 1);
		t.truthy(await identity.authenticate(credential));
		const successor = await identity.apiKeys.rotate(account, OPERATOR, { id: apiKey.id, overlapMs: 2 * HOUR_MS });
		t.is(successor.apiKey.expiresAt?.getTime(), clock.now().getTime() + HOUR_MS, 'as long as the one before');
		turn(1);
		t.is(await identity.authenticate(credential), null);
		await until('the session has ended', () => standing.signal.aborted, { withinMs: 6_000 });
		t.is((standing.signal.reason as CredentialEndedError).why, 'the API key has ended');
		t.is((await identity.apiKeys.list(account)).find(({ id }) => id === apiKey.id)?.state, 'ended');
		await t.throwsAsync(identity.apiKeys.create(account, OPERATOR, undefined, { expiresAt }), {
			message: /Bad input/,
		});
	});

	test(`${dialect}: a key is good from its addresses alone, and a session from elsewhere ends when they change`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { identity } = parts;
		const { account } = await createAccount(parts, 'agency');
		const limits = { from: '10.0.0.0/8, 2001:db8::/32' };
		const { secret, apiKey } = await identity.apiKeys.create(account, OPERATOR, undefined, limits);
		const text = secret.reveal();
		const login = (address?: string) => identity.authenticate({ kind: 'api-key', secret: text }, address);
		for (const address of [OUTSIDE, undefined, '11.0.0.1', '2001:db9::1']) t.is(await login(address), null);
		for (const address of [INSIDE, `::ffff:${INSIDE}`, '2001:db8::7']) t.truthy(await login(address));
		const bySftp = (address: string) => identity.sftpLogin.byPassword({ userName: 'agency', password: text, address });
		t.is(await bySftp(OUTSIDE), null);
		const principal = await bySftp(INSIDE);
		t.is(principal?.address, INSIDE);
		const { secret: session } = await identity.sessionTokens.create(principal!);
		const bySession = { kind: 'session-token', secret: session.reveal() } as const;
		t.truthy(await identity.authenticate(bySession, OUTSIDE), 'a browser has another address');
		const standing = identity.standings.watch(principal!);
		const ofBrowser = identity.standings.watch((await identity.authenticate(bySession, OUTSIDE))!);
		await changeSealed(parts, sealedApiKeys, { id: apiKey.id }, { from_ranges: '172.16.0.0/12' });
		await until('the session has ended', () => standing.signal.aborted, { withinMs: 6_000 });
		t.is((standing.signal.reason as CredentialEndedError).why, 'the address is not among those of the key');
		t.false(ofBrowser.signal.aborted);
		const successor = await identity.apiKeys.rotate(account, OPERATOR, { id: apiKey.id });
		t.is(successor.apiKey.from, '172.16.0.0/12');
	});

	test(`${dialect}: an access token made elsewhere is refused and not spent`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { identity, clock } = parts;
		const { account } = await createAccount(parts, 'agency');
		const { secret } = await identity.apiKeys.create(account, OPERATOR, undefined, { from: INSIDE });
		const { certificate } = await identity.certificates.current();
		const expiration = new Date(clock.now().getTime() + 10 * MINUTE_MS).toISOString();
		const clear = `${secret.reveal()}#${randomUUID().replaceAll('-', '')}#${expiration}`;
		const key = new X509Certificate(certificate).publicKey;
		const token = publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(clear));
		const credential = { kind: 'access-token', secret: token.toString('hex').toUpperCase() } as const;
		t.is(await identity.authenticate(credential, OUTSIDE), null);
		t.truthy(await identity.authenticate(credential, INSIDE));
		t.is(await identity.authenticate(credential, INSIDE), null);
	});

	test(`${dialect}: an SSH key is good from its addresses alone`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { identity } = parts;
		const { account } = await createAccount(parts, 'agency');
		const blob = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' });
		const { fingerprintOf } = await import('../../src/base/ssh/fingerprint.ts');
		const key = { algorithm: 'ssh-ed25519', blob, fingerprint: fingerprintOf(blob), comment: '' };
		await identity.sshKeys.add(account, OPERATOR, key, undefined, '10.0.0.0/8');
		const login = (address: string) => identity.sftpLogin.byPublicKey({ userName: 'agency', key: blob, address });
		t.is(await login(OUTSIDE), null);
		t.truthy(await login(INSIDE));
		t.is((await identity.sshKeys.list(account))[0].from, '10.0.0.0/8');
	});

	test(`${dialect}: the last use of a key is written once in five minutes`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { identity, database, turn, clock } = parts;
		const { account, text } = await createAccount(parts, 'agency');
		const [{ lastUsedAt }] = await identity.apiKeys.list(account);
		t.deepEqual(lastUsedAt, clock.now());
		let writes = 0;
		database.knex.on('query', ({ sql }: { sql: string }) => {
			if (/^update .api_keys./i.test(sql)) writes++;
		});
		const other = await parts.anotherDaemon();
		const login = (daemon = identity) => daemon.authenticate({ kind: 'api-key', secret: text });
		turn(LAST_USE_EVERY_MS - 1);
		for (let n = 0; n < 20; n++) await login(n % 2 ? other.identity : identity);
		t.is(writes, 0);
		turn(1);
		await Promise.all(Array.from({ length: 20 }, () => login()));
		t.is(writes, 1);
		t.deepEqual((await identity.apiKeys.list(account))[0].lastUsedAt, clock.now());
	});
}

test('an address is in a range of IPv4 exactly when its first bits are those of the range', (t) => {
	const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
	const numberOf = (parts: readonly number[]) => parts.reduce((sum, part) => sum * 256 + part, 0);
	fc.assert(
		fc.property(octets, octets, fc.nat(32), fc.boolean(), (net, address, prefix, isNear) => {
			const asked = isNear ? [...net.slice(0, 3), address[3]] : address;
			const size = 2 ** (32 - prefix);
			const isInside = Math.floor(numberOf(net) / size) === Math.floor(numberOf(asked) / size);
			t.is(isFrom(parseAddressRanges(`198.51.100.1/32,${net.join('.')}/${prefix}`), asked.join('.')), isInside);
		}),
	);
});

test('a text that is not an address range is refused, and the error names it', (t) => {
	for (const text of ['', '10.0.0.0/33', '10.0.0/8', 'example.com', '10.0.0.0/8,', '::/129', '10.0.0.0/-1']) {
		t.throws(() => parseAddressRanges(text), { message: /Bad input/ }, text);
	}
	const third = { message: /10\.0\.0\.0\/8; number 3 is neither/ };
	t.throws(() => parseAddressRanges('10.0.0.0/8,::1,10.0.0.300,::2'), third);
	t.is(parseAddressRanges(' 10.0.0.0/8 , ::1'), '10.0.0.0/8,::1');
});
