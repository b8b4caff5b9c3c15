// Runs the SFTP clients that people use, all behind the same three verbs: put, names and get.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Installation, RunningDaemon } from './daemon.ts';
import { type Need, PYTHON } from './programs.ts';
import { type Outcome, run } from './ssh-clients.ts';

/** The port to which a client connects, and the user as whom it logs in. */
export interface Door {
	readonly port: number;
	/** The folder for scripts and files of the client. */
	readonly folder: string;
	readonly userName: string;
	readonly password: string;
	/** The path of a private key, with which the client logs in instead of the password. */
	readonly keyFile?: string;
}

export interface FileClient {
	readonly name: string;
	/** The programs that the machine must have to run this client. */
	readonly needs: readonly Need[];
	put(door: Door, local: string, remote: string): Promise<Outcome>;
	names(door: Door, folder: string): Promise<string[]>;
	get(door: Door, remote: string, local: string): Promise<Outcome>;
}

export const SSH_OPTIONS = [
	'-F',
	'none',
	...['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR'].flatMap((each) => ['-o', each]),
];

/** Returns the door of a daemon for its demo account, which logs in with its API key. */
export function demoDoor({ folder, demo }: Installation, { sftpPort }: RunningDaemon): Door {
	return { port: sftpPort, folder, userName: demo.userId, password: demo.apiKey };
}

