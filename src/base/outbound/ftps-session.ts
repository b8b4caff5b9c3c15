// Talks to a partner's FTPS server over one control connection. The certificate is checked before we log in, and the
// connections for data resume the session of the control connection, so that nobody else can answer them. The library's
// calls that choose local paths by the names of a server (such as downloadToDir) are never used.

import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions, PeerCertificate, TLSSocket } from 'node:tls';
import { Client, type FileInfo, FTPError } from 'basic-ftp';
import { fingerprintOf } from '../ssh/fingerprint.ts';
import { Turns } from '../threads/turns.ts';
import type { FtpsPartner } from './ftps-partner.ts';
import type { SftpConnectOptions } from './sftp/sftp-client.ts';
import { LoginRefusedError, partnerFailure, partnerTimeout, partnerUnproven } from './sftp/sftp-failures.ts';
import type { PartnerEntry } from './sftp/sftp-folder.ts';

const CONNECT_MS = 20_000;
const IDLE_MS = 60_000;
const EMPTY_FILE_MS = 150;
/** A server at this port expects TLS from the first byte. */
const IMPLICIT_PORT = 990;
/** The replies of FTP that are looked at (RFC 959). */
const REPLY = { notLoggedIn: 530, unavailable: 550 } as const;

/**
 * Connects, checks the certificate and logs in; the caller ends the session.
 * @throws ServiceError `target-unreachable`, `request-timed-out`, LoginRefusedError, or what `resolve` throws
 */
export async function openFtpsSession(
	partner: FtpsPartner,
	options: Pick<SftpConnectOptions, 'resolve' | 'signal'>,
): Promise<FtpsSession> {
	const deadline = AbortSignal.timeout(CONNECT_MS);
	const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline;
	const addresses = await options.resolve(partner.host, signal);
	const clients: Client[] = [];
	const newClient = () => {
		signal.throwIfAborted();
		const client = new Client(IDLE_MS);
		clients.push(client);
		return client;
	};
	const close = () => clients.forEach((client) => void client.close());
	signal.addEventListener('abort', close, { once: true });
	try {
		return await logIn(newClient, partner, addresses[0].address);
	} catch (error) {
		close();
		if (deadline.aborted) throw partnerTimeout('no login within the time a connection may take');
		if (options.signal?.aborted) throw options.signal.reason;
		throw connectError(error);
	} finally {
		signal.removeEventListener('abort', close);
	}
}

async function logIn(newClient: () => Client, partner: FtpsPartner, address: string): Promise<FtpsSession> {
	const { userName, password, certificates } = partner;
	const trust = certificates.length === 0 ? {} : await trustPinned(newClient(), partner, address);
	const client = newClient();
	const { raw } = await secure(client, partner, address, trust);
	try {
		await client.login(userName, password.reveal());
	} catch (error) {
		if (error instanceof FTPError && error.code === REPLY.notLoggedIn) {
			throw new LoginRefusedError('the password was not accepted', undefined);
		}
		throw error;
	}
	await client.useDefaultSettings();
	return ftpsSession(client, fingerprintOf(raw));
}

/**
 * Looks at the certificate of a host on a connection of its own, and returns the options with which no other certificate
 * is accepted, neither by the control connection nor by those for data. Options cannot be changed after a handshake:
 * whether a certificate was trusted is kept with the session that the connections for data resume.
 */
