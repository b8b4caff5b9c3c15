// A mail server for tests: it takes mails over SMTP and shows what arrived.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { SMTPServerOptions } from 'smtp-server';
import { until } from './until.ts';

export interface ReceivedMail {
	readonly to: readonly string[];
	readonly from: string;
	/** The names are in lower case, and folded lines are joined. */
	readonly headers: Readonly<Record<string, string>>;
	/** The subject, decoded. */
	readonly subject: string;
	/** The whole mail as it came, with its head. */
	readonly raw: string;
	/** The plain text of the mail, decoded; `html` is its HTML. */
	readonly text: string;
	readonly html: string;
	readonly isEncrypted: boolean;
}

export interface MailServerDouble {
	readonly host: string;
	readonly port: number;
	readonly received: ReceivedMail[];
	/** Waits until `count` mails have arrived, and returns the last of them. */
	wait(count: number): Promise<ReceivedMail>;
	/** Sets the status with which the server refuses recipients from now on; without one it accepts them. */
	refuse(status: number | undefined): void;
	close(): Promise<void>;
}

/** Starts a server on a free port; it is closed with the test. */
export async function startMailServer(
	t: { teardown(release: () => unknown): void },
	options: SMTPServerOptions & { readonly port?: number } = {},
): Promise<MailServerDouble> {
	const { SMTPServer } = await import('smtp-server');
	const received: ReceivedMail[] = [];
	let refusal: number | undefined;
	const server = new SMTPServer({
		...{ authOptional: true, hideSTARTTLS: true, logger: false, disableReverseLookup: true },
		onRcptTo: (_address, _session, done) => {
			done(refusal === undefined ? null : Object.assign(new Error('refused'), { responseCode: refusal }));
		},
		onData: (stream, session, done) => {
			const chunks: Buffer[] = [];
			stream.on('data', (chunk: Buffer) => chunks.push(chunk));
			stream.on('end', () => {
				const to = session.envelope.rcptTo.map(({ address }) => address);
				const from = session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address;
				received.push({ to, from, isEncrypted: session.secure, ...parse(Buffer.concat(chunks).toString('latin1')) });
				done();
			});
		},
		...options,
	});
	server.on('error', () => {});
	server.listen(options.port ?? 0, '127.0.0.1');
	await once(server.server, 'listening');
	const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
	t.teardown(close);
	return {
		host: '127.0.0.1',
		port: (server.server.address() as AddressInfo).port,
		received,
		wait: (count) => until(`${count} mails`, async () => (received.length >= count ? received.at(-1) : undefined)),
		refuse(status) {
			refusal = status;
		},
		close,
	};
}

function parse(raw: string): Pick<ReceivedMail, 'headers' | 'subject' | 'raw' | 'text' | 'html'> {
	const { headers, body } = split(raw);
	const boundary = /boundary="?([^";]+)"?/.exec(headers['content-type'] ?? '')?.[1];
	const parts = boundary === undefined ? [raw] : body.split(`--${boundary}`).map((part) => part.replace(/^\r?\n/, ''));
	const part = (type: string) => {
		const found = parts.map(split).find((each) => each.headers['content-type']?.startsWith(type));
		return found ? decode(found.body, found.headers['content-transfer-encoding']) : '';
	};
	return {
		headers,
		subject: decodeWords(headers.subject ?? ''),
		raw,
		text: part('text/plain'),
		html: part('text/html'),
	};
}

function split(text: string): { readonly headers: Record<string, string>; readonly body: string } {
	const end = /\r?\n\r?\n/.exec(text);
	const head = end ? text.slice(0, end.index) : text;
	const headers: Record<string, string> = {};
	for (const line of head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
		const colon = line.indexOf(':');
		if (colon > 0) headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
	}
	return { headers, body: end ? text.slice(end.index + end[0].length) : '' };
}

/** Decodes the encoded words of a header (RFC 2047). */
function decodeWords(value: string): string {
	const joined = value.replace(/\?=\s+=\?/g, '?==?');
	return joined.replace(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_, encoding: string, text: string) =>
		encoding.toLowerCase() === 'b' ? decode(text, 'base64') : decode(text.replaceAll('_', ' '), 'quoted-printable'),
	);
}

function decode(body: string, encoding = '7bit'): string {
	if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
	if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1').toString();
	const bytes = body
		.replace(/=\r?\n/g, '')
		.replace(/=([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
	return Buffer.from(bytes, 'latin1').toString();
}
