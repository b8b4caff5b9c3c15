// Frees the buffers of the packets that a connection sends. ssh2 allocates a buffer for each packet and never uses it
// again. If V8 had to free them, a download would leave as much garbage as the file is long, and V8 would mark the whole
// heap again for every few megabytes of it: that took half of the processor time of a download.

import type { Socket } from 'node:net';
import { giveBack } from '../threads/buffer-memory.ts';

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
