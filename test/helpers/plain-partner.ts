// Starts the simplest server that a partner can have: SFTP version 3 without any extension, in memory. A test can make it
// behave badly.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { posix } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { Algorithms, AuthContext, Connection, SFTPWrapper } from 'ssh2';
import { fingerprintOf } from '../../src/base/ssh/fingerprint.ts';
import { ssh2 } from '../../src/base/ssh/ssh2.ts';
import { generateEd25519Key } from '../../src/doors/sftp/ssh/host-keys.ts';

const { STATUS_CODE, OPEN_MODE } = ssh2.utils.sftp;

export interface Whims {
	/** The login methods that it accepts; `password` alone unless told otherwise. */
	readonly methods?: readonly ('password' | 'keyboard-interactive' | 'publickey')[];
	readonly algorithms?: Algorithms;
	/** The greatest number of bytes with which it answers a READ. */
	readonly maxReadBytes?: number;
	/**
	 * The greatest number of bytes that it accepts in a WRITE. It announces this with limits@openssh.com, which is then its
	 * only extension.
	 */
	readonly maxWriteBytes?: number;
	/** The size at which a file is full: every WRITE beyond it is refused. */
	readonly fullAtBytes?: number;
	/** The size of a file beyond which every WRITE succeeds, but nothing is kept. */
	readonly forgetsAfterBytes?: number;
	/** Runs before each READ. */
	beforeRead?(position: number, partner: PlainPartner): void;
	/** Whether it never answers a WRITE. */
	readonly isDeaf?: boolean;
}

export interface PlainPartner {
	readonly port: number;
	readonly hostKey: string;
	readonly files: Map<string, { bytes: Buffer; mtime: number }>;
	readonly folders: Set<string>;
	/** The attempts to log in, in order: the method and the user, with the password or the hash algorithm of the signature. */
	readonly logins: string[];
	/** The paths of the files that are open, by their handles. */
	readonly open: Map<string, string>;
	/** Ends every connection at once. */
	drop(): void;
}

export const plainUser = { userName: 'agency', password: 'pässword 7' };

/** Starts the server, which is closed with the test. */
export async function startPlainPartner(t: ExecutionContext<unknown>, whims: Whims = {}): Promise<PlainPartner> {
	const hostKey = generateEd25519Key();
	const parsed = ssh2.utils.parseKey(hostKey);
	if (parsed instanceof Error) throw parsed;
	const connections = new Set<Connection>();
	const server = new ssh2.Server({ hostKeys: [hostKey], algorithms: whims.algorithms }, (connection) => {
		connections.add(connection);
		connection
			.on('error', () => {})
			.on('close', () => connections.delete(connection))
			.on('authentication', (context) => authenticate(context, whims, partner.logins))
			.on('session', (accept) => accept().on('sftp', (open) => serve(open(), partner, whims)));
	});
	const partner: PlainPartner = {
		get port() {
			return (server.address() as AddressInfo).port;
		},
		hostKey: fingerprintOf((Array.isArray(parsed) ? parsed[0] : parsed).getPublicSSH()),
		files: new Map(),
		folders: new Set(['.', 'in', 'out']),
		logins: [],
		open: new Map(),
		drop() {
			for (const connection of connections) (connection as unknown as { _sock: { destroy(): void } })._sock.destroy();
		},
	};
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	t.teardown(() => {
		partner.drop();
		server.close();
	});
	return partner;
}

function authenticate(context: AuthContext, { methods = ['password'] }: Whims, logins: string[]): void {
	const { method, username } = context;
	const taken = methods as string[];
	if (context.method === 'keyboard-interactive' && taken.includes(method)) {
		context.prompt([{ prompt: 'Password: ', echo: false }], (answers) => {
			logins.push(`${method} ${username} ${answers.join()}`);
			if (answers.join() === plainUser.password) context.accept();
			else context.reject(taken as never);
		});
		return;
	}
	if (context.method === 'password') logins.push(`password ${username} ${context.password}`);
	else if (context.method === 'publickey') logins.push(`publickey ${username} ${context.hashAlgo}`);
	else logins.push(`${method} ${username}`);
	const isKnown =
		context.method === 'publickey' || (context.method === 'password' && context.password === plainUser.password);
	if (taken.includes(method) && isKnown) context.accept();
	else context.reject(taken as never);
}

let lastHandle = 0;

