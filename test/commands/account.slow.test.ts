import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openTestDatabase } from '../helpers/database.ts';
import { openCommandRunner } from '../helpers/run-command.ts';
import { makeSshKeyLine } from '../helpers/ssh-key-line.ts';
import { entriesOf } from '../helpers/trail-export.ts';

test('an account is made on an empty sandbox, with a key that is shown once', async (t) => {
	const run = openCommandRunner(t);
	const created = await run('account', 'create', '--user-id', 'agency', '--cvv-retention', '--allowance', '10');
	t.is(created.code, 0, created.stderr);
	t.like(created.json, { userId: 'agency', kind: 'primary', parent: null, cvvRetention: true, allowanceLimit: 10 });
	t.regex(created.json.apiKey, /^td_sandbox_[\w-]{43}$/);
	t.is(created.json.permissions.length, 15);
	const shown = await run('account', 'show', '--user-id', 'agency');
	t.like(shown.json, { userId: 'agency', blockedAt: null, allowanceUsed: 0 });
	t.false((shown.stdout + (await run('api-key', 'list', '--user-id', 'agency')).stdout).includes(created.json.apiKey));
});

test('spec §8: a sandbox account has the allowance of settings unless the command says otherwise', async (t) => {
	const run = openCommandRunner(t);
	const limitOf = async (userId: string, ...more: string[]) =>
		(await run('account', 'create', '--user-id', userId, ...more)).json.allowanceLimit;
	t.is(await limitOf('agency'), 10_000);
	t.is(await limitOf('large', '--allowance', '20000'), 20_000);
	t.is(await limitOf('free', '--allowance', 'unlimited'), null);
	t.is(await limitOf('clerk', '--kind', 'sub-user', '--parent', 'agency'), null);
	const asked = ['--kind', 'sub-user', '--parent', 'agency', '--allowance', 'unlimited'];
	t.like(await run('account', 'create', '--user-id', 'other', ...asked), { code: 1 });
	t.is((await run('account', 'create', '--user-id', 'bad', '--allowance', 'Unlimited')).code, 64);
});

test('accounts are listed with their parents, blocked and unblocked', async (t) => {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency');
	await run('account', 'create', '--user-id', 'clerk', '--kind', 'sub-user', '--parent', 'agency');
	const listed = await run('account', 'list');
	t.deepEqual(
		listed.json.map((row: Record<string, unknown>) => [row.userId, row.kind, row.parent]),
		[
			['agency', 'primary', null],
			['clerk', 'sub-user', 'agency'],
		],
	);
	t.regex((await run.text('account', 'list')).stdout, /clerk +sub-user +agency +no/);
	t.truthy((await run('account', 'block', '--user-id', 'clerk')).json.blockedAt);
	t.is((await run('account', 'unblock', '--user-id', 'clerk')).json.blockedAt, null);
	t.regex((await run.text('account', 'show', '--user-id', 'clerk')).stdout, /parent +agency/);
});

test('keys are created, rotated, revoked and listed', async (t) => {
	const run = openCommandRunner(t);
	const first = (await run('account', 'create', '--user-id', 'agency')).json;
	const rotated = (await run('api-key', 'rotate', '--user-id', 'agency', '--overlap', '2')).json;
	t.is(rotated.userId, 'agency');
	t.not(rotated.apiKey, first.apiKey);
	const all = (await run('api-key', 'create', '--user-id', 'agency', '--permissions', 'all')).json;
	t.is(all.permissions.length, 18);
	const several = await run('api-key', 'revoke', '--user-id', 'agency');
	t.like(several, { code: 1, json: { error: { reason: 'bad-input-data' } } });
	t.is((await run('api-key', 'revoke', '--user-id', 'agency', '--id', String(all.apiKeyId))).code, 0);
	const keys = (await run('api-key', 'list', '--user-id', 'agency')).json;
	t.deepEqual(
		keys.map((key: { state: string }) => key.state),
		['ending', 'active', 'revoked'],
	);
	t.is(keys[0].hint, first.apiKey.slice(-4));
	const text = await run.text('api-key', 'rotate', '--user-id', 'agency');
	t.regex(text.stdout, /API key {6}td_sandbox_/);
});

