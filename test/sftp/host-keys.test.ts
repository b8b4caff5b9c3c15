import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import {
	formatFingerprint,
	generateEd25519Key,
	openHostKeys,
	parseServerKeys,
} from '../../src/doors/sftp/ssh/host-keys.ts';
import { run } from '../helpers/ssh-clients.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const sshTest = testNeeding('OpenSSH (openssh-client)');

async function temporaryFolder(t: ExecutionContext): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'tokendrop-host-keys-'));
	t.teardown(() => rm(folder, { recursive: true }));
	return join(folder, 'keys');
}

sshTest('keys are made once, for their owner alone, and OpenSSH agrees on their fingerprints', async (t) => {
	const folder = await temporaryFolder(t);
	const [made, again] = [await openHostKeys(folder), await openHostKeys(folder)];
	t.deepEqual(again, made);
	const names = ['ssh_host_ed25519_key', 'ssh_host_rsa_key', 'ssh_host_ecdsa_key'];
	t.deepEqual((await readdir(folder)).sort(), names.flatMap((name) => [name, `${name}.pub`]).sort());
	for (const [index, name] of names.entries()) {
		t.is((await stat(join(folder, name))).mode & 0o777, 0o600);
		const fingerprint = made.fingerprints[index].split(' ')[1];
		for (const suffix of ['', '.pub']) {
			const { stdout } = await run('ssh-keygen', ['-l', '-f', join(folder, name + suffix)]);
			t.true(stdout.includes(fingerprint), stdout);
			if (name.includes('rsa')) t.regex(stdout, /^3072 /);
		}
	}
});

test('daemons that start at once on one folder agree on its keys', async (t) => {
	const folder = await temporaryFolder(t);
	const [one, two] = await Promise.all([openHostKeys(folder), openHostKeys(folder)]);
	t.deepEqual(one, two);
});

test('a key that others can read is refused, with what to do about it', async (t) => {
	const folder = await temporaryFolder(t);
	await openHostKeys(folder);
	await chmod(join(folder, 'ssh_host_ed25519_key'), 0o644);
	await t.throwsAsync(openHostKeys(folder), { message: /can be read by others: chmod 600/ });
});

test('what is not a private key is refused', async (t) => {
	t.throws(() => formatFingerprint('hello'), { message: /host key cannot be read/ });
	const folder = await temporaryFolder(t);
	await openHostKeys(folder);
	const path = join(folder, 'ssh_host_rsa_key');
	for (const damaged of ['', 'damaged', (await readFile(path, 'utf8')).slice(0, 900)]) {
		await writeFile(path, damaged);
		const { message } = (await t.throwsAsync(openHostKeys(folder)))!;
		t.true(message.startsWith(`${path}: host key cannot be read: `), message);
		t.regex(message, /; put the file back from a backup, or move it away: then the next start makes another key/);
	}
	await rm(path);
	await mkdir(path, { mode: 0o700 });
	await t.throwsAsync(openHostKeys(folder), {
		message: `host key ${path} cannot be read: EISDIR; the user who runs the daemon must be able to read it`,
	});
	await rm(path, { recursive: true });
	await t.notThrowsAsync(openHostKeys(folder), 'another key is made');
});

test('every Ed25519 key that is made can be read, also the one in 256 whose public key begins with zero', (t) => {
	for (let turn = 0; turn < 1500; turn += 1) t.notThrows(() => formatFingerprint(generateEd25519Key()));
});

test('an RSA key is offered for SHA-2 signatures only', async (t) => {
	const { privateKeys } = await openHostKeys(await temporaryFolder(t));
	t.deepEqual(
		parseServerKeys(privateKeys).map(({ key }) => key.type as string),
		['ssh-ed25519', 'rsa-sha2-512', 'rsa-sha2-256', 'ecdsa-sha2-nistp256'],
	);
});
