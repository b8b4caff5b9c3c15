// Ends the upload of a file that was refused before all of it came.

import type { IncomingMessage } from 'node:http';

const MOST_BYTES = 256 * 1024 * 1024;

/**
 * Discards what still comes of a refused body, because a browser reads the answer only after it has sent everything. After
 * `most` bytes the connection is closed, and the browser reads the answer that it got before.
 */
export function discardRest(body: IncomingMessage, most = MOST_BYTES): void {
	let bytes = 0;
	body.on('data', (chunk: Buffer) => {
		bytes += chunk.length;
		if (bytes > most) body.socket.destroy();
	});
	body.resume();
}