test('SSH keys are added from a file, listed and removed', async (t) => {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency');
	const file = join(run.dataDir, 'id.pub');
	writeFileSync(file, `${makeSshKeyLine('ops')}\n`);
	const added = await run('ssh-key', 'add', '--user-id', 'agency', '--file', file, '--permissions', 'FileTokenize');
	t.is(added.code, 0, added.stderr);
	t.like(added.json[0], { userId: 'agency', algorithm: 'ssh-ed25519', comment: 'ops' });
	const [listed] = (await run('ssh-key', 'list', '--user-id', 'agency')).json;
	t.deepEqual(listed.permissions, ['FileTokenize']);
	t.deepEqual((await run('ssh-key', 'remove', '--user-id', 'agency', '--file', file)).json.removed, [
		listed.fingerprint,
	]);
	t.deepEqual((await run('ssh-key', 'list', '--user-id', 'agency')).json, []);
	t.is((await run('ssh-key', 'remove', '--user-id', 'agency')).code, 64);
	t.is((await run('ssh-key', 'add', '--user-id', 'agency', '--file', join(run.dataDir, 'none'))).code, 64);
});

test('the commands work on PostgreSQL that was migrated', async (t) => {
	const { url } = await openTestDatabase(t, 'postgres');
	const run = openCommandRunner(t, { TOKENDROP_DATABASE_URL: url });
	const created = await run('account', 'create', '--user-id', 'agency');
	t.is(created.code, 0, created.stderr);
	t.is((await run('audit', 'verify')).json.isWhole, true);
});

test('production makes neither schema nor master key by itself', async (t) => {
	const production = { TOKENDROP_ENVIRONMENT: 'production', TOKENDROP_BASE_URL: 'https://example.com' };
	const run = openCommandRunner(t, production, { isReady: false });
	const withoutSchema = await run('account', 'create', '--user-id', 'agency');
	t.is(withoutSchema.code, 1);
	t.regex(withoutSchema.stderr, /tokendrop migrate/);
	t.is((await run('migrate')).code, 0);
	const withoutKey = await run('account', 'create', '--user-id', 'agency');
	t.is(withoutKey.code, 1);
	t.regex(withoutKey.stderr, /no master key/);
});

test('a lost master key is never replaced by a new one', async (t) => {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency');
	rmSync(join(run.dataDir, 'master.key'));
	t.regex((await run('account', 'list')).stderr, /no master key/);
});

test('each error is reported with its exit code', async (t) => {
	const run = openCommandRunner(t);
	t.is((await run('account', 'create')).code, 64);
	t.is((await run('account', 'create', '--user-id', 'a', '--kind', 'robot')).code, 64);
	t.is((await run('account', 'create', '--user-id', 'a', '--allowance', '-1')).code, 64);
	t.like((await run('account', 'show', '--user-id', 'nobody')).json.error, { reason: 'bad-input-data' });
	const unknown = await run('account', 'create', '--user-id', 'a', '--permissions', 'Tokenize,Everything');
	t.regex(unknown.json.error.message, /'Everything'/);
	t.deepEqual((await run('account', 'list')).json, []);
});

test('the audit trail is verified and exported', async (t) => {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency');
	t.deepEqual((await run('audit', 'verify')).json, { isWhole: true, entries: 3, problems: [] });
	const file = join(run.dataDir, 'trail.ndjson');
	t.deepEqual((await run('audit', 'export', file)).json, { file, entries: 4 });
	const lines = entriesOf(readFileSync(file, 'utf8'));
	t.deepEqual(
		lines.map((line) => line.action),
		['installation.create', 'account.create', 'api-key.create', 'audit.export'],
	);
	t.regex(lines[1].actor, /^operator ./);
	const before = readFileSync(file);
	for (const taken of [file, join(run.dataDir, 'none', 'trail')]) {
		const { code, json } = await run('audit', 'export', taken);
		t.is(code, 64);
		t.is(json.error.reason, 'usage');
	}
	t.deepEqual(readFileSync(file), before);
});

