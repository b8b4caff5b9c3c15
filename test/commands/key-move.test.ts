import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openKmsDouble, REGION } from '../helpers/key-services/kms-server.ts';
import { temporaryFolder } from '../helpers/key-services/providers.ts';
import { openTransitDouble } from '../helpers/key-services/transit-server.ts';
import { openCommandRunner } from '../helpers/run-command.ts';

/** Opens an installation whose settings name a key of each service that a test can stand in for. */
async function openScene(t: ExecutionContext) {
	const [kms, transit] = [await openKmsDouble(t), await openTransitDouble(t)];
	transit.makeKey('ours');
	const folder = temporaryFolder(t);
	const [tokenFile, credentialsFile] = ['token', 'credentials'].map((name) => join(folder, name));
	writeFileSync(tokenFile, 'hvs.test\n', { mode: 0o600 });
	const credentials = '[default]\naws_access_key_id=AKIATEST\naws_secret_access_key=a secret of tests\n';
	writeFileSync(credentialsFile, credentials, { mode: 0o600 });
	const variables: Record<string, string> = {
		TOKENDROP_KEYS_AWS_KMS_KEY_ID: kms.makeKey('alias/ours'),
		TOKENDROP_KEYS_AWS_KMS_REGION: REGION,
		TOKENDROP_KEYS_AWS_KMS_ENDPOINT: kms.url,
		TOKENDROP_KEYS_AWS_KMS_CREDENTIALS_FILE: credentialsFile,
		TOKENDROP_KEYS_TRANSIT_URL: transit.url,
		TOKENDROP_KEYS_TRANSIT_KEY_NAME: 'ours',
		TOKENDROP_KEYS_TRANSIT_TOKEN_FILE: tokenFile,
	};
	const run = openCommandRunner(t, variables);
	/** Runs with the settings of a provider. */
	const under = (provider: string) => {
		const whole = { ...variables, TOKENDROP_DATA_DIR: run.dataDir, TOKENDROP_KEYS_PROVIDER: provider };
		return Object.assign(openCommandRunner(t, whole, { isReady: false }), { variables: whole });
	};
	return { run, under, kms, transit };
}

test('an installation moves from a file to a service, to another service and back, and opens with the newest only', async (t) => {
	const { run, under } = await openScene(t);
	t.is((await run('account', 'create', '--user-id', 'agency')).code, 0);
	const way = ['file', 'transit', 'aws-kms', 'file'];
	for (const [at, to] of way.slice(1).entries()) {
		const from = way[at];
		const moved = await under(from)('key', 'move', '--to', to);
		t.is(moved.code, 0, moved.stderr);
		t.like(moved.json, { from, to, isFormerNeeded: false });
		// The same file is the master key again at the end of the way.
		for (const provider of ['file', 'transit', 'aws-kms']) {
			const { code, stderr, json } = await under(provider)('account', 'list');
			if (provider === to) t.is(json[0].userId, 'agency');
			else {
				t.is(code, 1, provider);
				const where = to === 'file' ? 'a master key of a file or a variable' : `a key service: keys.provider ${to}`;
				t.true(stderr.includes(`the keys of this database are under ${where}`), stderr);
			}
		}
	}
	const { entries } = (await run('audit', 'list', '--kind', 'key.move')).json;
	t.deepEqual(
		entries.map(({ details }: { details: { from: string; to: string } }) => `${details.from} ${details.to}`).sort(),
		['aws-kms file', 'file transit', 'transit aws-kms'],
	);
	t.is((await run('audit', 'verify')).code, 0);
});

test('nothing moves to where the key is, to a service that is not filled in, or to one that does not work', async (t) => {
	const { run, under, transit } = await openScene(t);
	await run('account', 'create', '--user-id', 'agency');
	const here = await run('key', 'move', '--to', 'file');
	t.is(here.code, 64);
	t.regex(here.stderr, /the master key is with file already/);
	const missing = await run('key', 'move', '--to', 'pkcs11');
	t.is(missing.code, 78);
	for (const name of ['library', 'tokenLabel', 'keyLabel', 'pinFile'])
		t.true(missing.stderr.includes(`keys.pkcs11.${name}`));
	t.is((await run('key', 'move', '--to', 'env')).code, 64);
	transit.tokens.set('hvs.test', { seconds: 60, policy: 'encrypts' });
	const half = await run('key', 'move', '--to', 'transit');
	t.is(half.code, 1);
	t.regex(half.stderr, /login is refused.*permission denied/);
	transit.state = 'sealed';
	t.regex((await run('key', 'move', '--to', 'transit')).stderr, /the service is sealed; unseal it/);
	t.is((await run('account', 'list')).code, 0, 'the installation is as before');
	t.regex((await under('transit')('account', 'list')).stderr, /under a master key of a file or a variable/);
});

test('a key in a service is not split', async (t) => {
	const { run, under } = await openScene(t);
	await run('account', 'create', '--user-id', 'agency');
	t.is((await run('key', 'move', '--to', 'transit')).code, 0);
	const split = await under('transit')('key', 'split', '--needed', '2', '--count', '3');
	t.is(split.code, 1);
	t.regex(split.stderr, /the master key is with transit, which never gives it out/);
});

test('a backup is restored while the key service is away, and says that it is needed', async (t) => {
	const { run, under, transit } = await openScene(t);
	await run('account', 'create', '--user-id', 'agency');
	t.is((await run('key', 'move', '--to', 'transit')).code, 0);
	const backup = join(temporaryFolder(t), 'backup');
	t.is((await under('transit')('backup', 'create', backup)).code, 0);
	const variables = { ...under('transit').variables, TOKENDROP_DATA_DIR: join(temporaryFolder(t), 'data') };
	const restored = openCommandRunner(t, variables, { isReady: false });
	await transit.goAway();
	const { code, stdout, stderr } = await restored.text('backup', 'restore', backup);
	t.is(code, 0, stderr);
	t.regex(stdout, /It is restored\. Put the master key in its place, or bring back the key service that has it/);
	await transit.comeBack();
	t.is((await restored('account', 'list')).json[0].userId, 'agency');
});

test('two operators move the master key', async (t) => {
	const { run } = await openScene(t);
	for (const name of ['alice', 'bob']) {
		const words = name === 'bob' ? ['--as', 'alice', '--token-file', join(run.dataDir, 'alice.token')] : [];
		const added = await run('operator', 'add', name, '--role', 'keys', '--token', ...words);
		t.is(added.code, 0, added.stderr);
		writeFileSync(join(run.dataDir, `${name}.token`), added.json.token, { mode: 0o600 });
	}
	const alone = await run(
		'key',
		'move',
		'--to',
		'transit',
		'--as',
		'alice',
		'--token-file',
		join(run.dataDir, 'alice.token'),
	);
	t.is(alone.code, 77);
	t.regex(alone.stderr, /approv|second/i);
});
