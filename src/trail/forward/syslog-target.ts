// Sends RFC 5424 messages over TLS (RFC 5425) or TCP (RFC 6587), each with its length in front. Syslog acknowledges
// nothing, so every batch has its own connection, and is regarded as received when the other side has closed the
// connection without an error.

import { connect as connectPlainly, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { connect as connectOverTls } from 'node:tls';
import type { ExportedEntry } from '../checks/exported-form.ts';
import { SEND_TIMEOUT_MS, type TrailTarget } from './forwarder.ts';

/** The priority consists of facility 13, log audit, and severity 5, notice. */
const PRIORITY = 13 * 8 + 5;
/** The largest number of characters in the host name of a syslog message, according to RFC 5424. */
const MAX_HOST = 255;
const MAX_MESSAGE_ID = 32;

/**
 * Opens a target for syslog.
 * @param url is `syslog+tls://host:port` or `syslog+tcp://host:port`
 * @param ca holds the certificates to check the server with, in PEM
 */
export function syslogTarget(url: string, ca?: Buffer): TrailTarget {
	const { protocol, hostname: name, port } = new URL(url);
	const host = name.replace(/^\[|\]$/g, '');
	const connection = { host, port: Number(port) };
	return {
		kind: 'syslog',
		address: `${protocol}//${name}:${port}`,
		send: (entries) =>
			new Promise((resolve, reject) => {
				const socket: Socket =
					protocol === 'syslog+tls:'
						? connectOverTls({ ...connection, servername: host, ca, minVersion: 'TLSv1.2' })
						: connectPlainly(connection);
				let isAnswered = false;
				socket.setTimeout(SEND_TIMEOUT_MS, () => socket.destroy(new Error('the syslog server does not answer')));
				socket.on('error', reject);
				socket.on('end', () => {
					isAnswered = true;
				});
				socket.on('close', (hadError) => {
					if (hadError) return;
					if (isAnswered) resolve();
					else reject(new Error('the syslog server closed the connection before it had all entries'));
				});
				// The server sends nothing, but only reading shows that the connection has ended.
				socket.resume();
				socket.end(Buffer.concat(entries.map(framed)));
			}),
	};
}

export function framed(entry: ExportedEntry): Buffer {
	const id = printable(entry.action, MAX_MESSAGE_ID);
	const head = `<${PRIORITY}>1 ${entry.at} ${printable(hostname(), MAX_HOST)} tokendrop ${process.pid} ${id} - `;
	const message = Buffer.from(head + JSON.stringify(entry));
	return Buffer.concat([Buffer.from(`${message.length} `), message]);
}

/** Limits a header field to printable ASCII without blanks; `-` means an empty field. */
function printable(text: string, most: number): string {
	return text.replace(/[^\x21-\x7e]/g, '_').slice(0, most) || '-';
}
