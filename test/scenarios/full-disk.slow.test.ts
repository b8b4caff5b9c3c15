// Database and files share a disk of 48 MB: when it is full, nobody is stopped for longer than it stays full.

import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { cardJson } from '../helpers/card-calls.ts';
import { openInstallation } from '../helpers/daemon.ts';
import { demoDoor, opensshSftp } from '../helpers/daemon-clients.ts';
import { mountSmallDisk } from '../helpers/small-disk.ts';
import { testNeeding } from '../helpers/test-needing.ts';
import { until } from '../helpers/until.ts';

const sshTest = testNeeding('OpenSSH (openssh-client)', 'the right to mount a file system (Linux, root)');

const MEBI = 1024 * 1024;

async function startOnSmallDisk(t: ExecutionContext, variables: Record<string, string> = {}) {
	const installation = await openInstallation(t, { variables });
	const why = mountSmallDisk(t, installation.dataDir, 48);
	if (why !== undefined) {
		t.log(`skipped: ${why}`);
		return undefined;
	}
	const daemon = await installation.start();
	const key = { 'x-service-api-key': installation.demo.apiKey, accept: 'application/json' };
	const post = (path: string, body: string | Buffer, type: string) =>
		fetch(`${daemon.baseUrl}${path}`, { method: 'POST', body, headers: { ...key, 'content-type': type } });
	return {
		installation,
		daemon,
		door: demoDoor(installation, daemon),
		sendFile: (bytes: Buffer, name: string) =>
			post(`/api/files/tokenize?filter=CSV&async=true&name=${name}`, bytes, 'application/octet-stream'),
		storeCard: async () => (await post('/api/payments/paycard', cardJson(), 'application/json')).status,
		readiness: async () => (await fetch(`http://127.0.0.1:${daemon.opsPort}/readyz`)).status,
		freeBytes: () => {
			const { bavail, bsize } = statfsSync(installation.dataDir);
			return bavail * bsize;
		},
	};
}

const noQuota = { TOKENDROP_DROPS_MAX_BYTES_PER_ACCOUNT: '1000000000' };
const small = Buffer.from('name,card\nAnn,4111111111111111\n');
const tooLarge = () => Buffer.alloc(60 * MEBI, 'a,b\n');

sshTest.serial('an upload over HTTP that the disk has no room for is refused, and nothing else stops', async (t) => {
	const disk = await startOnSmallDisk(t, noQuota);
	if (!disk) return t.pass();
	const before = disk.freeBytes();
	t.is((await disk.sendFile(tooLarge(), 'large.csv')).status, 503);
	t.true(disk.freeBytes() > before - 4 * MEBI, 'what came of it is gone');
	t.is(await disk.storeCard(), 201);
	t.is((await opensshSftp(disk.door, ['ls /'])).code, 0);
	t.is((await disk.sendFile(small, 'small.csv')).status, 202);
	t.is(await disk.readiness(), 200);
});

sshTest.serial(
	'an upload over sFTP that the disk has no room for stops nothing but other files, until it is removed',
	async (t) => {
		const disk = await startOnSmallDisk(t, noQuota);
		if (!disk) return t.pass();
		const local = join(disk.installation.folder, 'large.csv');
		writeFileSync(local, tooLarge());
		const outcome = await opensshSftp(disk.door, [`put ${local} /tokenize/CSV/large.csv`]);
		t.not(outcome.code, 0);
		t.is((await disk.sendFile(tooLarge().subarray(0, 5 * MEBI), 'other.csv')).status, 503);
		t.is(await disk.storeCard(), 201);
		t.is(await disk.readiness(), 200, 'cards are taken');
		const removed = await opensshSftp(disk.door, ['rm /tokenize/CSV/large.csv']);
		t.is(removed.code, 0, removed.stderr);
		t.is((await disk.sendFile(small, 'small.csv')).status, 202);
	},
);

sshTest.serial(
	'a disk that something else has filled makes the daemon unready until it has room, without a restart',
	async (t) => {
		const disk = await startOnSmallDisk(t);
		if (!disk) return t.pass();
		t.is(await disk.readiness(), 200);
		const ballast = join(disk.installation.dataDir, 'ballast');
		t.throws(() => writeFileSync(ballast, Buffer.alloc(60 * MEBI, 1)), { code: 'ENOSPC' });
		t.is(await disk.readiness(), 503);
		t.is((await disk.sendFile(small, 'small.csv')).status, 503);
		rmSync(ballast);
		await until('the daemon is ready again', async () => (await disk.readiness()) === 200);
		t.is(await disk.storeCard(), 201);
		t.is((await opensshSftp(disk.door, ['ls /'])).code, 0);
		t.is((await disk.sendFile(small, 'small.csv')).status, 202);
		const uploaded = await opensshSftp(disk.door, ['ls /tokenize/CSV']);
		t.is(uploaded.code, 0);
	},
);

sshTest.serial(
	'an account alone cannot take the disk: what exceeds its quota is refused over sFTP and HTTP, and nothing is kept',
	async (t) => {
		const disk = await startOnSmallDisk(t);
		if (!disk) return t.pass();
		const before = disk.freeBytes();
		const local = join(disk.installation.folder, 'large.csv');
		writeFileSync(local, tooLarge());
		const outcome = await opensshSftp(disk.door, [`put ${local} /tokenize/CSV/large.csv`]);
		t.not(outcome.code, 0);
		t.true(disk.freeBytes() > before - 4 * MEBI, 'sFTP keeps nothing');
		const answer = await disk.sendFile(tooLarge(), 'large.csv');
		t.is(answer.status, 403);
		t.regex(((await answer.json()) as { message: string }).message, /may have 25165824 bytes together: remove some/);
		t.true(disk.freeBytes() > before - 4 * MEBI, 'nothing is kept');
		t.is((await disk.sendFile(small, 'small.csv')).status, 202);
	},
);
