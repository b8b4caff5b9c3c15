// Starts a partner's server over a folder of its own: OpenSSH's as a process on a free port, or one of the ssh2 library.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { makeFolder } from './file-parts.ts';
import { makePrivateKey, startFolderPartner } from './folder-partner.ts';
import { freePort } from './free-port.ts';
import { findMissing, SSHD } from './programs.ts';
import { run } from './ssh-clients.ts';

const START_TRIES = 5;
/** The empty directory that sshd needs when it runs as root. */
const EMPTY_DIRECTORY = '/run/sshd';

export interface SshdPartner {
	readonly port: number;
	/** The id of the server's first process, which leads the group of all of them. A server of the library has none. */
	readonly pid?: number;
	/** The folder that its users see as they log in; tests read and write its files by their paths. */
	readonly folder: string;
	readonly userName: string;
	/** The private keys with which users log in, by type, as text. */
	readonly keys: Readonly<Record<'ed25519' | 'rsa', string>>;
	/** The path of the Ed25519 key, for OpenSSH's own clients. */
	readonly keyFile: string;
	/** The fingerprints of its host keys, by type. */
	readonly hostKeys: Readonly<Record<'ed25519' | 'rsa' | 'ecdsa', string>>;
	/** Ends the server and every connection, as a crash would. */
	kill(): Promise<void>;
}

/**
 * Starts OpenSSH's server if this machine has it, or else one of the ssh2 library. The server takes keys alone and ends
 * with the test.
 */
export function startPartner(t: ExecutionContext<unknown>): Promise<SshdPartner> {
	return findMissing(['sshd (openssh-server)']).length === 0 ? startSshd(t) : startLibraryPartner(t);
}

async function startLibraryPartner(t: ExecutionContext<unknown>): Promise<SshdPartner> {
	const root = makeFolder(t);
	const folder = join(root, 'files');
	mkdirSync(folder);
	const keys = { ed25519: makePrivateKey('ed25519'), rsa: makePrivateKey('rsa') };
	const keyFile = join(root, 'login_ed25519');
	writeFileSync(keyFile, keys.ed25519, { mode: 0o600 });
	const partner = await startFolderPartner(t, folder, Object.values(keys));
	return { ...partner, folder, userName: 'agency', keys, keyFile };
}

const keyFiles = new Map<string, Promise<{ readonly own: Buffer; readonly shown: Buffer }>>();

/** Writes the key of this name to a path. Each key is made once in a process, because RSA keys take long to find. */
async function placeKey(path: string, name: string, kind: readonly string[]): Promise<void> {
	const make = async () => {
		await run('ssh-keygen', ['-q', ...kind, '-N', '', '-f', path]);
		return { own: await readFile(path), shown: await readFile(`${path}.pub`) };
	};
	if (!keyFiles.has(name)) keyFiles.set(name, make());
	const { own, shown } = await keyFiles.get(name)!;
	await writeFile(path, own, { mode: 0o600 });
	await writeFile(`${path}.pub`, shown);
}

/** Starts OpenSSH's server, which takes keys alone; it ends with the test. Every server of a process has the same keys. */
export async function startSshd(t: ExecutionContext<unknown>, more: readonly string[] = []): Promise<SshdPartner> {
	const root = makeFolder(t);
	const folder = join(root, 'files');
	mkdirSync(folder);
	const make = async (name: string, type: string, bits: readonly string[] = []) => {
		const path = join(root, name);
		await placeKey(path, name, ['-t', type, ...bits]);
		const { stdout } = await run('ssh-keygen', ['-l', '-f', `${path}.pub`]);
		return { path, fingerprint: stdout.split(' ')[1] };
	};
	const [ed25519, rsa, ecdsa, login, rsaLogin] = await Promise.all([
		make('host_ed25519', 'ed25519'),
		make('host_rsa', 'rsa', ['-b', '2048']),
		make('host_ecdsa', 'ecdsa', ['-b', '256']),
		make('login_ed25519', 'ed25519'),
		make('login_rsa', 'rsa', ['-b', '2048']),
	]);
	const authorized = join(root, 'authorized_keys');
	writeFileSync(authorized, [login, rsaLogin].map(({ path }) => readFileSync(`${path}.pub`, 'utf8')).join(''));
	chmodSync(authorized, 0o600);
	if (userInfo().uid === 0) mkdirSync(EMPTY_DIRECTORY, { recursive: true, mode: 0o755 });
	const { port, child } = await listen(join(root, 'sshd_config'), [
		...['ListenAddress 127.0.0.1', `PidFile ${join(root, 'pid')}`],
		...[ed25519, rsa, ecdsa].map(({ path }) => `HostKey ${path}`),
		...[`AuthorizedKeysFile ${authorized}`, 'StrictModes no', 'PermitRootLogin yes', 'UsePAM no'],
		...['PasswordAuthentication no', 'KbdInteractiveAuthentication no', 'MaxStartups 100'],
		...[`Subsystem sftp internal-sftp -d ${folder}`, ...more],
	]);
	const kill = () => killGroup(child);
	t.teardown(kill);
	const keys = { ed25519: readFileSync(login.path, 'utf8'), rsa: readFileSync(rsaLogin.path, 'utf8') };
	const hostKeys = { ed25519: ed25519.fingerprint, rsa: rsa.fingerprint, ecdsa: ecdsa.fingerprint };
	const userName = userInfo().username;
	return { port, pid: child.pid, folder, userName, keys, keyFile: login.path, hostKeys, kill };
}

/** Starts sshd on a free port, and on another one if somebody took that in between. */
async function listen(config: string, lines: readonly string[]): Promise<{ port: number; child: ChildProcess }> {
	for (let tries = 1; ; tries++) {
		const port = await freePort();
		writeFileSync(config, [`Port ${port}`, ...lines, ''].join('\n'));
		const child = spawn(SSHD, ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
		let said = '';
		child.stderr!.setEncoding('utf8').on('data', (text: string) => (said += text));
		const ended = once(child, 'close');
		// Waits for the message of sshd itself, because another program may answer at the port.
		for (let waits = 0; waits < 500 && child.exitCode === null; waits++) {
			if (said.includes('Server listening on')) return { port, child };
			await sleep(20);
		}
		await killGroup(child);
		await ended;
		const isTaken = said.includes('Address already in use');
		if (!isTaken || tries === START_TRIES) throw new Error(`sshd does not listen: ${said}`);
	}
}

/** Ends sshd and its sessions, which are processes of their own in the group that was made for it. */
async function killGroup(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const closed = once(child, 'exit');
	process.kill(-child.pid!, 'SIGKILL');
	await closed;
}
