// Those tests of openssh.test.ts that take long.

import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { MemoryTree } from '../helpers/memory-tree.ts';
import { startServer } from '../helpers/sftp-server.ts';
import { keyLogin, passwordLogin, sftp, sftpBatch } from '../helpers/ssh-clients.ts';
import { testNeeding } from '../helpers/test-needing.ts';
import { logsIn, refusesCommand, sshTest } from './openssh.setup.ts';

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

sshTest('a shell', refusesCommand, ['']);
sshTest('a terminal', refusesCommand, ['-tt', '']);
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

const quantumTest = testNeeding('an OpenSSH with mlkem768x25519-sha256 (9.9 or later)');
quantumTest('the post-quantum exchange works with OpenSSH', logsIn, 'ed25519', [
	'-o',
	'KexAlgorithms=mlkem768x25519-sha256',
]);
