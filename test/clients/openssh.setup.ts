// What openssh.test.ts and openssh.slow.test.ts share.

import test from 'ava';
import { demoUser, startServer } from '../helpers/sftp-server.ts';
import { keyLogin, run, sftpBatch } from '../helpers/ssh-clients.ts';
import { testNeeding } from '../helpers/test-needing.ts';

export const sshTest = testNeeding('OpenSSH (openssh-client)');

export const logsIn = test.macro({
	async exec(t, type: 'ed25519' | 'rsa' | 'ecdsa', extra: readonly string[] = []) {
		const server = await startServer(t);
		const login = await keyLogin(server, type);
		const outcome = await sftpBatch(server, { ...login, args: [...extra, ...login.args] }, ['ls']);
		t.is(outcome.code, 0, outcome.stderr);
		const line = server.log.find(({ message }) => message === 'sftp login');
		t.is(line?.fields.method, 'publickey');
		t.is(line?.fields.user, 'demo');
	},
	title: (title, type) => title ?? `a registered ${type} key logs in`,
});

export const refusesCommand = test.macro({
	async exec(t, args: readonly string[]) {
		const server = await startServer(t);
		const login = await keyLogin(server, 'ed25519');
		const target = ['-p', String(server.port), `${demoUser.userName}@127.0.0.1`];
		const outcome = await run(
			'ssh',
			[...login.args, ...args.slice(0, -1), ...target, ...args.slice(-1)].filter(Boolean),
		);
		t.not(outcome.code, 0);
		t.is(outcome.stdout, '');
	},
	title: (title) => `${title} is refused`,
});
