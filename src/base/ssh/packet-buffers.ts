// Frees the buffers in which the bytes of the other side arrive as soon as nobody needs them: those of the socket, and those
// in which ssh2 assembles a packet. Otherwise V8 would keep up to 64 MB of them until its next collection.

import type { Socket } from 'node:net';
import type { Client, Connection, SFTPWrapper } from 'ssh2';
import { giveBack } from '../threads/buffer-memory.ts';

/**
 * The fields in which ssh2 keeps its state while it reads. They are not part of its interface, so another version may
 * lack any of them.
 */
interface Internals {
	readonly _protocol?: { readonly _decipher?: { readonly inSeqno?: number; readonly _packet?: Uint8Array | null } };
}

interface Receiver {
	/** The number of chunks of content that it has got so far. */
	readonly receivedChunks: number;
	/** Whether it still needs a chunk that it has got. */
	readonly keepsChunks: boolean;
}

/**
 * Frees the buffers that the socket of one connection has read. ssh2 decrypts in place, so that its packets are views
 * of those buffers. A buffer is freed only if every packet in it was content of a channel, and the receiver of the
 * channel has copied it.
 */
export class ReceivedBuffers {
	readonly #client: Internals;
	readonly #sessions: () => Iterable<Receiver>;
	#packets: number | undefined;
	#chunks = 0;
	#keptBefore = false;

	constructor(client: Client | Connection, sessions: () => Iterable<Receiver>) {
		this.#client = client as Internals;
		this.#sessions = sessions;
	}

	/** Handles a buffer of the socket after ssh2 has read it. Returns true if the buffer was freed. */
	passed(bytes: Buffer): boolean {
		const decipher = this.#client._protocol?._decipher;
		let chunks = 0;
		let isKept = false;
		for (const session of this.#sessions()) {
			chunks += session.receivedChunks;
			isKept ||= session.keepsChunks;
		}
		const newChunks = chunks - this.#chunks;
		const newPackets = (decipher?.inSeqno ?? Number.NaN) - (this.#packets ?? Number.NaN);
		this.#chunks = chunks;
		this.#packets = decipher?.inSeqno;
		const keptBefore = this.#keptBefore;
		this.#keptBefore = isKept;
		// A chunk that has waited since an earlier buffer is counted only now, as if it had come in this buffer. The two
		// counts could then be equal although this buffer also has a packet that is no content of a channel, such as the
		// beginning of a key exchange. ssh2 keeps such a packet, so the buffer must not be freed.
		if (isKept || keptBefore || newChunks !== newPackets) return false;
		// ssh2 keeps a packet that is not complete yet either as a copy, or as a view of this buffer. In the second case
		// the buffer must not be freed.
		if (decipher?._packet === undefined || decipher._packet?.buffer === bytes.buffer) return false;
		giveBack(bytes);
		return true;
	}
}

/** In the buffer of a packet, a byte with the length of the padding and nine bytes of header precede the content. */
const contentOffset = 10;

/**
 * Frees the buffer in which ssh2 assembled a packet, given the channel content of the packet. It does so only if the
 * buffer holds nothing but this packet: it begins with the packet and ends with its padding.
 */
export function giveBackPacket(content: Uint8Array): void {
	if (content.byteOffset !== contentOffset) return;
	const packet = new Uint8Array(content.buffer);
	if (packet.length - contentOffset - content.length === packet[0]) giveBack(packet);
}

// Frees the buffers of the packets that a connection sends. ssh2 allocates a buffer for each packet and never uses it
// again. If V8 had to free them, a download would leave as much garbage as the file is long, and V8 would mark the whole
// heap again for every few megabytes of it: that took half of the processor time of a download.

/** Smaller packets are left to V8, because to be told when each of them was sent would cost more than that. */
const LEAST_FOLLOWED_BYTES = 16 * 1024;

/**
 * Makes a socket free each large buffer as soon as it has sent it, or has been closed instead. Whoever writes to the
 * socket must be the only user of what he writes. It is called before ssh2 gets the socket.
 */
export function freeSentBuffers(socket: Socket): void {
	const write = socket.write.bind(socket) as (...given: unknown[]) => boolean;
	socket.write = (...given: unknown[]) => {
		const [bytes] = given;
		// ssh2 gives nothing but the bytes. Of any other way of writing we do not know who uses the buffer afterwards.
		if (given.length > 1 || !(bytes instanceof Uint8Array) || bytes.length < LEAST_FOLLOWED_BYTES)
			return write(...given);
		return write(bytes, () => giveBack(bytes));
	};
}

// Frees the buffers of a connection that we have opened, as soon as nobody needs them. ssh2 makes a new buffer for each step
// of each packet, so that a file of 100 MB leaves several hundred MB of them, of which V8 would keep up to 64 MB at a time.

/** The inside of ssh2 that is used here. It is not part of its interface, so another version may lack any of it. */
interface SessionInternals {
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
	const inside = sftp as unknown as SessionInternals;
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
