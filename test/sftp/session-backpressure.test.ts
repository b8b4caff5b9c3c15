import test from 'ava';
import { defaultSftpLimits } from '../../src/doors/sftp/limits.ts';
import { maxPacketBytes, maxTransferBytes, openFlag, packetType } from '../../src/doors/sftp/protocol/packet.ts';
import { MemoryTree } from '../helpers/memory-tree.ts';
import { forWriting, openFile, settle, startSession } from './raw-session.ts';
import * as packets from './request-packets.ts';

const channelReadAhead = 2 * 1024 * 1024 + maxPacketBytes;

test('a flood of WRITEs at a slow tree is held back at the limit', async (t) => {
	const gate = Promise.withResolvers<void>();
	const tree = new MemoryTree({ beforeTransfer: () => gate.promise });
	const raw = startSession({ tree });
	const handle = await openFile(raw, '/in/a', forWriting);
	const packet = packets.write(2, handle, 0, Buffer.alloc(200_000, 1));
	let sentBytes = 0;
	for (let turn = 0; turn < 2000 && raw.channel.push(packet); turn += 1) {
		sentBytes += packet.length;
		await new Promise((resolve) => setImmediate(resolve));
	}
	const bound = defaultSftpLimits.maxUnansweredBytes + channelReadAhead + packet.length;
	t.true(raw.session.heldBytes <= bound, `${raw.session.heldBytes} bytes held`);
	t.true(raw.channel.isPaused());
	gate.resolve();
	await settle();
	await settle();
	t.is(
		raw.replies().filter(({ type, id }) => type === packetType.status && id === 2).length,
		Math.ceil(sentBytes / packet.length) + 1,
	);
	t.true(raw.session.heldBytes < maxPacketBytes);
});

test('sixteen thousand pipelined READs of a client that does not read are held back at the limit', async (t) => {
	const tree = new MemoryTree();
	tree.put('/out/big', Buffer.alloc(8 * 1024 * 1024, 3));
	const raw = startSession({ tree });
	const handle = await openFile(raw, '/out/big', openFlag.read);
	raw.channel.windowBytes = 0;
	const count = 16_000;
	raw.send(Buffer.concat(Array.from({ length: count }, (_, id) => packets.read(id + 10, handle, 0, maxTransferBytes))));
	await settle();
	const requestBytes = count * packets.read(1, handle, 0, 1).length;
	const bound = defaultSftpLimits.maxQueuedReplyBytes + 2 * maxPacketBytes + requestBytes;
	t.true(raw.session.heldBytes <= bound, `${raw.session.heldBytes} bytes held`);
	raw.channel.openWindow(40 * maxTransferBytes);
	await settle();
	const answered = raw.replies().length;
	t.true(answered >= 38 && answered < 60, `${answered} replies with a window for 40`);
	t.true(raw.session.heldBytes <= bound);
});

test('replies to a flood of small requests wait within the limit too', async (t) => {
	const raw = startSession();
	raw.send(packets.init);
	raw.channel.windowBytes = 0;
	const flood = Buffer.concat(Array.from({ length: 30_000 }, (_, id) => packets.onPath(packetType.realpath, id, 'a')));
	for (let turn = 0; turn < 50 && raw.channel.push(flood); turn += 1) await settle();
	const bound = defaultSftpLimits.maxQueuedReplyBytes + channelReadAhead + 2 * flood.length;
	t.true(raw.session.heldBytes <= bound, `${raw.session.heldBytes} bytes held`);
});

test('a flood of small requests leaves turns of the event loop to others', async (t) => {
	const raw = startSession();
	const count = 20_000;
	raw.send(packets.init);
	const flood = Buffer.concat(Array.from({ length: count }, (_, id) => packets.onPath(packetType.realpath, id, 'a')));
	for (let at = 0; at < flood.length; at += 32 * 1024) raw.send(flood.subarray(at, at + 32 * 1024));
	let turns = 0;
	while (raw.replies().length < count + 1) {
		turns += 1;
		await new Promise((resolve) => setImmediate(resolve));
	}
	t.true(turns >= count / defaultSftpLimits.maxOutstandingRequests, `${turns} turns`);
});
