import type { Duplex, Writable } from 'node:stream';

/**
 * ssh2 reads at most two windows of 2 MiB ahead of us for an honest client, but it does not enforce the window itself.
 */
const maxReadAheadBytes = 5 * 1024 * 1024;
/** Our own code stops at 1 MiB of unsent replies, so anything beyond that comes from ssh2 itself. */
const maxUnsentBytes = 16 * 1024 * 1024;

/** Returns what a client does to make ssh2 itself keep more in memory than it should, or undefined. */
export function findFlood(
	socket: Pick<Writable, 'writableLength'>,
	channels: Iterable<Pick<Duplex, 'readableLength'>>,
): string | undefined {
	if (socket.writableLength > maxUnsentBytes) return 'replies not read';
	for (const channel of channels) if (channel.readableLength > maxReadAheadBytes) return 'window not respected';
	return undefined;
}
