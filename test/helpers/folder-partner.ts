// Runs a partner's SFTP server over a real folder with the ssh2 library alone, for machines that lack OpenSSH's sshd.

import { once } from 'node:events';
import {
	closeSync,
	fstatSync,
	lstatSync,
	mkdirSync,
	openSync,
	readdirSync,
	readSync,
	renameSync,
	type Stats,
	unlinkSync,
	writeSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join, posix } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { Attributes, Connection, ParsedKey, SFTPWrapper } from 'ssh2';
import { fingerprintOf } from '../../src/base/ssh/fingerprint.ts';
import { ssh2 } from '../../src/base/ssh/ssh2.ts';
import { makeSshKeyPair } from './ssh-key-pair.ts';

const { STATUS_CODE, flagsToString } = ssh2.utils.sftp;
const FILE_CODES: Record<string, number> = {
	ENOENT: STATUS_CODE.NO_SUCH_FILE,
	EACCES: STATUS_CODE.PERMISSION_DENIED,
};

export interface FolderPartner {
	readonly port: number;
	/** The fingerprints of the server's host keys, by type. */
	readonly hostKeys: Readonly<Record<'ed25519' | 'rsa' | 'ecdsa', string>>;
	kill(): Promise<void>;
}

/** Makes a private key in OpenSSH's format. */
export function makePrivateKey(type: 'ed25519' | 'rsa' | 'ecdsa'): string {
	const { generateKeyPairSync } = ssh2.utils;
	if (type === 'rsa') return generateKeyPairSync('rsa', { bits: 2048 }).private;
	return type === 'ecdsa' ? generateKeyPairSync('ecdsa', { bits: 256 }).private : makeSshKeyPair().private;
}

/** Serves `folder` to whoever logs in with one of these private keys. The server ends with the test. */
export async function startFolderPartner(
	t: ExecutionContext<unknown>,
	folder: string,
	privateKeys: readonly string[],
): Promise<FolderPartner> {
	const hosts = { ed25519: makePrivateKey('ed25519'), rsa: makePrivateKey('rsa'), ecdsa: makePrivateKey('ecdsa') };
	const known = privateKeys.map((key) => parse(key).getPublicSSH());
	const connections = new Set<Connection>();
	const server = new ssh2.Server({ hostKeys: Object.values(hosts) }, (connection) => {
		connections.add(connection);
		connection
			.on('error', () => {})
			.on('close', () => connections.delete(connection))
			.on('authentication', (context) => {
				const isKnown = context.method === 'publickey' && known.some((key) => key.equals(context.key.data));
				if (isKnown) context.accept();
				else context.reject(['publickey']);
			})
			.on('session', (accept) => accept().on('sftp', (open) => serve(open(), folder)));
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const kill = async () => {
		for (const connection of connections) connection.end();
		server.close();
	};
	t.teardown(kill);
	const fingerprint = (key: string) => fingerprintOf(parse(key).getPublicSSH());
	const hostKeys = {
		ed25519: fingerprint(hosts.ed25519),
		rsa: fingerprint(hosts.rsa),
		ecdsa: fingerprint(hosts.ecdsa),
	};
	return { port: (server.address() as AddressInfo).port, hostKeys, kill };
}

function parse(key: string): ParsedKey {
	const parsed = ssh2.utils.parseKey(key);
	if (parsed instanceof Error) throw parsed;
	return Array.isArray(parsed) ? parsed[0] : parsed;
}

function serve(sftp: SFTPWrapper, folder: string): void {
	const handles = new Map<string, number>();
	/** The path of each open folder by its handle, or undefined once its names have been sent. */
	const folders = new Map<string, string | undefined>();
	let lastHandle = 0;
	const at = (path: string) => join(folder, posix.normalize(`/${path}`));
	const fd = (handle: Buffer): number => {
		const found = handles.get(handle.toString());
		if (found === undefined) throw new Error('there is no such handle');
		return found;
	};
	/** Answers with what `act` does, or with the status of its error. */
	const answer = (id: number, act: () => unknown) => {
		try {
			if (act() === undefined) sftp.status(id, STATUS_CODE.OK);
		} catch (error) {
			sftp.status(id, FILE_CODES[(error as NodeJS.ErrnoException).code ?? ''] ?? STATUS_CODE.FAILURE);
		}
	};
	const tell = (id: number, stats: Stats) => {
		sftp.attrs(id, attributesOf(stats));
		return true;
	};
	sftp
		.on('OPEN', (id, path, flags) =>
			answer(id, () => {
				const handle = String(++lastHandle);
				handles.set(handle, openSync(at(path), flagsToString(flags)!));
				sftp.handle(id, Buffer.from(handle));
				return true;
			}),
		)
		.on('READ', (id, handle, offset, length) =>
			answer(id, () => {
				const bytes = Buffer.alloc(length);
				const count = readSync(fd(handle), bytes, 0, length, offset);
				if (count === 0) sftp.status(id, STATUS_CODE.EOF);
				else sftp.data(id, bytes.subarray(0, count));
				return true;
			}),
		)
		.on('WRITE', (id, handle, offset, data) =>
			answer(id, () => void writeSync(fd(handle), data, 0, data.length, offset)),
		)
		.on('CLOSE', (id, handle) =>
			answer(id, () => {
				if (folders.delete(handle.toString())) return;
				const file = fd(handle);
				// The handle is removed first, because a second CLOSE must not close another file that has its number by then.
				handles.delete(handle.toString());
				closeSync(file);
			}),
		)
		.on('OPENDIR', (id, path) =>
			answer(id, () => {
				lstatSync(at(path));
				const handle = String(++lastHandle);
				folders.set(handle, at(path));
				sftp.handle(id, Buffer.from(handle));
				return true;
			}),
		)
		.on('READDIR', (id, handle) =>
			answer(id, () => {
				const path = folders.get(handle.toString());
				folders.set(handle.toString(), undefined);
				if (path === undefined) sftp.status(id, STATUS_CODE.EOF);
				else
					sftp.name(
						id,
						readdirSync(path).map((name) => entry(name, lstatSync(join(path, name)))),
					);
				return true;
			}),
		)
		.on('STAT', (id, path) => answer(id, () => tell(id, lstatSync(at(path)))))
		.on('LSTAT', (id, path) => answer(id, () => tell(id, lstatSync(at(path)))))
		.on('FSTAT', (id, handle) => answer(id, () => tell(id, fstatSync(fd(handle)))))
		.on('MKDIR', (id, path) => answer(id, () => mkdirSync(at(path))))
		.on('REMOVE', (id, path) => answer(id, () => unlinkSync(at(path))))
		.on('RENAME', (id, from, to) =>
			answer(id, () => {
				// Version 3 of the protocol refuses a name that is taken, but renameSync would replace that file.
				if (isThere(at(to))) throw new Error('the name is taken');
				renameSync(at(from), at(to));
			}),
		);
}

function attributesOf({ mode, size, uid, gid, atimeMs, mtimeMs }: Stats): Attributes {
	return { mode, size, uid, gid, atime: Math.floor(atimeMs / 1000), mtime: Math.floor(mtimeMs / 1000) };
}

function entry(name: string, stats: Stats) {
	return { filename: name, longname: name, attrs: attributesOf(stats) };
}

function isThere(path: string): boolean {
	try {
		lstatSync(path);
		return true;
	} catch {
		return false;
	}
}
