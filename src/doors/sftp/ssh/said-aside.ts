import type { Writable } from 'node:stream';
import type { Transport } from '../protocol/outbox.ts';

/**
 * Tells whether a client shows only its own word for a status code ("Failure") and never the text of the status.
 * OpenSSH's sftp and scp and PuTTY's psftp and pscp do so, but they show text that arrives on the stderr of the
 * channel.
 */
export function showsCodesOnly(software: string): boolean {
	return /^(OpenSSH|PuTTY)_/.test(software);
}

/**
 * At most this many texts are written to the stderr of a channel. A program that runs a client and never reads its
 * stderr must not fill the pipe between the two, because the client would then stop.
 */
const MAX_TEXTS = 100;

/** Writes to the stderr of a channel why requests failed, but not while the text before is still not sent. */
export class SaidAside {
	readonly #stderr: Writable;
	readonly #transport: Pick<Transport, 'isRekeying'>;
	#left = MAX_TEXTS;

	constructor(stderr: Writable, transport: Pick<Transport, 'isRekeying'>) {
		this.#stderr = stderr;
		this.#transport = transport;
	}

	say(text: string): void {
		if (this.#left === 0 || this.#stderr.writableLength > 0 || this.#transport.isRekeying()) return;
		this.#left -= 1;
		this.#stderr.write(`${text}\r\n`);
	}
}
