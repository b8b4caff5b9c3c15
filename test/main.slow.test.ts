// Those tests of main.test.ts that take long.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import test from 'ava';
import { listCommands } from './helpers/command-list.ts';
import { compileCache } from './helpers/compile-cache.ts';
import { temporaryFolder, tokendrop } from './main.setup.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

test('--help names every command and the exit codes', async (t) => {
	const { code, stdout } = await tokendrop(['--help']);
	t.is(code, 0);
	for (const name of ['serve', 'migrate', 'config', '--json', '--config <file>', '78 wrong settings']) {
		t.true(stdout.includes(name), name);
	}
});

test('a command is found by its first word, and no other is loaded for it', async (t) => {
	const first = new Set((await listCommands()).map((command) => command.split(' ')[0]));
	t.true(first.size > 25);
	for (const name of first) {
		const { code, stdout } = await tokendrop([name, '--help']);
		t.is(code, 0, name);
		t.true(stdout.startsWith(`Usage: tokendrop ${name} `), name);
	}
	const program = `
		import { registerHooks } from 'node:module';
		const loaded = [];
		registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
		const { runCommandLine } = await import(${JSON.stringify(pathToFileURL(MAIN).href)});
		const sink = { write() {} };
		await runCommandLine({ argv: ['approve', '--help'], env: {}, stdout: sink, stderr: sink });
		process.stdout.write(JSON.stringify(loaded));`;
	const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
	const commands = (JSON.parse(stdout) as string[]).filter((url) => /\/src\/commands\/[\w/-]+\.ts$/.test(url));
	t.true(
		commands.some((url) => url.endsWith('/approval.ts')),
		stderr,
	);
	t.false(commands.some((url) => /\/(account|job|serve)\.ts$/.test(url)));
});

test('migrate brings up a database and is harmless when it is up to date', async (t) => {
	const env = { TOKENDROP_DATA_DIR: temporaryFolder(t) };
	const first = await tokendrop(['migrate', '--json'], env);
	t.is(first.code, 0, first.stderr);
	t.true(JSON.parse(first.stdout).applied.includes('0001-keys'));
	t.is((await tokendrop(['migrate'], env)).stdout, 'The database is up to date.\n');
});

test('the program itself: exit code, and one JSON document', (t) => {
	const { PATH } = process.env;
	const run = (...argv: string[]) =>
		spawnSync(process.execPath, [MAIN, ...argv], {
			encoding: 'utf8',
			env: { PATH, TOKENDROP_WORKERS: '2', ...compileCache },
		});
	const good = run('config', 'check', '--json');
	t.is(good.status, 0, good.stderr);
	t.is(JSON.parse(good.stdout).workers, 2);
	t.is(run('nonsense').status, 64);
});

test("what a process makes in a data directory is its owner's alone, whatever the umask and the directory", (t) => {
	const dataDir = join(temporaryFolder(t), 'data');
	mkdirSync(dataDir, { mode: 0o755 });
	const command = `umask 000 && "${process.execPath}" "${MAIN}" migrate && "${process.execPath}" "${MAIN}" account list`;
	const { status } = spawnSync('sh', ['-c', command], {
		env: { PATH: process.env.PATH, TOKENDROP_DATA_DIR: dataDir, ...compileCache },
	});
	t.is(status, 0);
	const open = readdirSync(dataDir).filter((name) => (statSync(join(dataDir, name)).mode & 0o077) !== 0);
	t.deepEqual(open, []);
});

test('a group of benchmarks that is none is a wrong command line', async (t) => {
	const { code, stderr } = await tokendrop(['bench', 'nope']);
	t.is(code, 64);
	t.regex(stderr, /files, postgres/);
	const script = fileURLToPath(new URL('../bench/main.ts', import.meta.url));
	const direct = spawnSync(process.execPath, [script, 'files', 'nope'], { encoding: 'utf8' });
	t.is(direct.status, 64);
	t.regex(direct.stderr, /nope .*files, postgres/);
});
