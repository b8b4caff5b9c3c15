// Runs the clients that people use, as programs.
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { patient } from './patience.ts';
import { demoUser, type TestServer } from './sftp-server.ts';

export interface Outcome {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

const timeoutMs = patient(25_000);

/** Runs a program to its end. A client that hangs is killed, and its code is null. */
export function run(
	program: string,
	args: readonly string[],
	options: { input?: string; env?: Record<string, string>; cwd?: string; timeoutMs?: number } = {},
): Promise<Outcome> {
	return new Promise((resolve, reject) => {
		const child = spawn(program, args, {
			cwd: options.cwd,
			env: { ...process.env, SSH_AUTH_SOCK: '', ...options.env },
			timeout: options.timeoutMs ?? timeoutMs,
			killSignal: 'SIGKILL',
		});
		let stdout = '';
		let stderr = '';
		child.stdout.on('data', (chunk) => (stdout += chunk));
		child.stderr.on('data', (chunk) => (stderr += chunk));
		child.on('error', reject);
		child.on('close', (code) => resolve({ code, stdout, stderr }));
		child.stdin.on('error', () => {});
		child.stdin.end(options.input ?? '');
	});
}

const commonOptions = [
	'-F',
	'none',
	'-o',
	'StrictHostKeyChecking=no',
	'-o',
	'UserKnownHostsFile=/dev/null',
	'-o',
	'LogLevel=ERROR',
];

/** Returns the options with which OpenSSH logs in with a password, which a script gives instead of a terminal. */
export async function passwordLogin(server: TestServer, password = demoUser.password) {
	const askpass = join(server.folder, 'askpass.sh');
	await writeFile(askpass, '#!/bin/sh\nprintf "%s\\n" "$TEST_PASSWORD"\n', { mode: 0o700 });
	return {
		args: [...commonOptions, '-o', 'PreferredAuthentications=password', '-o', 'NumberOfPasswordPrompts=1'],
		env: { SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force', DISPLAY: ':0', TEST_PASSWORD: password },
	};
}

/** Makes a key with ssh-keygen, registers it with the server, and returns the options with which OpenSSH uses it. */
export async function keyLogin(server: TestServer, type: 'ed25519' | 'rsa' | 'ecdsa') {
	const path = join(server.folder, `id_${type}`);
	const bits = { ed25519: [], rsa: ['-b', '2048'], ecdsa: ['-b', '256'] }[type];
	await run('ssh-keygen', ['-q', '-t', type, ...bits, '-N', '', '-f', path]);
	server.keys.add((await readFile(`${path}.pub`, 'utf8')).split(' ')[1]);
	return {
		path,
		args: [...commonOptions, '-o', 'PreferredAuthentications=publickey', '-o', 'IdentitiesOnly=yes', '-i', path],
		env: {},
	};
}

interface LoginOptions {
	readonly args: readonly string[];
	readonly env: Record<string, string>;
}

/** Runs OpenSSH's sftp with commands on its standard input; a command after `-` may fail. */
export function sftp(
	server: TestServer,
	login: LoginOptions,
	commands: readonly string[],
	userName = demoUser.userName,
) {
	// The option -b would set BatchMode, in which no password is asked for.
	const args = [...login.args, '-P', String(server.port), `${userName}@127.0.0.1`];
	return run('sftp', args, { input: `${commands.join('\n')}\n`, env: login.env, cwd: server.folder });
}

/** Runs OpenSSH's sftp as a script would: it stops at the first failure and reports that by its exit code. */
export async function sftpBatch(server: TestServer, login: LoginOptions, commands: readonly string[]) {
	const batch = join(server.folder, 'batch');
	await writeFile(batch, `${commands.join('\n')}\n`);
	const args = [...login.args, '-P', String(server.port), '-b', batch, `${demoUser.userName}@127.0.0.1`];
	return run('sftp', args, { env: login.env, cwd: server.folder });
}
