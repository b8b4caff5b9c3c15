import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { loadSettings } from '../../src/base/settings/settings.ts';
import { findUnwise } from '../../src/base/settings/unwise.ts';
import { openCommandRunner } from '../helpers/run-command.ts';
import { run } from '../helpers/ssh-clients.ts';

const QUIET = { swaps: 'Filename\tType\tSize\n', mounts: '/dev/sda1 / ext4 rw 0 0\n' };
const PRODUCTION = { TOKENDROP_ENVIRONMENT: 'production', TOKENDROP_BASE_URL: 'https://tokens.example.com' };
const keysOf = (env: Record<string, string>, machine = QUIET) =>
	findUnwise(loadSettings({ env }), machine).map(({ key }) => key);

test('a sandbox with its defaults has nothing to be told', (t) => {
	t.deepEqual(keysOf({}), []);
});

test('production is told of a loopback address, clear HTTP, the test host and the example driver', (t) => {
	t.deepEqual(keysOf({ ...PRODUCTION, TOKENDROP_BASE_URL: 'http://127.0.0.1:8080' }), [
		...['baseUrl', 'http.tlsCertFile', 'gateway.adyenBaseUrl', 'gateway.driversDir'],
	]);
});

test('production with a balancer, a live host and no example is not', (t) => {
	const drivers = mkdtempSync(join(tmpdir(), 'tokendrop-drivers-'));
	t.teardown(() => rmSync(drivers, { recursive: true }));
	writeFileSync(join(drivers, 'bank.yaml'), '');
	const env = {
		...PRODUCTION,
		TOKENDROP_HTTP_TRUSTED_PROXIES: '10.0.0.0/8',
		TOKENDROP_GATEWAY_ADYEN_BASE_URL: 'https://checkout-live.adyen.com',
		TOKENDROP_GATEWAY_DRIVERS_DIR: drivers,
	};
	t.deepEqual(keysOf(env), []);
});

test('swap space and a network file system are told in any environment', (t) => {
	const swaps = `${QUIET.swaps}/swapfile file 1\n`;
	const mounts = `${QUIET.mounts}server:/x /srv/my\\040data nfs4 rw 0 0\nserver:/y /srv/my nfs4 rw 0 0\n`;
	t.deepEqual(keysOf({ TOKENDROP_DATA_DIR: '/srv/my data/tokendrop' }, { swaps, mounts }), ['machine', 'dataDir']);
	t.deepEqual(keysOf({ TOKENDROP_DATA_DIR: '/srv/mydata' }, { swaps: '', mounts }), []);
});

test('config check tells them beside the settings, and its JSON stays as it was', async (t) => {
	const runCommand = openCommandRunner(t, { ...PRODUCTION, TOKENDROP_BASE_URL: 'http://localhost:8080' });
	const { code, stderr, stdout } = await runCommand.text('config', 'check');
	t.is(code, 0);
	t.regex(stderr, /^warning: baseUrl is an address of this machine alone/m);
	t.notRegex(stdout, /warning/);
});

test('the command runs from another folder by a link, with the Node of the project', async (t) => {
	const folder = mkdtempSync(join(tmpdir(), 'tokendrop-link-'));
	t.teardown(() => rmSync(folder, { recursive: true }));
	symlinkSync(fileURLToPath(new URL('../../bin/tokendrop', import.meta.url)), join(folder, 'tokendrop'));
	const outcome = await run(join(folder, 'tokendrop'), ['account', 'list'], {
		cwd: folder,
		env: { TOKENDROP_DATA_DIR: '', TOKENDROP_DATABASE_URL: '' },
	});
	t.is(outcome.code, 1);
	t.true(outcome.stderr.startsWith(`there is no installation in ${join(folder, 'data')}: `), outcome.stderr);
});
