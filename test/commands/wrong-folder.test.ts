// Checks what commands do in a folder without an installation.

import { readdirSync } from 'node:fs';
import test from 'ava';
import { openCommandRunner } from '../helpers/run-command.ts';

for (const words of ['account list', 'job list', 'key status', 'audit verify', 'account create --user-id acme']) {
	test(`${words} makes no installation, and says which folder it looked in`, async (t) => {
		const run = openCommandRunner(t, {}, { isReady: false });
		const { code, stderr, stdout } = await run.text(...words.split(' '));
		t.is(code, 1);
		t.is(stdout, '');
		t.true(stderr.startsWith(`there is no installation in ${run.dataDir}: `), stderr);
		t.regex(stderr, /TOKENDROP_DATA_DIR/);
		t.deepEqual(readdirSync(run.dataDir), []);
	});
}

test('after migrate the commands of a sandbox work', async (t) => {
	const run = openCommandRunner(t, {}, { isReady: false });
	t.is((await run('migrate')).code, 0);
	t.is((await run('account', 'create', '--user-id', 'acme')).code, 0);
});
