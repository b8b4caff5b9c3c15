import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { Command } from 'commander';
import { ServiceError } from '../src/base/errors.ts';
import { type CommandAction, createFrame, UsageError, wholeNumber } from '../src/installation/frame/command.ts';
import { createOutput, table } from '../src/installation/frame/output.ts';
import { runCommandLine } from './helpers/command-line.ts';
import { listCommands } from './helpers/command-list.ts';
import { compileCache } from './helpers/compile-cache.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

function sink() {
	const texts: string[] = [];
	return { write: (text: string) => texts.push(text), text: () => texts.join('') };
}

/** Runs the command line in this process. */
async function tokendrop(argv: string[], env: Record<string, string> = {}) {
	const [stdout, stderr] = [sink(), sink()];
	const code = await runCommandLine({ argv, env, stdout, stderr });
	return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function temporaryFolder(t: ExecutionContext): string {
	const folder = mkdtempSync(join(tmpdir(), 'main-'));
	t.teardown(() => rmSync(folder, { recursive: true }));
	return folder;
}

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

test('config check shows every setting, for people and as JSON', async (t) => {
	const forPeople = await tokendrop(['config', 'check'], { TOKENDROP_SFTP_PORT: '0' });
	t.is(forPeople.code, 0);
	t.true(forPeople.stdout.includes('\nsftp.port: 0\n'));
	const asJson = await tokendrop(['config', 'check', '--json'], { TOKENDROP_SFTP_PORT: '0' });
	t.is(JSON.parse(asJson.stdout).sftp.port, 0);
	t.is(asJson.stderr, '');
});

test('--config and --json are taken before and after the name of a command', async (t) => {
	const path = join(temporaryFolder(t), 'settings.yaml');
	writeFileSync(path, 'workers: 7\n');
	for (const argv of [
		['--json', '--config', path, 'config', 'check'],
		['config', 'check', '--config', path, '--json'],
	]) {
		t.is(JSON.parse((await tokendrop(argv)).stdout).workers, 7);
	}
});

test('wrong settings end with 78 and all problems, before anything is opened', async (t) => {
	const folder = temporaryFolder(t);
	const env = { TOKENDROP_DATA_DIR: join(folder, 'data'), TOKENDROP_HTTP_PORT: 'x', TOKENDROP_OOPS: '1' };
	for (const command of ['serve', 'migrate']) {
		const { code, stderr, stdout } = await tokendrop([command], env);
		t.is(code, 78);
		t.is(stdout, '');
		t.true(stderr.includes('TOKENDROP_HTTP_PORT') && stderr.includes('TOKENDROP_OOPS'));
	}
	const { error } = JSON.parse((await tokendrop(['config', 'check', '--json'], env)).stderr);
	t.is(error.reason, 'settings');
	t.deepEqual(
		error.problems.map((problem: { key: string }) => problem.key),
		['TOKENDROP_OOPS', 'http.port'],
	);
	t.throws(() => rmSync(join(folder, 'data'), { recursive: true }), { code: 'ENOENT' });
});

for (const argv of [['frobnicate'], ['config'], ['config', 'check', '--frob'], ['migrate', 'surplus'], []]) {
	test(`a wrong command line ends with 64: tokendrop ${argv.join(' ')}`, async (t) => {
		const { code, stdout, stderr } = await tokendrop([...argv, '--json']);
		t.is(code, 64);
		t.is(stdout, '');
		t.is(JSON.parse(stderr).error.reason, 'usage');
	});
}

test('migrate brings up a database and is harmless when it is up to date', async (t) => {
	const env = { TOKENDROP_DATA_DIR: temporaryFolder(t) };
	const first = await tokendrop(['migrate', '--json'], env);
	t.is(first.code, 0, first.stderr);
	t.true(JSON.parse(first.stdout).applied.includes('0001-keys'));
	t.is((await tokendrop(['migrate'], env)).stdout, 'The database is up to date.\n');
});

/** Runs one action in the frame, as `tokendrop try` would. */
async function framed<Options>(run: CommandAction<Options>, argv: string[] = [], env: Record<string, string> = {}) {
	const [stdout, stderr] = [sink(), sink()];
	let code: number | undefined;
	const onExit = (given: number) => {
		code = given;
	};
	const frame = createFrame({ env, stdout, stderr, onExit });
	const program = new Command().option('--json').option('--config <file>');
	program.command('try').argument('[name]').option('--count <n>', 'how many', wholeNumber).action(frame.action(run));
	await program.parseAsync(['try', ...argv], { from: 'user' });
	return { code, stdout: stdout.text(), stderr: stderr.text() };
}

test('an action gets its options, its arguments and the settings', async (t) => {
	t.plan(3);
	await framed<{ count: number }>(
		async ({ settings }, options, name) => {
			t.is(options.count, 3);
			t.is(name, 'somebody');
			t.is(settings.logLevel, 'error');
		},
		['somebody', '--count', '3'],
		{ TOKENDROP_LOG_LEVEL: 'error' },
	);
});

test('resources that an action opened are closed in reverse order, even if it throws', async (t) => {
	const closed: string[] = [];
	const { code } = await framed(async ({ opened }) => {
		opened('database', { close: () => void closed.push('database') });
		opened('keys', { close: () => void closed.push('keys') });
		throw new Error('no');
	});
	t.is(code, 1);
	t.deepEqual(closed, ['keys', 'database']);
});

const fails = test.macro({
	async exec(t, error: unknown, code: number, reason: string, message: string) {
		const run = async () => {
			throw error;
		};
		const asJson = await framed(run, ['--json']);
		t.is(asJson.code, code);
		t.deepEqual(JSON.parse(asJson.stderr), { error: { reason, message } });
		t.is((await framed(run)).stderr, `${message}\n`);
	},
	title: (text = '') => `a failure is told by its reason: ${text}`,
});

const position = { offset: 10, line: 2 };
const malformed = new ServiceError('file-malformed', { moreInfo: 'field 3 is missing', at: position });
const malformedText = 'Message badly formatted: field 3 is missing (offset 10, line 2)';
test('of the catalogue, with its place', fails, malformed, 1, 'file-malformed', malformedText);
test('of the command line', fails, new UsageError('one of --a and --b'), 64, 'usage', 'one of --a and --b');
test('unknown', fails, new Error('disk full'), 1, 'failed', 'disk full');
test(
	'without a text',
	fails,
	Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
	1,
	'failed',
	'ECONNREFUSED',
);
test('that is no error', fails, 'odd', 1, 'failed', 'odd');
test('with a card number', fails, new Error('at 4111111111111111'), 1, 'failed', 'at 411111******1111');

test('a command may set its exit code, and logs only warnings unless asked', async (t) => {
	const { code, stderr } = await framed(async (context) => {
		context.logger.info('ordinary');
		context.logger.warn('odd');
		context.exitCode = 1;
	});
	t.is(code, 1);
	t.regex(stderr, /odd/);
	t.notRegex(stderr, /ordinary/);
	const asked = await framed(async ({ logger }) => logger.debug('detail'), [], { TOKENDROP_LOG_LEVEL: 'debug' });
	t.regex(asked.stderr, /detail/);
});

test('a result is shown once, and remarks are silent under --json', (t) => {
	const [stdout, stderr] = [sink(), sink()];
	const output = createOutput(true, stdout, stderr);
	output.note('working');
	output.show([1], 'one');
	t.is(stdout.text(), '[1]\n');
	t.is(stderr.text(), '');
	t.throws(() => output.show(2, 'two'), { message: /one result/ });
});

test('a name in a result cannot drive the terminal', (t) => {
	const stdout = sink();
	createOutput(false, stdout, sink()).show({}, 'file \u001b[2J\u001b]0;x\u0007a\tb\rc\u009b1m\nend');
	t.is(stdout.text(), 'file a\tbc\nend\n');
	t.is(table(['a'], [['x\ny']]), 'a\nx y');
});

test('a table has columns as wide as their widest cell', (t) => {
	t.is(
		table(
			['id', 'state'],
			[
				['abc', null],
				['d', 5],
			],
		),
		'id   state\nabc  -\nd    5',
	);
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
