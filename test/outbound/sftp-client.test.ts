import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import type { Algorithms } from 'ssh2';
import { openSftpSession, readHostKey, type SftpConnectOptions } from '../../src/base/outbound/sftp/sftp-client.ts';
import type { SftpPartner } from '../../src/base/outbound/sftp/sftp-partner.ts';
import { Secret } from '../../src/base/settings/secret.ts';
import { type PlainPartner, plainUser, startPlainPartner, type Whims } from '../helpers/plain-partner.ts';
import { startSshd } from '../helpers/sftp-partner.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const sshdTest = testNeeding('sshd (openssh-server)');

const here: SftpConnectOptions = { resolve: async () => [{ address: '127.0.0.1', family: 4 }] };

function plain(
	{ port, hostKey }: Pick<PlainPartner, 'port' | 'hostKey'>,
	more: Partial<SftpPartner> = {},
): SftpPartner {
	const { userName, password } = plainUser;
	return { host: 'partner', port, userName, password: new Secret(password), hostKeys: [hostKey], ...more };
}

const isUnreachable = (what: string) => ({ message: `System error: unexpected condition: ${what}` });
const WRONG_KEY = `SHA256:${'A'.repeat(43)}`;

sshdTest('OpenSSH is reached by any of its host keys, with keys of both kinds', async (t) => {
	const partner = await startSshd(t);
	for (const kind of ['ed25519', 'rsa', 'ecdsa'] as const) {
		const session = await openSftpSession(
			{
				...{ host: 'partner', port: partner.port, userName: partner.userName },
				...{
					privateKey: new Secret(partner.keys[kind === 'rsa' ? 'rsa' : 'ed25519']),
					hostKeys: [partner.hostKeys[kind]],
				},
			},
			here,
		);
		t.is(session.hostKey, partner.hostKeys[kind]);
		t.true((await session.findAttributes('.'))?.isDirectory());
		t.is(await session.findAttributes('none'), undefined);
		session.end();
	}
	t.true(Object.values(partner.hostKeys).includes(await readHostKey({ host: 'partner', port: partner.port }, here)));
});

test('a host with another key is told neither user name nor password', async (t) => {
	const partner = await startPlainPartner(t);
	const asked = plain(partner, { hostKeys: [WRONG_KEY] });
	await t.throwsAsync(() => openSftpSession(asked, here), isUnreachable('host: its key is not the expected one'));
	t.is(await readHostKey(asked, here), partner.hostKey);
	t.deepEqual(partner.logins, []);
	const session = await openSftpSession(plain(partner, { hostKeys: [WRONG_KEY, partner.hostKey] }), here);
	session.end();
	t.deepEqual(partner.logins, ['none agency', `password agency ${plainUser.password}`]);
});

test('without an expected key the first one is taken and told', async (t) => {
	const partner = await startPlainPartner(t);
	const session = await openSftpSession(plain(partner, { hostKeys: [] }), here);
	t.is(session.hostKey, partner.hostKey);
	session.end();
});

test('a host that asks in words is given the password, once', async (t) => {
	const partner = await startPlainPartner(t, { methods: ['keyboard-interactive'] });
	(await openSftpSession(plain(partner), here)).end();
	const failing = openSftpSession(plain(partner, { password: new Secret('wrong') }), here);
	await t.throwsAsync(failing, isUnreachable('host: the password was not accepted'));
	const [first, ...rest] = partner.logins.filter((login) => login.startsWith('keyboard'));
	t.is(first, `keyboard-interactive agency ${plainUser.password}`);
	t.deepEqual(rest, ['keyboard-interactive agency wrong']);
});

test('an RSA key never signs with SHA-1, whatever the host says it takes', async (t) => {
	const partner = await startPlainPartner(t, { methods: ['publickey'] });
	const { privateKey } = generateKeyPairSync('rsa', {
		modulusLength: 2048,
		publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
		privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
	});
	const login = plain(partner, { privateKey: new Secret(privateKey), password: undefined });
	(await openSftpSession(login, here)).end();
	const [first, ...rest] = partner.logins;
	t.is(first, 'none agency');
	t.deepEqual(new Set(rest), new Set(['publickey agency sha512']));
});