async function trustPinned(client: Client, partner: FtpsPartner, address: string): Promise<ConnectionOptions> {
	const { raw } = await secure(client, partner, address, { rejectUnauthorized: false });
	client.close();
	if (!partner.certificates.includes(fingerprintOf(raw))) {
		throw partnerUnproven('its certificate is not the expected one');
	}
	const ca = `-----BEGIN CERTIFICATE-----\n${raw.toString('base64')}\n-----END CERTIFICATE-----\n`;
	return { ca, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
}

/** Connects with TLS, and returns the certificate of the host. */
async function secure(
	client: Client,
	{ host, port }: FtpsPartner,
	address: string,
	trust: ConnectionOptions,
): Promise<PeerCertificate> {
	// A session is resumed only for the host that the options name.
	const tls = { host, servername: /[a-z]/i.test(host) ? host : undefined, rejectUnauthorized: true, ...trust };
	if (port === IMPLICIT_PORT) await client.connectImplicitTLS(address, port, tls);
	else {
		await client.connect(address, port);
		await client.useTLS(tls);
	}
	return (client.ftp.socket as TLSSocket).getPeerCertificate();
}

export type FtpsSession = ReturnType<typeof ftpsSession>;

/** Sends commands to a partner one after the other, because FTP answers one at a time. */
function ftpsSession(client: Client, certificate: string) {
	const turns = new Turns();
	const run = <Result>(command: () => Promise<Result>, refused: (refusal: FTPError) => Result): Promise<Result> =>
		turns.run(async () => {
			try {
				return await command();
			} catch (error) {
				if (error instanceof FTPError) return refused(error);
				throw connectError(error);
			}
		});
	/** Runs a command; returns undefined if the server refuses it. */
	const find = <Result>(command: () => Promise<Result>) =>
		run<Result | undefined>(command, (refusal) => {
			if (refusal.code !== REPLY.unavailable) throw connectError(refusal);
			return undefined;
		});
	const carryOut = <Result>(place: 'path' | 'fileName', what: string, command: () => Promise<Result>) =>
		run(command, (refusal) => {
			throw partnerFailure(place, what, withoutText(refusal));
		});
	const timeOf = async (folder: string, { name, modifiedAt }: FileInfo): Promise<number> => {
		if (modifiedAt) return modifiedAt.getTime();
		const time = await find(() => client.lastMod(`${folder}/${name}`));
		return time?.getTime() ?? 0;
	};
	const findSize = (path: string) => find(() => client.size(path));
	return {
		/** The fingerprint of the certificate that the host has shown. */
		certificate,
		get isAlive() {
			return !client.closed;
		},
		/**
		 * Lists the files of a folder. Where the listing has no exact times, they are asked for file by file, because the
		 * minutes of a plain listing would not show that a file still grows.
		 */
		async list(folder: string): Promise<PartnerEntry[]> {
			const found = await carryOut('path', 'the folder cannot be listed', () => client.list(folder));
			const files = found.filter(({ isFile }) => isFile);
			return Array.fromAsync(files, async (file) => {
				return { name: file.name, size: file.size, modifiedAtMs: await timeOf(folder, file) };
			});
		},
		findSize,
		/** Reads a file once, from beginning to end. */
		async *read(path: string): AsyncGenerator<Buffer> {
			const pipe = new PassThrough();
			const reading = carryOut('fileName', 'the file cannot be read', () => client.downloadTo(pipe, path));
			// A failure also ends the pipe, and is thrown below in any case.
			reading.catch((error) => pipe.destroy(error));
			let isWhole = false;
			try {
				for await (const piece of pipe) yield piece as Buffer;
				await reading;
				isWhole = true;
			} finally {
				// There is no other way to end a transfer early that every server understands.
				if (!isWhole) client.close();
			}
		},
		/** Begins to write a file; `done` resolves when the server has all of it. */
		write(path: string): { readonly pipe: PassThrough; readonly done: Promise<void> } {
			const pipe = new PassThrough();
			// What fails is thrown by `done`. Without a listener, it would also end the process where nobody reads the pipe any more.
			pipe.on('error', () => {});
			const done = carryOut('fileName', 'the file cannot be written', async () => {
				await client.uploadFrom(Readable.from(paced(pipe), { objectMode: false }), path);
			});
			done.catch((error) => pipe.destroy(error));
			return { pipe, done };
		},
		rename: (from: string, to: string) =>
			carryOut('fileName', 'the file cannot be renamed', () => client.rename(from, to)),
		/** Removes a file; one that is not there counts as removed. */
		async remove(path: string): Promise<void> {
			const gone = await find(() => client.remove(path));
			if (gone === undefined && (await findSize(path)) !== undefined) {
				throw partnerFailure('fileName', 'the file cannot be removed');
			}
		},
		/** Makes a folder and those above it, as far as they do not exist. */
		async makeFolder(folder: string): Promise<void> {
			const isAbsolute = folder.startsWith('/');
			const steps = folder.split('/').filter((step) => step !== '' && step !== '.');
			for (let length = 1; length <= steps.length; length++) {
				const path = `${isAbsolute ? '/' : ''}${steps.slice(0, length).join('/')}`;
				// The server refuses a folder that is there; whether it is, shows when something is written to it.
				await find(() => client.send(`MKD ${path}`));
			}
		},
		end: () => client.close(),
	};
}

/**
 * Yields what is written to a pipe. A connection for data that ends in the moment of its handshake, because the file has
 * no bytes, is taken for a broken one by some servers, so its end waits a little.
 */
async function* paced(pipe: PassThrough): AsyncGenerator<Buffer> {
	let isEmpty = true;
	for await (const piece of pipe) {
		isEmpty = false;
		yield piece as Buffer;
	}
	if (isEmpty) await sleep(EMPTY_FILE_MS);
}

/** Keeps only the number of a reply, because the server's text may repeat data that was sent to it. */
function withoutText({ code }: FTPError): Error {
	return Object.assign(new Error(`reply ${code}`), { code });
}

function connectError(error: unknown): unknown {
	if ((error as Error | null)?.name === 'ServiceError' || error instanceof LoginRefusedError) return error;
	if (error instanceof FTPError) return partnerFailure('host', 'refused the connection', withoutText(error));
	const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
	if (code === 'ECONNREFUSED') return partnerFailure('host', 'the connection was refused', error, 'connection-refused');
	if (/^Timeout/.test(String(message))) return partnerTimeout('no answer for too long');
	if (typeof code === 'string' && /CERT|SELF_SIGNED|ALTNAME|VERIFY/.test(code)) {
		return partnerUnproven('its certificate is not valid for its name; certificates pins one', error);
	}
	return partnerFailure('host', 'the connection broke off', error);
}
