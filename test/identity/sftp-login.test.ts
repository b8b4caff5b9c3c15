import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { parseSshPublicKey, parseSshPublicKeys } from '../../src/people/identity/credentials/ssh-public-key.ts';
import { allPermissions } from '../../src/people/identity/permissions.ts';
import { dialects } from '../helpers/database.ts';
import { createAccount, openIdentityParts } from '../helpers/identity-parts.ts';
import { makeSshKeyLine } from '../helpers/ssh-key-line.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const OPERATOR = 'operator test';
const ed25519 = makeSshKeyLine('ops@agency');
const otherEd25519 = makeSshKeyLine('other');
const blobOf = (line: string) => Buffer.from(line.split(' ')[1], 'base64');

for (const dialect of dialects) {
	test(`a password is an API key or session token of that very user (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const agency = await createAccount(parts, 'agency');
		const other = await createAccount(parts, 'other');
		const session = (await parts.identity.sessionTokens.create(agency.principal)).secret.reveal();
		const login = (userName: string, password: string) => parts.identity.sftpLogin.byPassword({ userName, password });
		t.like(await login('agency', agency.text), { userId: 'agency', method: 'api-key' });
		t.like(await login('agency', session), { userId: 'agency', method: 'session-token' });
		for (const [userName, password] of [
			...[
				['other', agency.text],
				['agency', other.text],
				['other', session],
				['nobody', agency.text],
			],
			...[
				['agency', ''],
				['', agency.text],
				['Agency', agency.text],
				['agency', 'ts_wrong'],
				['agency', 'password'],
			],
			...[
				['agency\0', agency.text],
				['agency', `${agency.text}\0`],
				['\0', '\0'],
				['\ud800', '\ud800'],
				['agency', 'f'.repeat(768)],
				['agency', `ts_${'A'.repeat(43)}`],
			],
		]) {
			t.is(await login(userName, password), null, `${userName} ${password.slice(0, 12)}`);
		}
	});

	test(`a registered SSH key logs in with the permissions it was given (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { account } = await createAccount(parts, 'agency');
		const other = await createAccount(parts, 'other');
		const { sshKeys, sftpLogin } = parts.identity;
		const key = parseSshPublicKey(ed25519);
		await sshKeys.add(account, OPERATOR, key);
		const login = (userName: string, line: string) => sftpLogin.byPublicKey({ userName, key: blobOf(line) });
		t.like(await login('agency', ed25519), { userId: 'agency', method: 'ssh-key', apiKeyId: undefined });
		t.false((await login('agency', ed25519))!.permissions.has('FileDetokenize'));
		t.is(await login('other', ed25519), null);
		for (const userName of ['nobody', '', 'agency\0', '\0', '\ud800', 'x'.repeat(100_000)]) {
			t.is(await login(userName, ed25519), null);
		}
		t.is(await login('agency', otherEd25519), null);
		t.is(await sftpLogin.byPublicKey({ userName: 'agency', key: Buffer.alloc(0) }), null);

		await t.throwsAsync(sshKeys.add(account, OPERATOR, key), { message: /already/ });
		await sshKeys.add(other.account, OPERATOR, key, allPermissions);
		t.true((await login('other', ed25519))!.permissions.has('FileDetokenize'));
		t.deepEqual(
			(await sshKeys.list(account)).map((each) => each.comment),
			['ops@agency'],
		);

		await sshKeys.remove(account, OPERATOR, key.fingerprint);
		t.is(await login('agency', ed25519), null);
		t.not(await login('other', ed25519), null);
		await t.throwsAsync(sshKeys.remove(account, OPERATOR, key.fingerprint), { message: /no such SSH key/ });
		const actions = await parts.database.knex('audit').where('action', 'like', 'ssh-key.%').pluck('action');
		t.deepEqual(actions, ['ssh-key.add', 'ssh-key.add', 'ssh-key.remove']);
	});
}

testNeeding('OpenSSH (openssh-client)')('fingerprints are those that ssh-keygen shows', (t) => {
	const directory = mkdtempSync(join(tmpdir(), 'tokendrop-test-'));
	t.teardown(() => rmSync(directory, { recursive: true }));
	for (const options of ['-t ed25519', '-t rsa -b 3072', '-t ecdsa -b 256', '-t ecdsa -b 384', '-t ecdsa -b 521']) {
		const path = join(directory, options.replaceAll(' ', '_'));
		execFileSync('ssh-keygen', [...options.split(' '), '-q', '-N', '', '-C', 'a comment', '-f', path]);
		const shown = execFileSync('ssh-keygen', ['-l', '-f', `${path}.pub`], { encoding: 'utf8' });
		const key = parseSshPublicKey(readFileSync(`${path}.pub`, 'utf8'));
		t.true(shown.includes(`${key.fingerprint} a comment`), `${options}: ${shown}`);
	}
});

test('a file may hold several keys with comments and empty lines between', (t) => {
	const keys = parseSshPublicKeys(`# of the agency\r\n\r\n${ed25519}\r\n${otherEd25519}\n`);
	t.deepEqual(
		keys.map((key) => key.blob),
		[blobOf(ed25519), blobOf(otherEd25519)],
	);
});

function wireKey(...parts: (string | Buffer)[]): string {
	const strings = parts.map((part) => Buffer.from(part as string));
	const blob = Buffer.concat(
		strings.flatMap((part) => [Buffer.from(Uint32Array.of(part.length).buffer).swap32(), part]),
	);
	return `${parts[0]} ${blob.toString('base64')}`;
}
const modulusOf = (bits: number) => Buffer.concat([Buffer.of(0, 0xff), Buffer.alloc(bits / 8 - 1, 0x5a)]);
const EXPONENT = Buffer.of(1, 0, 1);

const refusals = {
	'an RSA key of 1024 bits': [wireKey('ssh-rsa', EXPONENT, modulusOf(1024)), /2048/],
	'an RSA key of 2040 bits': [wireKey('ssh-rsa', EXPONENT, modulusOf(2040)), /2048/],
	'an ssh-dss key': [wireKey('ssh-dss', Buffer.alloc(128, 1), EXPONENT, EXPONENT, EXPONENT), /ssh-dss is not accepted/],
	'a key whose name is not that of its content': [ed25519.replace('ssh-ed25519', 'ecdsa-sha2-nistp256'), /damaged/],
	'a key that was cut off': [
		ed25519
			.split(' ')
			.map((part) => part.slice(0, 40))
			.slice(0, 2)
			.join(' '),
		/damaged/,
	],
	'an Ed25519 key of another length': [wireKey('ssh-ed25519', Buffer.alloc(31)), /damaged/],
	'a key with something behind it': [wireKey('ssh-ed25519', Buffer.alloc(32), 'more'), /damaged/],
	'a certificate': [wireKey('ssh-ed25519-cert-v01@openssh.com', Buffer.alloc(32)), /not accepted/],
	'options before the key': [`command="ls" ${ed25519}`, /expected an OpenSSH public key/],
	'a private key': ['-----BEGIN OPENSSH PRIVATE KEY-----', /private key/],
	nothing: ['', /expected/],
} as const;
for (const [name, [line, message]] of Object.entries(refusals)) {
	test(`${name} is refused`, (t) => {
		t.throws(() => parseSshPublicKeys(line), { message });
	});
}

test('an RSA key of 2048 bits is the shortest that is accepted', (t) => {
	t.is(parseSshPublicKey(wireKey('ssh-rsa', EXPONENT, modulusOf(2048))).algorithm, 'ssh-rsa');
});
