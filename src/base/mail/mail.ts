// Sends mails to the mail server of the operator over SMTP. This is the only file that knows the library for it.

import type { Transporter } from 'nodemailer';
import type { Secret } from '../settings/secret.ts';

/** Names a mailbox; `name` is what mail programs show. */
export interface Mailbox {
	readonly name?: string;
	readonly address: string;
}

/** A mail that is ready to be sent. It never contains card data. */
export interface Mail {
	readonly to: Mailbox;
	readonly from: Mailbox;
	readonly replyTo?: Mailbox;
	readonly subject: string;
	readonly text: string;
	readonly html: string;
	/** The language of the text, for the programs that read it aloud. */
	readonly language?: string;
}

/**
 * Tells how the connection is encrypted: `starttls` begins in clear and is given up if the server offers no encryption,
 * `implicit` is encrypted from its beginning, and `none` sends everything in clear.
 */
export type MailTls = 'starttls' | 'implicit' | 'none';

export interface MailServer {
	readonly host: string;
	readonly port: number;
	readonly tls: MailTls;
	readonly user: string | undefined;
	readonly password: Secret | undefined;
	/** The certificates with which the server is checked, in PEM; by default those that Node trusts. */
	readonly ca?: string;
}

/** This error is thrown if the server refuses a mail for ever, for example because there is no such mailbox. */
export class MailRefusedError extends Error {
	override readonly name = 'MailRefusedError';
}

const CONNECT_MS = 10_000;
const SILENCE_MS = 30_000;
const CONNECTIONS = 3;

export type MailSender = ReturnType<typeof openMail>;

/** Prepares the connection to a mail server. It is opened when the first mail is sent. */
export function openMail({ host, port, tls, user, password, ca }: MailServer) {
	let transporter: Promise<Transporter> | undefined;
	const connect = async () => {
		const { createTransport } = await import('nodemailer');
		return createTransport({
			host,
			port,
			secure: tls === 'implicit',
			requireTLS: tls === 'starttls',
			ignoreTLS: tls === 'none',
			...(user !== undefined && { auth: { user, pass: password?.reveal() ?? '' } }),
			tls: { minVersion: 'TLSv1.2', ...(ca !== undefined && { ca }) },
			pool: true,
			maxConnections: CONNECTIONS,
			connectionTimeout: CONNECT_MS,
			greetingTimeout: CONNECT_MS,
			socketTimeout: SILENCE_MS,
			// A mail consists only of the texts that we pass; the library must not add files or downloads to it.
			disableFileAccess: true,
			disableUrlAccess: true,
		});
	};
	return {
		/**
		 * Hands a mail over to the server. The same `id` gives the same Message-ID, by which a mail that was sent twice can
		 * be recognised.
		 * @throws MailRefusedError if the server refuses the mail for ever; any other error if a later attempt may succeed
		 */
		async send({ to, from, replyTo, subject, text, html, language }: Mail, id: string): Promise<void> {
			transporter ??= connect();
			const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
			try {
				await (await transporter).sendMail({
					to: boxOf(to),
					from: boxOf(from),
					replyTo: replyTo && boxOf(replyTo),
					subject,
					text,
					html,
					messageId: `<${id}@${domain}>`,
					headers: {
						// With this header, programs that reply by themselves, such as absence notices, do not reply to the
						// mail (RFC 3834).
						'Auto-Submitted': 'auto-generated',
						...(language !== undefined && { 'Content-Language': language }),
					},
				});
			} catch (error) {
				if (isForGood(error)) throw new MailRefusedError(describe(error));
				throw new Error(`mail was not sent: ${describe(error)}`);
			}
		},
		close(): void {
			void transporter?.then((opened) => opened.close()).catch(() => {});
		},
	};
}

function boxOf({ name, address }: Mailbox) {
	return { name: name ?? '', address };
}

interface SmtpFailure {
	readonly code?: string;
	readonly responseCode?: number;
}

/**
 * Tells whether the server has refused the mailbox or the mail itself with a permanent status (RFC 5321). A refused
 * connection or login is not permanent, because the same mail may be accepted later.
 */
function isForGood(error: unknown): boolean {
	const { code, responseCode = 0 } = error as SmtpFailure;
	return responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE');
}

/** Says what happened without the server's own words, because they may repeat the mailbox. */
function describe(error: unknown): string {
	const { code, responseCode } = error as SmtpFailure;
	return [code ?? 'unknown failure', ...(responseCode === undefined ? [] : [`status ${responseCode}`])].join(', ');
}
