import type { Duplex, Writable } from 'node:stream';

/**
 * A client floods a channel if ssh2 holds more bytes of it than this that our code has not read yet. An honest client
 * never sends more than two SSH windows of 2 MiB ahead, but ssh2 does not check this.
 */
const maxReadAheadBytes = 5 * 1024 * 1024;
/** Our own code stops at 1 MiB of unsent replies, so what is unsent beyond that comes from ssh2 itself. */
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