function serve(sftp: SFTPWrapper, partner: PlainPartner, whims: Whims): void {
	const { files, folders, open } = partner;
	const ok = (id: number, isFine = true, code: number = STATUS_CODE.FAILURE) =>
		sftp.status(id, isFine ? STATUS_CODE.OK : code);
	if (whims.maxWriteBytes !== undefined) announceLimits(sftp, whims.maxWriteBytes);
	const attributes = (path: string) => {
		const file = files.get(path);
		if (file) return { mode: 0o100600, size: file.bytes.length, uid: 0, gid: 0, atime: 0, mtime: file.mtime };
		return folders.has(path) ? { mode: 0o40700, size: 0, uid: 0, gid: 0, atime: 0, mtime: 0 } : undefined;
	};
	const tell = (id: number, path: string) => {
		const found = attributes(posix.normalize(path));
		if (found) sftp.attrs(id, found);
		else sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
	};
	sftp
		.on('STAT', tell)
		.on('FSTAT', (id, handle) => tell(id, open.get(handle.toString())!))
		.on('OPEN', (id, given, flags) => {
			const path = posix.normalize(given);
			if (!folders.has(posix.dirname(path))) return void sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
			if (!(flags & OPEN_MODE.WRITE) && !attributes(path)) return void sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
			if (flags & OPEN_MODE.EXCL && files.has(path)) return void sftp.status(id, STATUS_CODE.FAILURE);
			if (flags & OPEN_MODE.WRITE) files.set(path, { bytes: Buffer.alloc(0), mtime: 1 });
			// Handles are counted across all connections, because one map holds those of all of them.
			lastHandle += 1;
			open.set(String(lastHandle), path);
			sftp.handle(id, Buffer.from(String(lastHandle)));
		})
		.on('WRITE', (id, handle, offset, data) => {
			if (whims.isDeaf) return;
			const file = files.get(open.get(handle.toString())!)!;
			const end = offset + data.length;
			if (data.length > (whims.maxWriteBytes ?? data.length)) return void ok(id, false);
			if (whims.fullAtBytes !== undefined && end > whims.fullAtBytes) return void ok(id, false);
			if (whims.forgetsAfterBytes !== undefined && end > whims.forgetsAfterBytes) return void ok(id);
			if (end > file.bytes.length) file.bytes = Buffer.concat([file.bytes, Buffer.alloc(end - file.bytes.length)]);
			data.copy(file.bytes, offset);
			ok(id);
		})
		.on('READ', (id, handle, offset, length) => {
			whims.beforeRead?.(offset, partner);
			const { bytes } = files.get(open.get(handle.toString())!)!;
			if (offset >= bytes.length) return void sftp.status(id, STATUS_CODE.EOF);
			sftp.data(id, bytes.subarray(offset, offset + Math.min(length, whims.maxReadBytes ?? length)));
		})
		.on('CLOSE', (id, handle) => void ok(id, open.delete(handle.toString())))
		.on('REMOVE', (id, path) => void ok(id, files.delete(posix.normalize(path)), STATUS_CODE.NO_SUCH_FILE))
		.on('RENAME', (id, from, to) => {
			const file = files.get(posix.normalize(from));
			if (!file || files.has(posix.normalize(to))) return void ok(id, false);
			files.delete(posix.normalize(from));
			files.set(posix.normalize(to), file);
			ok(id);
		});
}

const LIMITS = 'limits@openssh.com';

/** Adds the extension to the server of ssh2, which has none, by writing the two packets itself. */
function announceLimits(sftp: SFTPWrapper, maxWriteBytes: number): void {
	const { _protocol: protocol, outgoing } = sftp as unknown as {
		_protocol: { channelData(channel: number, packet: Buffer): void };
		outgoing: { id: number };
	};
	const { channelData } = protocol;
	const send = (packet: Buffer) => channelData.call(protocol, outgoing.id, packet);
	const text = (value: string) => Buffer.concat([number(value.length, 4), Buffer.from(value)]);
	// The first packet of a server is its VERSION, in place of which this one is sent.
	protocol.channelData = () => {
		protocol.channelData = channelData;
		send(packetOf(2, number(3, 4), text(LIMITS), text('1')));
	};
	// In the answer, 0 stands for a limit that is not stated.
	sftp.on('EXTENDED', (id: number, name: string) => {
		if (name === LIMITS) {
			send(packetOf(201, number(id, 4), ...[0, 0, maxWriteBytes, 0].map((limit) => number(limit, 8))));
		} else sftp.status(id, STATUS_CODE.OP_UNSUPPORTED);
	});
}

function packetOf(type: number, ...parts: readonly Buffer[]): Buffer {
	const body = Buffer.concat([Buffer.of(type), ...parts]);
	return Buffer.concat([number(body.length, 4), body]);
}

function number(value: number, bytes: 4 | 8): Buffer {
	const buffer = Buffer.alloc(bytes);
	buffer.writeUInt32BE(value, bytes - 4);
	return buffer;
}