const refused = test.macro({
	async exec(t, whims: Whims, more: Partial<SftpPartner>, what: string) {
		const partner = await startPlainPartner(t, whims);
		const error = await t.throwsAsync(openSftpSession(plain(partner, more), here), isUnreachable(what));
		t.false(JSON.stringify([error, (error as Error).message, String((error as Error).cause)]).includes('hunter2'));
	},
	title: (title, _whims, _more, what) => title ?? `told as: ${what}`,
});
test(refused, {}, { password: new Secret('hunter2') }, 'host: the password was not accepted');
test(refused, { methods: ['publickey'] }, {}, 'host: asks for credentials that were not given');
const weak = {
	'a key exchange with SHA-1': { kex: ['diffie-hellman-group14-sha1'] },
	'CBC alone': { cipher: ['aes128-cbc'] },
	'SHA-1 for integrity': { cipher: ['aes128-ctr'], hmac: ['hmac-sha1'] },
} as unknown as Record<string, Algorithms>;
for (const [name, algorithms] of Object.entries(weak)) {
	test(`a host with ${name} is refused`, refused, { algorithms }, {}, 'host: has no algorithms that are safe enough');
}

async function startRaw(t: ExecutionContext, greeting: string): Promise<number> {
	const server = createServer((socket) => socket.on('error', () => {}).write(greeting)).listen(0, '127.0.0.1');
	await once(server, 'listening');
	t.teardown(() => server.close());
	return (server.address() as AddressInfo).port;
}

test('what is no SSH server, is not there, or never answers', async (t) => {
	const hostKeys: string[] = [];
	const http = plain({
		port: await startRaw(t, `HTTP/1.1 400 Bad Request\r\n\r\n${'x'.repeat(100_000)}`),
		hostKey: '',
	});
	const isNone = isUnreachable('host: is no SSH server, or ended the handshake');
	await t.throwsAsync(openSftpSession({ ...http, hostKeys }, here), isNone);
	const silent = plain({ port: await startRaw(t, ''), hostKey: '' });
	const error = await t.throwsAsync(openSftpSession({ ...silent, hostKeys }, { ...here, connectMs: 300 }));
	t.is((error as { reason?: string }).reason, 'request-timed-out');
	const closed = { ...silent, hostKeys, port: 1 };
	await t.throwsAsync(openSftpSession(closed, here), isUnreachable('host: the connection was refused'));
});

test('an attempt that is given up ends with its reason', async (t) => {
	const silent = plain({ port: await startRaw(t, ''), hostKey: '' });
	const controller = new AbortController();
	const opening = openSftpSession({ ...silent, hostKeys: [] }, { ...here, signal: controller.signal });
	setTimeout(() => controller.abort(new Error('enough')), 100);
	await t.throwsAsync(opening, { message: 'enough' });
});

test('requests fail when the partner drops the connection, and when it does not answer', async (t) => {
	const partner = await startPlainPartner(t, { isDeaf: true });
	const session = await openSftpSession(plain(partner), { ...here, idleMs: 300 });
	const handle = await session.request<Buffer>((sftp, done) => sftp.open('in/a', 'w', done));
	const write = () => session.request((sftp, done) => sftp.write(handle, Buffer.from('a'), 0, 1, 0, done));
	const error = await t.throwsAsync(write());
	t.is((error as { reason?: string }).reason, 'request-timed-out');
	t.false(session.isAlive);
	await t.throwsAsync(write());

	const other = await openSftpSession(plain(partner), here);
	const waiting = other.request((sftp, done) => sftp.write(handle, Buffer.from('a'), 0, 1, 0, done));
	setTimeout(() => partner.drop(), 50);
	await t.throwsAsync(waiting, isUnreachable('host: the connection broke off'));
});
