// Those tests of caller-paths.test.ts that take long.

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { compileCache } from '../helpers/compile-cache.ts';
import { openCommandRunner } from '../helpers/run-command.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

test('under npm run, paths begin where it was typed', async (t) => {
	const { dataDir, ...run } = Object.assign(openCommandRunner(t));
	t.is((await run.text('migrate')).code, 0);
	t.is((await run.text('account', 'create', '--user-id', 'agency')).code, 0);
	// The folder is inside the package, because npm looks for package.json in the folders above.
	const folder = mkdtempSync(join(ROOT, 'test', 'caller-'));
	t.teardown(() => rmSync(folder, { recursive: true }));
	mkdirSync(join(folder, 'files'));
	writeFileSync(join(folder, 'settings.yaml'), 'workers: 7\n');
	writeFileSync(join(folder, 'files', 'in.csv'), 'CardNumber,ExpirationDate\n4111111111111111,12/31\n');
	const npm = async (...argv: string[]) => {
		const env = { PATH: process.env.PATH, HOME: process.env.HOME, TOKENDROP_DATA_DIR: dataDir, ...compileCache };
		const { stdout } = await promisify(execFile)('npm', ['run', '-s', 'tokendrop', '--', ...argv, '--json'], {
			cwd: folder,
			env,
		});
		return JSON.parse(stdout);
	};
	t.is((await npm('config', 'check', '--config', './settings.yaml')).workers, 7);
	const named = ['--user-id', 'agency', '--filter', 'SIMPLECSV', '--report', 'report.json'];
	const done = await npm('file', 'tokenize', ...named, 'files/in.csv', './out.csv');
	t.is(done.cards, 1);
	t.regex(readFileSync(join(folder, 'out.csv'), 'utf8'), /\n[0-9a-f]{32},12\/31\n/);
	t.is(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')).cards, 1);
	const backup = await npm('backup', 'create', 'kept');
	t.is(backup.folder, join(folder, 'kept'));
});
