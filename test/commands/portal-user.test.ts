import { join } from 'node:path';
import test from 'ava';
import SqliteDatabase from 'better-sqlite3';
import { dialects } from '../helpers/database.ts';
import { openInstallation } from '../helpers/operator-commands.ts';
import { openCommandRunner } from '../helpers/run-command.ts';

test('users of the portal are added with a link, listed, changed and removed', async (t) => {
	const run = openCommandRunner(t, { TOKENDROP_BASE_URL: 'https://tokens.example' });
	await run('account', 'create', '--user-id', 'agency');
	const user = (verb: string, ...more: string[]) => run('portal-user', verb, ...more);
	const added = await user(
		'add',
		'Anna@Agency.example',
		'--user-id',
		'agency',
		'--role',
		'manager',
		'--language',
		'de',
	);
	t.like(added.json, { name: 'anna@agency.example', role: 'manager', hasPassword: false, language: 'de' });
	t.regex(added.json.link, /^https:\/\/tokens\.example\/portal\/enter\/pl_[\w-]{43}$/);
	const hour = Date.parse(added.json.expiresAt) - Date.now();
	t.true(hour > 3_500_000 && hour <= 3_600_000);
	t.like(await user('add', 'anna@agency.example', '--user-id', 'agency', '--role', 'clerk'), { code: 1 });
	t.like((await user('list', '--user-id', 'agency')).json, [{ name: 'anna@agency.example', account: 'agency' }]);
	t.regex((await run.text('portal-user', 'list')).stdout, /anna@agency\.example\s+agency\s+manager\s+open/);
	t.is((await user('role', 'anna@agency.example', '--role', 'viewer')).json.role, 'viewer');
	t.true((await user('block', 'anna@agency.example')).json.isBlocked);
	t.false((await user('unblock', 'ANNA@agency.example')).json.isBlocked);
	const reset = await user('reset', 'anna@agency.example');
	t.not(reset.json.link, added.json.link);
	t.is((await user('remove', 'anna@agency.example')).code, 0);
	t.deepEqual((await user('list')).json, []);
	t.is((await user('block', 'anna@agency.example')).code, 1);
});

test('what cannot be is refused before anybody is added', async (t) => {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency');
	const add = (...more: string[]) => run('portal-user', 'add', 'anna', ...more);
	t.is((await add()).code, 64);
	t.is((await add('--user-id', 'agency')).code, 64);
	t.is((await add('--user-id', 'agency', '--role', 'king')).code, 64);
	t.is((await add('--user-id', 'nobody', '--role', 'clerk')).code, 1);
	t.is((await add('--user-id', 'agency', '--role', 'clerk', '--mail')).code, 64);
	t.is((await add('--operator', 'nobody')).code, 1);
	t.is((await run('portal-user', 'add', '4111111111111111', '--user-id', 'agency', '--role', 'clerk')).code, 1);
	t.deepEqual((await run('portal-user', 'list')).json, []);
	const noPort = openCommandRunner(t, { TOKENDROP_HTTP_PORT: '0' });
	await noPort('account', 'create', '--user-id', 'agency');
	t.like(await noPort('portal-user', 'add', 'anna', '--user-id', 'agency', '--role', 'clerk'), { code: 64 });
	t.deepEqual((await noPort('portal-user', 'list')).json, []);
});

for (const dialect of dialects) {
	test(`the access of an operator is given by those who may make operators (${dialect})`, async (t) => {
		const { run, as, addByKey, addByToken } = await openInstallation(t, dialect);
		const alice = await addByKey('alice', 'keys');
		await addByToken('olivia', 'operate', 'alice');
		await run('account', 'create', '--user-id', 'agency', '--as', 'olivia');
		t.truthy(alice);
		const olivia = as('olivia');
		t.like(await olivia('portal-user', 'add', 'al', '--operator', 'alice'), { code: 77 });
		t.is((await olivia('portal-user', 'add', 'liv', '--operator', 'olivia')).code, 0);
		// The role manager lets card numbers out, so a second operator approves it.
		t.is((await olivia('account', 'create', '--user-id', 'inn')).code, 0);
		const manager = ['portal-user', 'add', 'boss', '--user-id', 'inn', '--role', 'manager'];
		t.like(await olivia(...manager), { code: 77 });
		t.is((await olivia('portal-user', 'add', 'clerk', '--user-id', 'inn', '--role', 'clerk')).code, 0);
	});
}

test('lists say of a user and an account that somebody has changed their rows in the database', async (t) => {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency');
	await run('portal-user', 'add', 'anna', '--user-id', 'agency', '--role', 'viewer');
	const lists = [
		['portal-user', 'list'],
		['account', 'list'],
		['allowance', 'show'],
	];
	for (const list of lists) {
		t.like((await run(...list)).json, [{ isBroken: false }]);
		t.notRegex((await run.text(...list)).stdout, /seal/);
	}
	const database = new SqliteDatabase(join(run.dataDir, 'tokendrop.sqlite'));
	database.exec("update portal_users set role = 'manager'; update accounts set cvv_retention = 1");
	database.close();
	for (const list of lists) {
		t.like((await run(...list)).json, [{ isBroken: true }]);
		const { stdout } = await run.text(...list);
		t.regex(stdout, /the row of (anna|agency) does not fit its seal, and nobody can use it/);
	}
});
