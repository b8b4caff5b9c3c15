import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { makeFolder } from '../helpers/file-parts.ts';
import { plainUser, startPlainPartner } from '../helpers/plain-partner.ts';
import { openCommandRunner } from '../helpers/run-command.ts';
import { startPartner } from '../helpers/sftp-partner.ts';

const VARIABLES = { TOKENDROP_RELAY_ALLOW_PRIVATE: 'true' };

test('a destination is put, checked, shown, listed and removed', async (t) => {
	const run = openCommandRunner(t, VARIABLES);
	const partner = await startPartner(t);
	const folder = makeFolder(t);
	writeFileSync(join(partner.folder, 'may.csv'), 'a');
	const file = join(folder, 'bank.yaml');
	const lines = ['name: bank', 'host: 127.0.0.1', `port: ${partner.port}`, `userName: ${partner.userName}`];
	writeFileSync(file, lines.join('\n'));
	t.is((await run('account', 'create', '--user-id', 'agency')).code, 0);
	const whose = ['--user-id', 'agency'];
	const put = () => run('destination', 'put', ...whose, '--file', file, '--private-key-file', partner.keyFile);
	const first = await put();
	t.is(first.code, 0, first.stderr);
	t.like(first.json, { name: 'bank', hasPrivateKey: true, hasPassword: false, hostKeys: [] });

	// As no host key is known yet, the check only asks the host for its key and does not log in.
	const look = await run('destination', 'check', ...whose, '--name', 'bank');
	t.is(look.code, 0, look.stderr);
	t.is(look.json.entries, null);
	writeFileSync(file, [...lines, `hostKeys: ${look.json.hostKey}`].join('\n'));
	t.is((await put()).code, 0);
	const check = await run('destination', 'check', ...whose, '--name', 'bank');
	const { hostKey } = look.json;
	t.deepEqual(check.json, { userId: 'agency', name: 'bank', hostKey, isHostKeyExpected: true, entries: 1 });
	t.regex((await run.text('destination', 'check', ...whose, '--name', 'bank')).stdout, /Logged in; 1 entries/);

	const shown = await run('destination', 'show', ...whose, '--name', 'bank');
	t.like(shown.json, { host: '127.0.0.1', port: partner.port, hostKeys: [hostKey] });
	t.false(shown.stdout.includes('PRIVATE KEY'));
	t.is((await run('destination', 'list', ...whose)).json.length, 1);
	t.regex((await run.text('destination', 'list', ...whose)).stdout, /bank +127\.0\.0\.1:\d+ +\S+ +- +key +SHA256:/);
	t.true((await run('destination', 'remove', ...whose, '--name', 'bank')).json.removed);
	t.is((await run('destination', 'remove', ...whose, '--name', 'bank')).code, 1);
	t.is((await run('destination', 'show', ...whose, '--name', 'bank')).code, 1);
	const trail = await run('audit', 'verify');
	t.is(trail.code, 0, trail.stderr);
});

test('a destination of a sub-user is its primary account’s, and a wrong host key stops the check', async (t) => {
	const run = openCommandRunner(t, VARIABLES);
	const partner = await startPlainPartner(t);
	const folder = makeFolder(t);
	const [file, password] = ['bank.json', 'password'].map((name) => join(folder, name));
	const destination = { name: 'bank', host: '127.0.0.1', port: partner.port, userName: plainUser.userName };
	writeFileSync(file, JSON.stringify({ ...destination, hostKeys: [`SHA256:${'A'.repeat(43)}`] }));
	writeFileSync(password, `${plainUser.password}\n`);
	await run('account', 'create', '--user-id', 'agency');
	await run('account', 'create', '--user-id', 'desk', '--kind', 'sub-user', '--parent', 'agency');
	const args = ['--file', file, '--password-file', password];
	t.is((await run('destination', 'put', '--user-id', 'desk', ...args)).code, 0);
	t.is((await run('destination', 'list', '--user-id', 'agency')).json.length, 1);
	const check = await run('destination', 'check', '--user-id', 'agency', '--name', 'bank');
	t.is(check.code, 1);
	t.is(check.json.error.reason, 'target-unreachable');
	t.regex(check.json.error.message, /host: its key is not the expected one$/);
	t.deepEqual(partner.logins, []);
});

test('errors in the file or the command line are reported', async (t) => {
	const run = openCommandRunner(t);
	const file = join(makeFolder(t), 'bank.yaml');
	writeFileSync(file, 'name: bank\nhost: partner.example\nuserName: agency\nport: x\npassword: hunter2\n');
	await run('account', 'create', '--user-id', 'agency');
	const put = (...more: string[]) => run('destination', 'put', '--user-id', 'agency', ...more);
	const bad = await put('--file', file);
	t.is(bad.code, 1);
	t.regex(bad.json.error.message, /line 4, column 7: port: expected a port/);
	t.false(bad.stderr.includes('hunter2'));
	t.is((await put('--file', '/none.yaml')).code, 64);
	t.is((await put('--file', '-', '--password-file', '-')).code, 64);
	t.is((await run('destination', 'list', '--user-id', 'nobody')).code, 1);
});