/** Returns variables that make OpenSSH's programs ask a script for the password, because there is no terminal. */
export async function askingVariables(door: Door): Promise<Record<string, string>> {
	const askpass = join(door.folder, 'askpass.sh');
	await writeFile(askpass, '#!/bin/sh\nprintf "%s\\n" "$TEST_PASSWORD"\n', { mode: 0o700 });
	return { SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force', DISPLAY: ':0', TEST_PASSWORD: door.password };
}

/** Returns OpenSSH's options to log in with the key if there is one, or else the password. */
export function opensshLogin(door: Door): string[] {
	const options = door.keyFile
		? ['PreferredAuthentications=publickey', 'IdentitiesOnly=yes', `IdentityFile=${door.keyFile}`]
		: ['PreferredAuthentications=password', 'NumberOfPasswordPrompts=1'];
	return options.flatMap((each) => ['-o', each]);
}

/** Runs commands in OpenSSH's sftp. It stops at the first command that fails, unless that begins with `-`. */
export async function opensshSftp(
	door: Door,
	commands: readonly string[],
	more: readonly string[] = [],
	timeoutMs?: number,
) {
	const batch = join(door.folder, `batch-${Math.random().toString(36).slice(2)}`);
	await writeFile(batch, `${commands.join('\n')}\n`);
	// -b sets BatchMode, with which sftp would not ask for a password. Of several values of an option the first one counts.
	const options = [...opensshLogin(door), '-o', 'BatchMode=no'];
	const target = ['-P', String(door.port), '-b', batch, `${door.userName}@127.0.0.1`];
	return run('sftp', [...SSH_OPTIONS, ...options, ...more, ...target], {
		env: await askingVariables(door),
		cwd: door.folder,
		...(timeoutMs !== undefined && { timeoutMs }),
	});
}

/** Returns the names in the output of a listing: every line except blank ones and the commands that sftp repeats. */
const lines = ({ stdout }: Outcome) => stdout.split('\n').filter((line) => line !== '' && !line.startsWith('sftp>'));

const openssh: FileClient = {
	name: 'OpenSSH sftp',
	needs: ['OpenSSH (openssh-client)'],
	put: (door, local, remote) =>
		opensshSftp(door, [`put ${local} ${remote}.filepart`, `rename ${remote}.filepart ${remote}`]),
	names: async (door, folder) => lines(await opensshSftp(door, [`cd ${folder}`, 'ls -1'])),
	get: (door, remote, local) => opensshSftp(door, [`get ${remote} ${local}`]),
};

/** OpenSSH's sftp, which writes files under their final names from the first byte. */
const sftpPut: FileClient = {
	...openssh,
	name: 'OpenSSH sftp put',
	put: (door, local, remote) => opensshSftp(door, [`put ${local} ${remote}`]),
};

async function scpRun(door: Door, from: string, to: string): Promise<Outcome> {
	const options = ['PreferredAuthentications=password', 'NumberOfPasswordPrompts=1'].flatMap((each) => ['-o', each]);
	const args = [...SSH_OPTIONS, ...options, '-P', String(door.port), from, to];
	return run('scp', args, { env: await askingVariables(door) });
}
/** OpenSSH's scp, which uses the SFTP protocol since OpenSSH 9.0. */
const scp: FileClient = {
	...openssh,
	name: 'OpenSSH scp',
	put: (door, local, remote) => scpRun(door, local, `${door.userName}@127.0.0.1:${remote}`),
	get: (door, remote, local) => scpRun(door, `${door.userName}@127.0.0.1:${remote}`, local),
};

const keyOption = ({ keyFile }: Door) => (keyFile ? ` -o IdentitiesOnly=yes -i ${keyFile}` : '');

export const lftpRun = (door: Door, ...commands: string[]) =>
	run(
		'lftp',
		[
			'-c',
			[
				'set cmd:fail-exit yes',
				`set sftp:connect-program "ssh -a -x -F none -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null${keyOption(door)}"`,
				'set net:max-retries 1',
				'set net:timeout 10',
				`open -u ${door.userName},"${door.password}" sftp://127.0.0.1:${door.port}`,
				...commands,
			].join('; '),
		],
		{ env: { HOME: door.folder } },
	);
const lftp: FileClient = {
	name: 'lftp',
	needs: ['lftp'],
	put: (door, local, remote) => lftpRun(door, `put ${local} -o ${remote}`),
	names: async (door, folder) => lines(await lftpRun(door, `cls -1 ${folder}/`)).map((path) => path.split('/').at(-1)!),
	get: (door, remote, local) => lftpRun(door, `get ${remote} -o ${local}`),
};

async function obscured(password: string): Promise<string> {
	return (await run('rclone', ['obscure', '-'], { input: password })).stdout.trim();
}

/** Runs a command of rclone with its defaults, but without a second try. Each argument may name the remote. */
export async function rcloneRun(
	door: Door,
	command: string,
	...args: ((remote: string) => string)[]
): Promise<Outcome> {
	const login = door.keyFile ? `key_file=${door.keyFile}` : `pass=${await obscured(door.password)}`;
	const remote = `:sftp,host=127.0.0.1,port=${door.port},user=${door.userName},${login},shell_type=none:`;
	const options = ['--config', '/dev/null', '--retries', '1', '--contimeout', '10s'];
	return run('rclone', [...options, command, ...args.map((each) => each(remote))]);
}
const rclone: FileClient = {
	name: 'rclone',
	needs: ['rclone'],
	put: (door, local, path) =>
		rcloneRun(
			door,
			'copyto',
			() => local,
			(remote) => remote + path,
		),
	names: async (door, folder) => lines(await rcloneRun(door, 'lsf', (remote) => remote + folder)),
	get: (door, path, local) =>
		rcloneRun(
			door,
			'copyto',
			(remote) => remote + path,
			() => local,
		),
};

const curlRun = (door: Door, path: string, ...args: string[]) =>
	run('curl', [
		...['-sS', '--insecure', '--max-time', '20', '-u', `${door.userName}:${door.keyFile ? '' : door.password}`],
		...(door.keyFile ? ['--key', door.keyFile, '--pubkey', `${door.keyFile}.pub`] : []),
		...args,
		`sftp://127.0.0.1:${door.port}${path}`,
	]);
const curl: FileClient = {
	name: 'curl',
	needs: ['curl'],
	put: (door, local, remote) => curlRun(door, remote, '-T', local),
	names: async (door, folder) => lines(await curlRun(door, `${folder}/`, '--list-only')),
	get: (door, remote, local) => curlRun(door, remote, '-o', local),
};

const PARAMIKO = `
import sys, paramiko
port, user, password, key, verb, *args = sys.argv[1:]
client = paramiko.SSHClient()
client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
client.connect('127.0.0.1', int(port), user, password or None, key_filename=key or None, allow_agent=False, look_for_keys=False, timeout=10)
sftp = client.open_sftp()
if verb == 'put':
    sftp.put(args[0], args[1], confirm=True)
elif verb == 'get':
    sftp.get(args[0], args[1])
else:
    print('\\n'.join(sftp.listdir(args[0])))
client.close()
`;
const paramikoRun = (door: Door, ...args: string[]) =>
	run(PYTHON, [
		...['-c', PARAMIKO, String(door.port), door.userName],
		...(door.keyFile ? ['', door.keyFile] : [door.password, '']),
		...args,
	]);
const paramiko: FileClient = {
	name: 'paramiko',
	needs: ['paramiko (python3-paramiko)'],
	put: (door, local, remote) => paramikoRun(door, 'put', local, remote),
	names: async (door, folder) => lines(await paramikoRun(door, 'list', folder)),
	get: (door, remote, local) => paramikoRun(door, 'get', remote, local),
};

export const clients = { openssh, sftpPut, scp, lftp, rclone, curl, paramiko } as const;
