// Opens a fast sFTP client inside the test, for tests in which the kind of client does not matter.

import type { SFTPWrapper } from 'ssh2';
import { ssh2 } from '../../src/base/ssh/ssh2.ts';

const { Client } = ssh2;

import type { Installation, RunningDaemon, Teardown } from './daemon.ts';
import { until } from './until.ts';

export interface Session {
	/** The ssh2 client, for calls that have no method here. */
	readonly sftp: SFTPWrapper;
	/** Writes a file. The promise settles when the daemon has answered CLOSE. */
	put(path: string, bytes: Buffer): Promise<void>;
	/** Sends a local file with many requests in progress, as `download` fetches one. */
	upload(local: string, path: string): Promise<void>;
	download(path: string, local: string): Promise<void>;
	get(path: string): Promise<Buffer>;
	names(folder: string): Promise<string[]>;
	rename(from: string, to: string): Promise<void>;
	/** Waits until a file exists, and returns its content. */
	arrival(path: string, withinMs?: number): Promise<Buffer>;
	end(): void;
}

/** The user who logs in, with a password or a private key. */
export type SessionLogin = { readonly userName: string } & (
	| { readonly password: string }
	| { readonly privateKey: Buffer }
);

/** Logs in with a password, by default the API key of the demo account. The session ends with the test. */
export async function openSession(
	t: Teardown,
	installation: Pick<Installation, 'demo'>,
	daemon: Pick<RunningDaemon, 'sftpPort'>,
	login: SessionLogin = demoLogin(installation),
): Promise<Session> {
	const client = new Client();
	t.teardown(() => client.end());
	await new Promise<void>((resolve, reject) => {
		client.once('ready', resolve).on('error', reject);
		const { userName: username, ...proof } = login;
		client.connect({ host: '127.0.0.1', port: daemon.sftpPort, username, ...proof, readyTimeout: 20_000 });
	});
	// ssh2 sends a packet in several pieces. Without this option each piece waits for the acknowledgement of the one
	// before, which adds 40 ms to every request.
	client.setNoDelay(true);
	const sftp = await answer<SFTPWrapper>((done) => client.sftp(done));
	const get = (path: string) => answer<Buffer>((done) => sftp.readFile(path, done));
	const names = async (folder: string) => {
		const entries = await answer<{ filename: string }[]>((done) => sftp.readdir(folder, done));
		return entries.map(({ filename }) => filename).sort();
	};
	return {
		sftp,
		get,
		names,
		put: (path, bytes) => answer<void>((done) => sftp.writeFile(path, bytes, done)),
		upload: (local, path) => answer<void>((done) => sftp.fastPut(local, path, done)),
		download: (path, local) => answer<void>((done) => sftp.fastGet(path, local, done)),
		rename: (from, to) => answer<void>((done) => sftp.rename(from, to, done)),
		async arrival(path, withinMs) {
			const [, folder, name] = /^(.*)\/([^/]*)$/.exec(path)!;
			await until(`${path} appears`, async () => (await names(folder)).includes(name), { withinMs });
			return get(path);
		},
		end: () => client.end(),
	};
}

function demoLogin({ demo }: Pick<Installation, 'demo'>) {
	return { userName: demo.userId, password: demo.apiKey };
}

/** Returns a promise for a call that takes a callback. */
export function answer<Result>(
	call: (done: (error: Error | null | undefined, result?: unknown) => void) => void,
): Promise<Result> {
	return new Promise((resolve, reject) => {
		call((error, result) => (error ? reject(error) : resolve(result as Result)));
	});
}