test('an export is proven by the command, in ranges of entries and days', async (t) => {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency');
	const [file, cut] = [join(run.dataDir, 'some.ndjson'), join(run.dataDir, 'cut.ndjson')];
	t.is((await run('audit', 'export', file, '--from-entry', '2', '--to-entry', '3')).json.entries, 2);
	const whole = { isWhole: true, first: 2, last: 3, entries: 2, isProven: true, isInTrail: true };
	t.deepEqual((await run('audit', 'verify', '--file', file)).json, whole);
	const links = (await run('audit', 'verify', '--file', file, '--links-only')).json;
	t.like(links, { isWhole: true, isProven: false, isInTrail: null });
	writeFileSync(cut, readFileSync(file, 'utf8').split('\n')[0]);
	t.like(await run('audit', 'verify', '--file', cut), { code: 1, json: { isWhole: false, reason: 'cut' } });

	const today = new Date().toISOString().slice(0, 10);
	const days = join(run.dataDir, 'days.ndjson');
	t.is((await run('audit', 'export', days, '--from-day', today, '--to-day', today)).json.entries, 5);
	t.deepEqual(entriesOf(readFileSync(days, 'utf8')).at(-1).details, { fromDay: today, to: 'a file', toDay: today });
	const empty = join(run.dataDir, 'empty.ndjson');
	t.like(await run('audit', 'export', empty, '--to-day', '2020-01-31'), { code: 1 });
	t.false(existsSync(empty));
	for (const words of [
		['--from-day', '2026-02-30'],
		['--from-day', 'x'],
		['--from-day', today, '--to-entry', '1'],
	]) {
		t.is((await run('audit', 'export', empty, ...words)).code, 64, words.join(' '));
	}
	t.is((await run('audit', 'verify', '--links-only')).code, 64);
	t.is((await run('audit', 'verify', '--file', join(run.dataDir, 'none'))).code, 64);
});

test('several commands at once on an empty sandbox make one schema, one master key and one trail', async (t) => {
	const run = openCommandRunner(t);
	const userIds = ['one', 'two', 'three', 'four'];
	const created = await Promise.all(userIds.map((userId) => run('account', 'create', '--user-id', userId)));
	for (const { code, stderr } of created) t.is(code, 0, stderr);
	t.deepEqual((await run('audit', 'verify')).json, { isWhole: true, entries: 9, problems: [] });
	t.is((await run('account', 'list')).json.length, 4);
});

test('an overlap no calendar has is a wrong command line', async (t) => {
	const run = openCommandRunner(t);
	const { apiKey } = (await run('account', 'create', '--user-id', 'agency')).json;
	const asked = await run('api-key', 'rotate', '--user-id', 'agency', '--overlap', '99999999999');
	t.is(asked.code, 64);
	t.regex(asked.json.error.message, /--overlap .*at most 87600 hours/);
	const [key] = (await run('api-key', 'list', '--user-id', 'agency')).json;
	t.like(key, { state: 'active', hint: apiKey.slice(-4) });
});

test('an operator changes permissions, allowance and CVV retention of an account, disables and deletes it', async (t) => {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'acme');
	const of = ['--user-id', 'acme'];
	const set = await run('account', 'permissions', 'set', ...of, '--permissions', 'Tokenize,Relay');
	t.deepEqual(set.json, { userId: 'acme', credentials: 1, permissions: ['Tokenize', 'Relay'] });
	t.deepEqual((await run('api-key', 'list', ...of)).json[0].permissions, ['Tokenize', 'Relay']);
	t.is((await run('account', 'permissions', 'set', ...of, '--permissions', 'Fly')).json.error.reason, 'bad-input-data');
	t.like((await run('allowance', 'set', ...of, '--units', '7')).json, { limit: 7, used: 0, left: 7 });
	t.like((await run('allowance', 'show')).json[0], { userId: 'acme', limit: 7 });
	t.regex((await run.text('allowance', 'set', ...of, '--units', 'unlimited')).stdout, /has no limit; 0 are used/);
	t.is((await run('allowance', 'set', ...of, '--units', '-1')).code, 64);
	t.true((await run('cvv-retention', 'set', 'on', ...of)).json.cvvRetention);
	t.is((await run('cvv-retention', 'set', 'maybe', ...of)).code, 64);
	t.truthy((await run('account', 'disable', ...of)).json.disabledAt);
	t.is((await run('account', 'enable', ...of)).code, 0);
	t.is((await run('account', 'delete', ...of, '--confirm', 'acne')).code, 64);
	t.is((await run('account', 'show', ...of)).json.disabledAt, null);
	t.regex((await run.text('account', 'delete', ...of, '--confirm', 'acme')).stdout, /Stays: the audit trail/);
	t.truthy((await run('account', 'show', ...of)).json.disabledAt);
});
