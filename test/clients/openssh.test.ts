import { randomBytes } from 'node:crypto';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { MemoryTree } from '../helpers/memory-tree.ts';
import { demoUser, startServer } from '../helpers/sftp-server.ts';
import { keyLogin, passwordLogin, run, sftp, sftpBatch } from '../helpers/ssh-clients.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const sshTest = testNeeding('OpenSSH (openssh-client)');

sshTest('a file put and got back by password has the same bytes', async (t) => {
	const tree = new MemoryTree();
	const server = await startServer(t, { tree });
	const bytes = randomBytes(3_000_001);
	await writeFile(join(server.folder, 'may.csv'), bytes);
	const outcome = await sftp(server, await passwordLogin(server), ['put may.csv /in/', 'get /in/may.csv back.csv']);
	t.is(outcome.code, 0, outcome.stderr);
	t.true(tree.getBytes('/in/may.csv').equals(bytes));
	t.true(bytes.equals(await readFile(join(server.folder, 'back.csv'))));
	t.deepEqual(tree.releases, ['closed /in/may.csv', 'closed /in/may.csv']);
});

sshTest('every command of a batch works as on any server', async (t) => {
	const tree = new MemoryTree();
	const server = await startServer(t, { tree });
	await writeFile(join(server.folder, 'a.csv'), 'a,b\r\n');
	const outcome = await sftpBatch(server, await keyLogin(server, 'ed25519'), [
		'cd in',
		'pwd',
		'put -p a.csv a.csv.part',
		'rename a.csv.part a.csv',
		'chmod 600 a.csv',
		'put -f a.csv b.csv',
		'ls -l',
		'df /in',
		'rm b.csv',
		'-mkdir new',
		'-ls /none',
		'ls -1 /',
	]);
	t.is(outcome.code, 0, outcome.stderr);
	t.regex(outcome.stdout, /Remote working directory: \/in/);
	t.regex(outcome.stdout, /-rw-r----- +\S+ demo +demo +5 \w{3} [ \d]\d \d\d:\d\d a\.csv/);
	t.regex(outcome.stdout, /\/in\n\/out/);
	t.regex(outcome.stdout + outcome.stderr, /mkdir .*denied/i);
	t.deepEqual([...tree.files.keys()], ['/in/a.csv']);
});

sshTest('a batch stops at its first failure and says so', async (t) => {
	const server = await startServer(t);
	const outcome = await sftpBatch(server, await keyLogin(server, 'ed25519'), ['get /out/none', 'ls']);
	t.is(outcome.code, 1);
	t.regex(outcome.stderr, /not found/);
});

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

const logsIn = test.macro({
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
sshTest(logsIn, 'ed25519');
sshTest(logsIn, 'rsa');
sshTest(logsIn, 'ecdsa');
sshTest('the RSA host key serves clients that want it', logsIn, 'ed25519', ['-o', 'HostKeyAlgorithms=rsa-sha2-256']);
sshTest('and so does the ECDSA one', logsIn, 'ed25519', ['-o', 'HostKeyAlgorithms=ecdsa-sha2-nistp256']);

const algorithm = test.macro({
	async exec(t, option: string) {
		const server = await startServer(t);
		const login = await keyLogin(server, 'ed25519');
		const outcome = await sftpBatch(server, { ...login, args: ['-o', option, ...login.args] }, ['ls']);
		t.is(outcome.code, 0, outcome.stderr);
	},
	title: (_, option) => `a client with only ${option} gets in`,
});
for (const kex of [
	'curve25519-sha256',
	'ecdh-sha2-nistp384',
	'diffie-hellman-group14-sha256',
	'diffie-hellman-group16-sha512',
]) {
	sshTest(algorithm, `KexAlgorithms=${kex}`);
}
for (const cipher of ['aes256-gcm@openssh.com', 'chacha20-poly1305@openssh.com', 'aes192-ctr']) {
	sshTest(algorithm, `Ciphers=${cipher}`);
}

const weak = test.macro({
	async exec(t, option: string) {
		const server = await startServer(t);
		const login = await keyLogin(server, 'rsa');
		const outcome = await sftpBatch(server, { ...login, args: ['-o', option, ...login.args] }, ['ls']);
		t.is(outcome.code, 255, outcome.stderr);
	},
	title: (_, option) => `a client with only ${option} is refused`,
});
sshTest(weak, 'PubkeyAcceptedAlgorithms=ssh-rsa');
sshTest(weak, 'HostKeyAlgorithms=ssh-rsa');
sshTest(weak, 'KexAlgorithms=diffie-hellman-group14-sha1');
sshTest(weak, 'KexAlgorithms=diffie-hellman-group-exchange-sha256');
sshTest(weak, 'Ciphers=aes128-cbc');

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

const refusesCommand = test.macro({
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
sshTest('a shell', refusesCommand, ['']);
sshTest('a terminal', refusesCommand, ['-tt', '']);
sshTest('a command', refusesCommand, ['id']);
sshTest('another subsystem', refusesCommand, ['-s', 'netconf']);
sshTest('a forwarding to another host', refusesCommand, ['-W', '127.0.0.1:22', '']);
sshTest('a listening port', refusesCommand, ['-o', 'ExitOnForwardFailure=yes', '-N', '-R', '0:127.0.0.1:22', '']);

sshTest('keys are exchanged anew in the middle of transfers, asked for by either side', async (t) => {
	const tree = new MemoryTree();
	const server = await startServer(t, { tree, limits: { rekeyBytes: 3_000_000 } });
	const bytes = randomBytes(20_000_000);
	await writeFile(join(server.folder, 'big'), bytes);
	const login = await keyLogin(server, 'ed25519');
	const commands = ['put big /in/big', 'get /in/big back'];
	const args = ['-v', '-o', 'RekeyLimit=5M', ...login.args];
	const outcome = await sftpBatch(server, { ...login, args }, commands);
	t.is(outcome.code, 0, outcome.stderr);
	t.true(outcome.stderr.split('SSH2_MSG_NEWKEYS received').length > 8);
	t.true(tree.getBytes('/in/big').equals(bytes));
	t.true(bytes.equals(await readFile(join(server.folder, 'back'))));
});
