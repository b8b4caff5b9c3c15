import { randomBytes } from 'node:crypto';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { MemoryTree } from '../helpers/memory-tree.ts';
import { demoUser, startServer } from '../helpers/sftp-server.ts';
import { keyLogin, passwordLogin, sftp, sftpBatch } from '../helpers/ssh-clients.ts';
import { logsIn, refusesCommand, sshTest } from './openssh.setup.ts';

sshTest('an upload and a download that broke off are resumed', async (t) => {
	const tree = new MemoryTree();
	const server = await startServer(t, { tree });
	const bytes = randomBytes(700_000);
	tree.put('/in/up', bytes.subarray(0, 300_000));
	tree.put('/out/down', bytes);
	await writeFile(join(server.folder, 'up'), bytes);
	await writeFile(join(server.folder, 'down'), bytes);
	await truncate(join(server.folder, 'down'), 100_000);
	const outcome = await sftpBatch(server, await keyLogin(server, 'ed25519'), [
		'put -a up /in/up',
		'reget /out/down down',
	]);
	t.is(outcome.code, 0, outcome.stderr);
	t.true(tree.getBytes('/in/up').equals(bytes));
	t.true(bytes.equals(await readFile(join(server.folder, 'down'))));
	t.is(server.log.find(({ message }) => message === 'sftp file closed')?.fields.bytesWritten, 400_000);
});

sshTest(logsIn, 'ed25519');

sshTest('compression is not agreed to, and the transfer goes on without', async (t) => {
	const server = await startServer(t);
	const login = await keyLogin(server, 'ed25519');
	const outcome = await sftpBatch(server, { ...login, args: ['-C', '-v', ...login.args, '-o', 'LogLevel=DEBUG1'] }, [
		'ls',
	]);
	t.is(outcome.code, 0, outcome.stderr);
	t.regex(outcome.stderr, /compression: none/);
});

const refuses = test.macro({
	async exec(t, userName: string, password: string) {
		const server = await startServer(t);
		const outcome = await sftp(server, await passwordLogin(server, password), ['ls'], userName);
		t.is(outcome.code, 255);
		t.regex(outcome.stderr, new RegExp(`${userName}@127\\.0\\.0\\.1: Permission denied \\(publickey,password\\)`));
		t.false(JSON.stringify(server.log).includes(password));
	},
	title: (title) => `${title} is refused with the same words`,
});
sshTest('a wrong password', refuses, demoUser.userName, 'wrong-password');
sshTest('an unknown user', refuses, 'nobody', demoUser.password);

sshTest('a command', refusesCommand, ['id']);
sshTest('another subsystem', refusesCommand, ['-s', 'netconf']);
sshTest('a forwarding to another host', refusesCommand, ['-W', '127.0.0.1:22', '']);
