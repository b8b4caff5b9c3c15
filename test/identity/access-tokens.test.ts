import { execFileSync } from 'node:child_process';
import { constants, publicEncrypt, randomUUID, X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { type Identity, openIdentity } from '../../src/people/identity/identity.ts';
import { databases } from '../helpers/database.ts';
import { createAccount, HOUR_MS, type IdentityParts, MINUTE_MS, openIdentityParts } from '../helpers/identity-parts.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const opensslTest = testNeeding('openssl and xxd');

const OPERATOR = 'operator test';
const newGuid = () => randomUUID().replaceAll('-', '');

async function certificateOf(identity: Identity): Promise<X509Certificate> {
	return new X509Certificate((await identity.certificates.current()).certificate);
}

function encrypt(certificate: X509Certificate, text: string): string {
	const options = { key: certificate.publicKey, padding: constants.RSA_PKCS1_PADDING };
	return publicEncrypt(options, Buffer.from(text, 'utf8')).toString('hex').toUpperCase();
}

/** Opens a caller that makes access tokens as its program would (spec §5.3). */
async function openCaller(parts: IdentityParts) {
	const account = await createAccount(parts, 'agency');
	const certificate = await certificateOf(parts.identity);
	const inMinutes = (minutes: number) => new Date(parts.clock.now().getTime() + minutes * MINUTE_MS).toISOString();
	const token = (expiration = inMinutes(10), { key = account.text, guid = newGuid() } = {}) =>
		encrypt(certificate, `${key}#${guid}#${expiration}`);
	const use = (secret: string, identity = parts.identity) => identity.authenticate({ kind: 'access-token', secret });
	return { ...account, certificate, inMinutes, token, use };
}

for (const dialect of databases) {
	test(`spec §5.3.1: an access token works once, in either case of hex (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { token, use, principal, text, inMinutes } = await openCaller(parts);
		const upper = token();
		t.regex(upper, /^[0-9A-F]{768}$/);
		t.like(await use(upper), { userId: 'agency', method: 'access-token', apiKeyId: principal.apiKeyId });
		t.is(await use(upper), null);
		t.is(await use(upper.toLowerCase()), null);
		const lower = token().toLowerCase();
		t.not(await use(lower), null);
		t.is(await use(lower.toUpperCase()), null);
		// The same pair of key and GUID encrypted anew is the same token, whatever it looks like and whenever it ends.
		const guid = newGuid();
		t.not(await use(token(inMinutes(5), { guid })), null);
		t.is(await use(token(inMinutes(50), { guid: guid.toUpperCase() })), null);
		t.not(await use(token(undefined, { guid: newGuid(), key: text })), null);
		const password = token();
		t.like(await parts.identity.sftpLogin.byPassword({ userName: 'agency', password }), { method: 'access-token' });
		t.is(await parts.identity.sftpLogin.byPassword({ userName: 'agency', password }), null);
		t.is(await parts.identity.sftpLogin.byPassword({ userName: 'other', password: token() }), null);
	});

	test(`spec §5.3.1: of a hundred uses at once on two daemons, one passes (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { token, use } = await openCaller(parts);
		const other = await parts.anotherDaemon();
		const secret = token();
		const uses = await Promise.all(
			Array.from({ length: 100 }, (_, i) => use(secret, i % 2 ? parts.identity : other.identity)),
		);
		t.is(uses.filter((principal) => principal !== null).length, 1);
	});

	test(`spec §5.3.1: a token lives until its expiry and no longer than an hour ahead (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { token, use, inMinutes } = await openCaller(parts);
		t.not(await use(token(inMinutes(60))), null);
		t.is(await use(token(inMinutes(61))), null);
		t.is(await use(token(new Date(parts.clock.now().getTime() + HOUR_MS + 1_000).toISOString())), null);
		t.is(await use(token(inMinutes(0))), null);
		t.is(await use(token(inMinutes(-1))), null);
		const oneMinute = token(inMinutes(1));
		parts.turn(MINUTE_MS - 1);
		const tooEarly = token(inMinutes(60));
		t.not(await use(oneMinute), null);
		const other = token(inMinutes(1));
		parts.turn(MINUTE_MS);
		t.is(await use(other), null);
		t.not(await use(tooEarly), null);
	});

	test(`notes of spent tokens go once nobody could use them (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { token, use, inMinutes } = await openCaller(parts);
		await use(token(inMinutes(10)));
		parts.turn(11 * MINUTE_MS);
		t.is(await parts.identity.purgeExpired(), 0);
		parts.turn(HOUR_MS);
		t.is(await parts.identity.purgeExpired(), 1);
	});

	test(`spec §5.4.1: a revoked key's tokens are refused, a rotating key's work until its end (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { token, use, account, apiKey } = await openCaller(parts);
		await parts.identity.apiKeys.rotate(account, OPERATOR, { overlapMs: HOUR_MS });
		t.not(await use(token()), null);
		await parts.identity.apiKeys.revoke(account, OPERATOR, apiKey.id);
		t.is(await use(token()), null);
	});

	test(`a renewed certificate and the one before it both work until the old one ends (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { token, use, certificate, inMinutes, text } = await openCaller(parts);
		const untilRenewal = Date.parse(certificate.validTo) - parts.clock.now().getTime() - 90 * 24 * HOUR_MS;
		parts.turn(untilRenewal - MINUTE_MS);
		t.is((await certificateOf(parts.identity)).fingerprint256, certificate.fingerprint256);
		parts.turn(2 * MINUTE_MS);
		const renewed = await certificateOf(parts.identity);
		t.not(renewed.fingerprint256, certificate.fingerprint256);
		t.not(await use(token()), null);
		t.not(await use(encrypt(renewed, `${text}#${newGuid()}#${inMinutes(5)}`)), null);
		parts.turn(90 * 24 * HOUR_MS);
		t.is(await use(token()), null);
		t.not(await use(encrypt(renewed, `${text}#${newGuid()}#${inMinutes(5)}`)), null);
	});

	test(`a renewal that fails is told once a minute, while the present certificate goes on working (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const certificate = await certificateOf(parts.identity);
		const told: [unknown, string][] = [];
		const failure = new Error('no keys');
		const identity = openIdentity({
			...parts,
			environment: 'sandbox',
			certificateKeys: () => Promise.reject(failure),
			onRenewalFailed: (error, endsAt) => told.push([error, endsAt.toISOString()]),
		});
		parts.turn(Date.parse(certificate.validTo) - parts.clock.now().getTime() - 89 * 24 * HOUR_MS);
		const both = await Promise.all([certificateOf(identity), certificateOf(identity)]);
		for (const each of both) t.is(each.fingerprint256, certificate.fingerprint256);
		t.deepEqual(told, [[failure, new Date(certificate.validTo).toISOString()]]);
		await certificateOf(identity);
		t.is(told.length, 1);
		parts.turn(MINUTE_MS);
		await certificateOf(identity);
		t.is(told.length, 2);
		t.not((await certificateOf(parts.identity)).fingerprint256, certificate.fingerprint256);
		t.not((await certificateOf(identity)).fingerprint256, certificate.fingerprint256);
	});

	test(`two daemons that start at once offer one certificate, and its key is sealed (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const other = await parts.anotherDaemon();
		const [mine, theirs] = await Promise.all([certificateOf(parts.identity), certificateOf(other.identity)]);
		t.is(mine.fingerprint256, theirs.fingerprint256);
		t.like(mine.publicKey.asymmetricKeyDetails, { modulusLength: 3072 });
		t.is(mine.subject, 'CN=Tokendrop sandbox');
		t.true(mine.verify(mine.publicKey));
		t.true(mine.validFromDate < parts.clock.now() && mine.validToDate > parts.clock.now());
		const [key] = await parts.identity.certificates.privateKeys();
		const [row, ...others] = await parts.database.knex('service_certificates');
		t.is(others.length, 0);
		const pkcs8 = key.export({ format: 'der', type: 'pkcs8' });
		t.false(row.sealed_private_key.includes(pkcs8.subarray(400, 432)));
		if (dialect !== 'sqlite') return;
		for (const end of ['', '-wal']) {
			const path = parts.database.url.replace('sqlite:', '') + end;
			if (existsSync(path)) t.false(readFileSync(path).includes(pkcs8.subarray(400, 432)));
		}
		t.is((await parts.database.knex('audit').where({ action: 'certificate.create' })).length, 1);
	});
}

test('spec §5.3.3: every way of writing a UTC time is read, and nothing else', async (t) => {
	const parts = await openIdentityParts(t, 'sqlite');
	const { token, use } = await openCaller(parts);
	const good = [
		...['2026-11-21T12:10:00Z', '2026-11-21T12:10Z', '2026-11-21T12:10:00.123Z', '2026-11-21T12:10:00.1234567Z'],
		...['2026-11-21T12:10:00,5Z', '2026-11-21T12:10:00+00:00', '2026-11-21T12:10:00+0000', '2026-11-21T12:10:00'],
	];
	for (const expiration of good) t.not(await use(token(expiration)), null, expiration);
	const bad = [
		...[
			'',
			'soon',
			'2026-11-21',
			'20261121T121000Z',
			'2026-11-31T12:10:00Z',
			'2026-11-21T24:10:00Z',
			'2026-13-21T12:10:00Z',
		],
		...[
			'2026-11-21T12:10:60Z',
			'2026-11-21T14:10:00+02:00',
			'2026-11-21 12:10:00Z',
			'2026-11-21T12:10:00z',
			'1795263000',
		],
	];
	for (const expiration of bad) t.is(await use(token(expiration)), null, expiration);
});

test('spec §5.3.3, §5.4.1: whatever is no access token is refused alike', async (t) => {
	const parts = await openIdentityParts(t, 'sqlite');
	const { certificate, text, inMinutes, use, token } = await openCaller(parts);
	const guid = newGuid();
	const ten = inMinutes(10);
	const texts = [
		...['', '#', '##', text, `${text}#${guid}`, `${text}#${guid}#${ten}#`, `#${guid}#${ten}`, `${text}##${ten}`],
		...[
			`${text}#${randomUUID()}#${ten}`,
			`${text}#${guid.slice(1)}#${ten}`,
			` ${text}#${guid}#${ten}`,
			`${text} #${guid}#${ten}`,
		],
		...[
			`${text.replace('sandbox', 'production')}#${guid}#${ten}`,
			`${text.slice(0, -1)}#${guid}#${ten}`,
			`${text}#${guid}#${ten}\n`,
		],
	];
	for (const each of texts) t.is(await use(encrypt(certificate, each)), null, each.replace(text, 'KEY'));
	const fine = token();
	const flipped = fine.slice(0, -1) + (fine.endsWith('0') ? '1' : '0');
	for (const secret of [
		'',
		'zz',
		text,
		fine.slice(2),
		`${fine}00`,
		fine.replace(/./, 'G'),
		flipped,
		'F'.repeat(768),
		'0'.repeat(768),
	]) {
		t.is(await use(secret), null, secret.slice(0, 8));
	}
	t.not(await use(fine), null, 'refusals spend nothing');
});

opensslTest('spec §5.3.3: openssl makes a token from the downloaded certificate', async (t) => {
	const parts = await openIdentityParts(t, 'sqlite');
	const { text, use, inMinutes, certificate } = await openCaller(parts);
	const directory = mkdtempSync(join(tmpdir(), 'tokendrop-test-'));
	t.teardown(() => rmSync(directory, { recursive: true }));
	const path = join(directory, 'service.cer');
	writeFileSync(path, certificate.raw);
	execFileSync('openssl', ['x509', '-inform', 'der', '-in', path, '-out', `${path}.pem`]);
	const options = ['-encrypt', '-certin', '-inkey', `${path}.pem`, '-pkeyopt', 'rsa_padding_mode:pkcs1'];
	const token = execFileSync('openssl', ['pkeyutl', ...options], { input: `${text}#${newGuid()}#${inMinutes(10)}` });
	t.like(await use(token.toString('hex').toUpperCase()), { userId: 'agency' });
});
