import { Writable } from 'node:stream';
import test from 'ava';
import { openFlag, packetType, statusCode } from '../../src/doors/sftp/protocol/packet.ts';
import { SaidAside, showsCodesOnly } from '../../src/doors/sftp/ssh/said-aside.ts';
import { startSession, statusOf } from './raw-session.ts';
import * as packets from './request-packets.ts';

/** Opens the stderr of a channel. If it is not `isOpen`, its client reads on only when it is told to. */
function openStderr({ isOpen = true } = {}) {
	const said: string[] = [];
	let proceed = () => {};
	const stderr = new Writable({
		write(chunk: Buffer, _, done) {
			said.push(chunk.toString());
			if (isOpen) done();
			else proceed = done;
		},
	});
	return { stderr, said, proceed: () => proceed() };
}

const atRest = { isRekeying: () => false };

test('clients that show the texts of replies are not told them twice', (t) => {
	const codesOnly = ['OpenSSH_9.2p1 Debian-2', 'OpenSSH_for_Windows_9.5', 'PuTTY_Release_0.78', 'PuTTY_Snapshot_2024'];
	for (const each of codesOnly) t.true(showsCodesOnly(each), each);
	for (const each of ['WinSCP_release_6.3', 'libssh2_1.10.0', 'FileZilla_3.63.0', 'paramiko_2.12.0', '']) {
		t.false(showsCodesOnly(each), each);
	}
});

test('what was refused is said aside as well as in the reply, and a look that finds nothing is not', async (t) => {
	const { stderr, said } = openStderr();
	const raw = startSession({ aside: new SaidAside(stderr, atRest) });
	raw.send(packets.init, packets.onPath(packetType.stat, 1, '/in/none'));
	t.is(statusOf(await raw.reply(1)).code, statusCode.noSuchFile);
	t.deepEqual(said, []);
	raw.send(packets.open(2, '/in/none', openFlag.read));
	const { message } = statusOf(await raw.reply(2));
	t.true(message.length > 0);
	t.deepEqual(said, [`${message}\r\n`]);
});

test('one text waits for a client that reads none, and nothing is said while keys are exchanged', (t) => {
	const { stderr, said, proceed } = openStderr({ isOpen: false });
	const transport = { rekeying: false, isRekeying: () => transport.rekeying };
	const aside = new SaidAside(stderr, transport);
	for (let index = 0; index < 1000; index += 1) aside.say('refused');
	t.is(stderr.writableLength, 'refused\r\n'.length);
	proceed();
	transport.rekeying = true;
	aside.say('lost');
	transport.rekeying = false;
	aside.say('heard');
	t.deepEqual(said, ['refused\r\n', 'heard\r\n']);
});

test('a client that fails over and over is told why a hundred times', (t) => {
	const { stderr, said } = openStderr();
	const aside = new SaidAside(stderr, atRest);
	for (let index = 0; index < 1000; index += 1) aside.say('refused');
	t.is(said.length, 100);
});
