// Those tests of clients.test.ts that take long.

import { randomBytes } from 'node:crypto';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { checkAtRest, checkTokenized } from '../helpers/daemon-checks.ts';
import { clients, opensshSftp } from '../helpers/daemon-clients.ts';
import { makeAccessToken, makeSshKey } from '../helpers/daemon-credentials.ts';
import { testNeeding } from '../helpers/test-needing.ts';
import { until } from '../helpers/until.ts';
import { getFixture, roundTrip, shared, thereAndBack } from './clients.setup.ts';

const sshTest = testNeeding('OpenSSH (openssh-client)');

// The clients run one after the other, because five at once would be held up by the machine rather than by the daemon.
testNeeding(...clients.openssh.needs).serial(roundTrip, clients.openssh, 'SIMPLECSV', '01-basic');
testNeeding(...clients.lftp.needs).serial(roundTrip, clients.lftp, 'GBT', '02-one-number');
testNeeding(...clients.rclone.needs).serial(roundTrip, clients.rclone, 'SIMPLEJSON', '01-array');
testNeeding(...clients.curl.needs).serial(roundTrip, clients.curl, 'AIR', '02-multi-fop-lf-concatenated');
testNeeding(...clients.paramiko.needs).serial(roundTrip, clients.paramiko, 'IUR', '01-invoice-card-crlf');
testNeeding(...clients.paramiko.needs).serial(roundTrip, clients.paramiko, 'CSV', '06-bom-no-mapping');

sshTest.serial('OpenSSH sftp resumes an upload with put -a and a download with reget', async (t) => {
	const fixture = getFixture('AIR', '02-multi-fop-lf-concatenated');
	const [original, part, output] = ['resume.air', 'resume-part.air', 'resume-out.air'].map((name) =>
		join(shared.installation.folder, name),
	);
	await writeFile(original, fixture.bytes);
	await writeFile(part, fixture.bytes.subarray(0, 1000));
	const up = await opensshSftp(shared.door(), [
		`put ${part} /tokenize/AIR/resume.air.filepart`,
		'ls -l /tokenize/AIR',
		`put -a ${original} /tokenize/AIR/resume.air.filepart`,
		'rename /tokenize/AIR/resume.air.filepart /tokenize/AIR/resume.air',
		'ls -l /tokenize/AIR/resume.air',
	]);
	t.is(up.code, 0, up.stderr);
	t.regex(up.stdout, / 1000 .* resume\.air\.filepart/);
	t.regex(up.stdout, new RegExp(` ${fixture.bytes.length} .* /tokenize/AIR/resume\\.air`));
	const closed = shared.daemon
		.log()
		.split('\n')
		.filter((line) => line.includes('sftp file closed'));
	const written = closed.map((line) => JSON.parse(line)).filter(({ path }) => path?.endsWith('resume.air.filepart'));
	t.deepEqual(
		written.map(({ bytesWritten }) => bytesWritten),
		[1000, fixture.bytes.length - 1000],
	);
	await until('the output shows', async () =>
		(await clients.openssh.names(shared.door(), '/tokenized/AIR')).includes('resume.air'),
	);
	t.is((await clients.openssh.get(shared.door(), '/tokenized/AIR/resume.air', output)).code, 0);
	const whole = await readFile(output);
	checkTokenized(t, fixture, whole);
	await truncate(output, 1500);
	const down = await opensshSftp(shared.door(), [`reget /tokenized/AIR/resume.air ${output}`]);
	t.is(down.code, 0, down.stderr);
	t.deepEqual(await readFile(output), whole);
});

sshTest.serial('an API key, a session token, an access token and an SSH key all log in', async (t) => {
	const parts = await shared.installation.parts();
	const { identity } = parts;
	const { userId, apiKey } = shared.installation.demo;
	const principal = (await identity.authenticate({ kind: 'api-key', secret: apiKey }))!;
	const sessionToken = (await identity.sessionTokens.create(principal)).secret.reveal();
	const guid = randomBytes(16).toString('hex');
	const accessToken = await makeAccessToken(parts, { apiKey, guid, expiresAtMs: Date.now() + 5 * 60_000 });
	const keyFile = await makeSshKey(shared.installation.folder, 'id_ed25519');
	await shared.installation.json(
		'ssh-key',
		'add',
		'--user-id',
		userId,
		'--file',
		`${keyFile}.pub`,
		'--permissions',
		'all',
	);

	for (const at of [
		...[apiKey, sessionToken, sessionToken, accessToken].map((password) => ({ ...shared.door(), password })),
		{ ...shared.door(), password: '', keyFile },
	]) {
		const outcome = await opensshSftp(at, ['ls -1 /']);
		t.is(outcome.code, 0, outcome.stderr);
		t.regex(outcome.stdout, /tokenized/);
	}
	const again = await opensshSftp({ ...shared.door(), password: accessToken }, ['ls']);
	t.is(again.code, 255, 'an access token opens once');
	await thereAndBack(t, clients.openssh, 'CSV', '06-bom-no-mapping', { ...shared.door(), password: '', keyFile });
});

test.serial('after all of it the installation is at rest, whole and swept', async (t) => {
	const parts = await shared.installation.parts();
	t.is((await checkAtRest(t, parts)).orphansRemoved, 0);
	t.true((await shared.installation.json('audit', 'verify')).entries > 0);
	t.is(await shared.daemon.stop(), 0, shared.daemon.log());
});
