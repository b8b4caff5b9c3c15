import { connect, type Socket } from 'node:net';
import test from 'ava';
import type { ConnectConfig } from 'ssh2';
import { systemClock } from '../../src/base/clock.ts';
import { defaultDefenderSettings, openDefender } from '../../src/base/defender/defender.ts';
import { ssh2 } from '../../src/base/ssh/ssh2.ts';
import { demoUser, startServer, type TestServer } from '../helpers/sftp-server.ts';
import { keyLogin, passwordLogin, sftp } from '../helpers/ssh-clients.ts';
import { testNeeding } from '../helpers/test-needing.ts';
import { until } from '../helpers/until.ts';
import { byPassword, closeOf, logIn } from './raw-client.ts';

test('a connection is ended after too many tries, each answered no sooner than the delay', async (t) => {
	const server = await startServer(t, { limits: { maxLoginTries: 3, failedLoginDelayMs: 150 } });
	const client = new ssh2.Client();
	let tries = 0;
	const beganMs = performance.now();
	const told: string[] = [];
	client.on('error', ({ message }) => told.push(message));
	client.connect({
		host: '127.0.0.1',
		port: server.port,
		username: demoUser.userName,
		authHandler: () => {
			tries += 1;
			return { type: 'password', username: demoUser.userName, password: 'wrong-password' };
		},
	} as ConnectConfig);
	await closeOf(client);
	t.is(server.log.filter(({ message }) => message === 'sftp login refused').length, 3);
	t.true(performance.now() - beganMs >= 440);
	t.true(tries <= 4);
	t.is(told[0], 'too many login tries on one connection');
	t.false(JSON.stringify(server.log).includes('wrong-password'));
});

test('an address that failed too often is turned away before it can try again', async (t) => {
	const defender = openDefender(systemClock, { ...defaultDefenderSettings, scoreLimit: 10 });
	const server = await startServer(t, { defender, limits: { maxLoginTries: 2 } });
	const wrong = { ...byPassword, password: 'wrong' };
	for (const user of ['one', 'two']) await t.throwsAsync(logIn(server, { ...wrong, username: user }));
	t.true(defender.isBanned('127.0.0.1'));
	await t.throwsAsync(logIn(server));
});

test('a client that never logs in is cut off when its time is over', async (t) => {
	const server = await startServer(t, { limits: { loginGraceMs: 200 } });
	const socket = connectSilently(server);
	socket.resume();
	await closeOf(socket);
	t.is(server.sessions(), 0);
});

function connectForBanner(server: TestServer) {
	const client = new ssh2.Client();
	const banner = new Promise<string>((resolve) => client.on('banner', resolve));
	client.on('error', () => {});
	client.connect({ host: '127.0.0.1', port: server.port, ...byPassword });
	return { client, banner };
}

test('while logins are decided, there is no banner', async (t) => {
	const server = await startServer(t);
	const { client, banner } = connectForBanner(server);
	const ready = new Promise<string>((resolve) => client.on('ready', () => resolve('ready')));
	t.is(await Promise.race([banner, ready]), 'ready');
	client.end();
});

/** Opens a connection that does not speak SSH, and that the server may therefore reset. */
function connectSilently(server: TestServer): Socket {
	return connect(server.port, '127.0.0.1').on('error', () => {});
}

test('one session more than a user may have is refused, and whoever has the credential is told why', async (t) => {
	const server = await startServer(t, { limits: { maxSessionsPerAccount: 1 } });
	const first = await logIn(server);
	await t.throwsAsync(logIn(server), { message: 'too many sessions are open: end one, or try again later' });
	await t.throwsAsync(logIn(server, { ...byPassword, password: 'wrong' }), {
		message: /authentication methods failed/,
	});
	first.end();
	await until('the first session to end', () => server.sessions() === 0);
	(await logIn(server)).end();
});

test('a login that cannot be decided is refused, and the reason is only logged', async (t) => {
	const down = async () => {
		throw new Error('database away');
	};
	const reported: string[] = [];
	const defender = { isBanned: () => false, report: (_: string, event: string) => void reported.push(event) };
	const noteRefusal = () => t.fail('what could not be decided is no failed login');
	const identity = { byPassword: down, byPublicKey: down, noteLogin: down, noteRefusal };
	const server = await startServer(t, { defender, identity });
	await t.throwsAsync(logIn(server), { message: /authentication methods failed/ });
	t.is(server.log.find(({ level }) => level === 'error')?.message, 'sftp login could not be decided');
	t.is(server.log.filter(({ message }) => message.includes('temporarily unavailable')).length, 1);
	// From now on clients are told of the outage before they log in.
	const { client, banner } = connectForBanner(server);
	t.regex(await banner, /^temporarily unavailable/);
	client.end();
	t.is(server.log.find(({ message }) => message === 'sftp login refused')?.fields.reason, 'not decided');
	t.deepEqual(reported, []);
	t.false(JSON.stringify(server.log).includes(demoUser.password));
});

testNeeding('OpenSSH (openssh-client)')(
	'OpenSSH shows that there are too many sessions, or were too many tries',
	async (t) => {
		const server = await startServer(t, { limits: { maxSessionsPerAccount: 1, maxLoginTries: 1 } });
		const asking = await passwordLogin(server, 'wrong');
		// Of several values of an option the first one counts.
		const wrong = await sftp(server, { ...asking, args: ['-o', 'NumberOfPasswordPrompts=3', ...asking.args] }, ['pwd']);
		t.regex(wrong.stderr, /too many login tries on one connection/);
		const first = await logIn(server);
		const second = await sftp(server, await keyLogin(server, 'ed25519'), ['pwd']);
		t.regex(second.stderr, /too many sessions are open: end one, or try again later/);
		first.end();
	},
);
