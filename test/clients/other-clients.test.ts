import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MemoryTree } from '../helpers/memory-tree.ts';
import { demoUser, startServer, type TestServer } from '../helpers/sftp-server.ts';
import { keyLogin, type Outcome, run } from '../helpers/ssh-clients.ts';

const bytes = randomBytes(1_500_000);

async function start(t: Parameters<typeof startServer>[0]) {
	const tree = new MemoryTree();
	// Every transfer has a few key exchanges, because clients are known to differ in how they bear being asked for one.
	const server = await startServer(t, { tree, limits: { rekeyBytes: 600_000 } });
	await writeFile(join(server.folder, 'up.csv'), bytes);
	tree.put('/out/down.csv', bytes);
	return { tree, server, down: join(server.folder, 'down.csv') };
}

const login = (server: TestServer) => `sftp://127.0.0.1:${server.port}`;

testNeeding('lftp')('lftp puts, lists, resumes, moves and mirrors', async (t) => {
	const { tree, server, down } = await start(t);
	const script = [
		'set cmd:fail-exit yes',
		'set sftp:connect-program "ssh -a -x -F none -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null"',
		'set net:max-retries 1',
		'set net:timeout 10',
		`open -u ${demoUser.userName},"${demoUser.password}" ${login(server)}`,
		`put ${join(server.folder, 'up.csv')} -o /in/up.part`,
		'mv /in/up.part /in/up.csv',
		`get -c /out/down.csv -o ${down}`,
		'cls -l /in',
		`mirror /out ${join(server.folder, 'mirrored')}`,
	].join('; ');
	const outcome: Outcome = await run('lftp', ['-c', script], { env: { HOME: server.folder } });
	t.is(outcome.code, 0, outcome.stderr);
	t.true(tree.getBytes('/in/up.csv').equals(bytes));
	t.true(bytes.equals(await readFile(down)));
	t.true(bytes.equals(await readFile(join(server.folder, 'mirrored', 'down.csv'))));
	t.regex(outcome.stdout, /1500000/);
});

testNeeding('rclone')('rclone copies both ways and checks what it copied', async (t) => {
	const { tree, server } = await start(t);
	const { path } = await keyLogin(server, 'rsa');
	const remote = `:sftp,host=127.0.0.1,port=${server.port},user=${demoUser.userName},key_file=${path},shell_type=none`;
	const options = ['--config', '/dev/null', '--retries', '1', '--transfers', '2', '--contimeout', '10s'];
	const local = join(server.folder, 'local');
	await mkdir(local);
	for (const name of ['one', 'two', 'three']) await writeFile(join(local, name), bytes);
	const up = await run('rclone', [...options, 'copy', local, `${remote}:/in`]);
	t.is(up.code, 0, up.stderr);
	const check = await run('rclone', [...options, 'check', '--download', local, `${remote}:/in`]);
	t.is(check.code, 0, check.stderr);
	const down = await run('rclone', [...options, 'copy', `${remote}:/out`, join(server.folder, 'got')]);
	t.is(down.code, 0, down.stderr);
	t.true(tree.getBytes('/in/two').equals(bytes));
	t.true(bytes.equals(await readFile(join(server.folder, 'got', 'down.csv'))));
});

testNeeding('curl')('curl uploads and downloads', async (t) => {
	const { tree, server, down } = await start(t);
	const options = ['-sS', '--insecure', '--max-time', '20', '-u', `${demoUser.userName}:${demoUser.password}`];
	const up = await run('curl', [...options, '-T', join(server.folder, 'up.csv'), `${login(server)}/in/up.csv`]);
	t.is(up.code, 0, up.stderr);
	const got = await run('curl', [...options, '-o', down, `${login(server)}/out/down.csv`]);
	t.is(got.code, 0, got.stderr);
	const listed = await run('curl', [...options, `${login(server)}/in/`]);
	t.regex(listed.stdout, /1500000 .* up\.csv/);
	t.true(tree.getBytes('/in/up.csv').equals(bytes));
	t.true(bytes.equals(await readFile(down)));
});

const paramikoScript = `
import sys, paramiko
folder, port, user, password = sys.argv[1:]
client = paramiko.SSHClient()
client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
client.connect('127.0.0.1', int(port), user, password, allow_agent=False, look_for_keys=False, timeout=10)
sftp = client.open_sftp()
print(sftp.put(folder + '/up.csv', '/in/up.part', confirm=True).st_size)
sftp.posix_rename('/in/up.part', '/in/up.csv')
sftp.get('/out/down.csv', folder + '/down.csv')
print(sorted(sftp.listdir('/')))
second = client.open_sftp()
print(second.stat('/in/up.csv').st_size, second.normalize('in/../out'))
try:
    sftp.mkdir('/in/new')
except IOError as error:
    print('refused:', error)
client.close()
`;

import { PYTHON } from '../helpers/programs.ts';
import { testNeeding } from '../helpers/test-needing.ts';

testNeeding('paramiko (python3-paramiko)')(
	'paramiko puts with confirmation, renames, gets, and opens a second channel',
	async (t) => {
		const { tree, server, down } = await start(t);
		const args = ['-c', paramikoScript, server.folder, String(server.port), demoUser.userName, demoUser.password];
		const outcome = await run(PYTHON, args);
		t.is(outcome.code, 0, outcome.stderr);
		t.deepEqual(outcome.stdout.trim().split('\n'), [
			'1500000',
			"['in', 'out']",
			'1500000 /out',
			'refused: [Errno 13] folders are fixed',
		]);
		t.true(tree.getBytes('/in/up.csv').equals(bytes));
		t.true(bytes.equals(await readFile(down)));
	},
);

testNeeding('Dropbear (dropbear-bin)')(
	'Dropbear begins the key exchange before it knows what the server offers',
	async (t) => {
		const { tree, server } = await start(t);
		const ssh = join(server.folder, 'dbclient.sh');
		// OpenSSH's sftp speaks the protocol of files over Dropbear's connection.
		await writeFile(ssh, '#!/bin/sh\nexec dbclient -y -y -p "$PORT" -l "$LOGIN" 127.0.0.1 -s sftp\n', { mode: 0o700 });
		const batch = join(server.folder, 'batch');
		await writeFile(batch, `put ${join(server.folder, 'up.csv')} /in/up.csv\n`);
		const env = {
			...{ HOME: server.folder, PORT: String(server.port), LOGIN: demoUser.userName },
			DROPBEAR_PASSWORD: demoUser.password,
		};
		const outcome = await run('sftp', ['-S', ssh, '-b', batch, '127.0.0.1'], { env });
		t.is(outcome.code, 0, outcome.stderr);
		t.true(tree.getBytes('/in/up.csv').equals(bytes));
	},
);
