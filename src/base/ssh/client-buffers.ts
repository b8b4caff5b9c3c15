// Frees the buffers of a connection that we have opened, as soon as nobody needs them. ssh2 makes a new buffer for each step
// of each packet, so that a file of 100 MB leaves several hundred MB of them, of which V8 would keep up to 64 MB at a time.

import type { Socket } from 'node:net';
import type { Client, SFTPWrapper } from 'ssh2';
import { giveBack } from '../threads/buffer-memory.ts';
import { giveBackPacket, ReceivedBuffers } from './received-buffers.ts';

/** The inside of ssh2 that is used here. It is not part of its interface, so another version may lack any of it. */
interface Internals {
	push?(content: Buffer | null): unknown;
	/** The answer that has not arrived whole yet, in a buffer of its own. */
	readonly _pkt?: Buffer;
	readonly _protocol?: { channelData?(channel: number, content: Buffer | string): void };
}

/**
 * Frees what the SFTP session of a client receives and sends, from now on. No result that `sftp` gives to a callback may be
 * a view of what arrived: whoever gets a handle copies it within the callback, and content is read into buffers of the
 * caller.
 */
export function freeClientBuffers(client: Client, sftp: SFTPWrapper, socket: Socket): void {
	const inside = sftp as unknown as Internals;
	const { push } = inside;
	const protocol = inside._protocol;
	if (push === undefined || protocol?.channelData === undefined) return;
	const receiver = { receivedChunks: 0, keepsChunks: false };
	inside.push = (content) => {
		const begun = inside._pkt;
		const taken = push.call(sftp, content);
		if (content === null) return taken;
		receiver.receivedChunks += 1;
		giveBackPacket(content);
		// The answer that had begun is complete now, and was given to whoever waits for it.
		if (begun !== undefined && inside._pkt !== begun) giveBack(begun);
		return taken;
	};
	const channelData = protocol.channelData.bind(protocol);
	protocol.channelData = (channel, content) => {
		channelData(channel, content);
		// A request that is sent as a whole was copied into its packet. Of one that is sent in parts the rest is still needed.
		if (typeof content !== 'string') giveBack(content);
	};
	const received = new ReceivedBuffers(client, () => [receiver]);
	// ssh2 has added its own listener before, so that it has read the bytes.
	socket.on('data', (bytes: Buffer) => void received.passed(bytes));
}
