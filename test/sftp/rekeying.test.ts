import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import test from 'ava';
import { Rekeying } from '../../src/doors/sftp/ssh/rekeying.ts';

const limits = { rekeyBytes: 1000, rekeyAfterMs: 60_000, maxChannels: 1 };

function start() {
	const client = Object.assign(new EventEmitter(), { asked: 0, rekey: () => void (client.asked += 1) });
	const socket = { bytesRead: 0 };
	const seen = { nowMs: 0, finished: 0, stuck: 0 };
	const rekeying = new Rekeying({
		client: client as never,
		socket: socket as Socket,
		limits,
		nowMs: () => seen.nowMs,
		onFinished: () => void (seen.finished += 1),
		onStuck: () => void (seen.stuck += 1),
	});
	return { client, socket, seen, rekeying };
}

test('bytes in both directions count towards new keys', (t) => {
	const { client, socket, rekeying } = start();
	socket.bytesRead = 600;
	rekeying.sent(399);
	t.is(client.asked, 0);
	rekeying.sent(1);
	t.is(client.asked, 1);
	t.true(rekeying.isRekeying());
});

test('new keys are asked for after a while without many bytes', (t) => {
	const { client, seen, rekeying } = start();
	seen.nowMs = 59_999;
	rekeying.check();
	t.is(client.asked, 0);
	seen.nowMs = 60_000;
	rekeying.check();
	t.is(client.asked, 1);
});

test('an exchange that ends, whoever began it, starts the count anew', (t) => {
	const { client, socket, seen, rekeying } = start();
	rekeying.sent(1000);
	client.emit('rekey');
	t.false(rekeying.isRekeying());
	t.is(seen.finished, 1);
	rekeying.sent(900);
	client.emit('rekey');
	rekeying.sent(900);
	socket.bytesRead += 99;
	rekeying.check();
	t.is(client.asked, 1);
});

test('a client that sends on without answering is given up after its windows are used', (t) => {
	const { socket, seen, rekeying } = start();
	rekeying.sent(1000);
	socket.bytesRead = 4 * 1024 * 1024;
	rekeying.check();
	t.is(seen.stuck, 0);
	socket.bytesRead = 9 * 1024 * 1024;
	rekeying.check();
	t.is(seen.stuck, 1);
});

test('a client that answers nothing is given up after a minute', (t) => {
	const { seen, rekeying } = start();
	rekeying.sent(1000);
	seen.nowMs = 60_001;
	rekeying.check();
	t.is(seen.stuck, 1);
});

test('a client that was not read for a while has its time to answer anew', (t) => {
	const { socket, seen, rekeying } = start();
	socket.bytesRead = 1000;
	rekeying.check();
	seen.nowMs = 60_000;
	rekeying.excuse();
	seen.nowMs = 120_000;
	rekeying.check();
	t.is(seen.stuck, 0);
	seen.nowMs = 120_001;
	rekeying.check();
	t.is(seen.stuck, 1);
});
