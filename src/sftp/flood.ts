import type { Duplex, Writable } from 'node:stream';

/**
 * For an honest client, ssh2 holds at most two SSH windows of 2 MiB that our code has not read yet. But ssh2 does not
 * check whether a client keeps to its window.
 */
const maxReadAheadBytes = 5 * 1024 * 1024;
/**
 * Our own code writes no more replies while 1 MiB of them is unsent, so what is unsent beyond that comes from ssh2
 * itself.
 */
const maxUnsentBytes = 16 * 1024 * 1024;

/** Returns what a client does wrong, if ssh2 holds more memory because of it than it should; otherwise undefined. */
export function findFlood(
	socket: Pick<Writable, 'writableLength'>,
	channels: Iterable<Pick<Duplex, 'readableLength'>>,
): string | undefined {
	if (socket.writableLength > maxUnsentBytes) return 'replies not read';
	for (const channel of channels) if (channel.readableLength > maxReadAheadBytes) return 'window not respected';
	return undefined;
}
