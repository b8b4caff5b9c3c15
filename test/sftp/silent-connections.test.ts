import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../src/base/clock.ts';
import { defaultDefenderSettings, openDefender } from '../../src/base/defender/defender.ts';
import { startServer, type TestServer } from '../helpers/sftp-server.ts';
import { keyLogin, sftpBatch } from '../helpers/ssh-clients.ts';
import { testNeeding } from '../helpers/test-needing.ts';
import { testOnLinux } from '../helpers/test-on-linux.ts';
import { closeOf, logIn } from './raw-client.ts';

/** Runs a test on Linux only, where all of 127.0.0.0/8 is this machine; elsewhere only 127.0.0.1 is. */
const sshTestOnLinux = process.platform === 'linux' ? testNeeding('OpenSSH (openssh-client)') : test.skip;
const ownBlock = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6'];
const otherBlocks = ['127.0.1.1', '127.0.2.1', '127.0.3.1', '127.0.4.1', '127.0.5.1'];

/** Starts a server that bans as the real one does. */
const start = (t: ExecutionContext, limits = {}) =>
	startServer(t, { limits, defender: openDefender(systemClock, defaultDefenderSettings) });

function connectSilently({ port }: TestServer, localAddress: string, greeting = ''): Socket {
	const socket = connect({ port, host: '127.0.0.1', localAddress });
	socket.on('error', () => {}).resume();
	if (greeting !== '') socket.write(greeting);
	return socket;
}

/** Opens as many connections as the server has places, shared among the addresses; settles when all are open. */
async function takeAllPlaces(t: ExecutionContext, server: TestServer, addresses: readonly string[], greeting: string) {
	const sockets = Array.from({ length: 100 }, (_, index) =>
		connectSilently(server, addresses[index % addresses.length], greeting),
	);
	t.teardown(() => {
		for (const socket of sockets) socket.destroy();
	});
	await Promise.all(sockets.map((socket) => once(socket, 'connect')));
}

const letsIn = test.macro(async (t: ExecutionContext, addresses: readonly string[], greeting: string) => {
	const server = await start(t);
	const login = await keyLogin(server, 'ed25519');
	await takeAllPlaces(t, server, addresses, greeting);
	const outcome = await sftpBatch(server, login, ['ls /']);
	t.is(outcome.code, 0, outcome.stderr);
});
sshTestOnLinux('sftp logs in while 100 silent connections from its own block are open', letsIn, ownBlock, '');
sshTestOnLinux('sftp logs in while 100 silent connections from five other blocks are open', letsIn, otherBlocks, '');
const greeting = 'SSH-2.0-waits\r\n';
sshTestOnLinux('sftp logs in while 100 connections from its own block greet and wait', letsIn, ownBlock, greeting);
sshTestOnLinux(
	'sftp logs in while 100 connections from five other blocks greet and wait',
	letsIn,
	otherBlocks,
	greeting,
);

test('one connection without a login more than there may be takes the place of the oldest', async (t) => {
	const server = await startServer(t, { limits: { maxStartups: 2, reservedStartups: 0 } });
	const first = connectSilently(server, '127.0.0.1');
	await once(first, 'data');
	const second = connectSilently(server, '127.0.0.1');
	await once(second, 'data');
	const firstIsClosed = closeOf(first);
	(await logIn(server)).end();
	await firstIsClosed;
	t.false(second.destroyed);
	second.destroy();
});

testOnLinux('an address that holds more than its share is banned, and others are not', async (t) => {
	const server = await start(t, { maxStartups: 10, reservedStartups: 2, maxStartupsPerAddress: 2 });
	const quiet = connectSilently(server, '127.0.9.1');
	t.teardown(() => void quiet.destroy());
	await once(quiet, 'data');
	for (let turn = 0; turn < 60 && !server.defender.isBanned('127.0.1.1'); turn += 1) {
		const socket = connectSilently(server, '127.0.1.1');
		t.teardown(() => void socket.destroy());
		await once(socket, 'connect');
		await Promise.race([once(socket, 'data'), closeOf(socket)]).catch(() => {});
	}
	t.true(server.defender.isBanned('127.0.1.1'));
	t.false(server.defender.isBanned('127.0.9.1'));
	t.false(quiet.destroyed);
});
