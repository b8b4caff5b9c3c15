import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { Command } from 'commander';
import { ServiceError } from '../src/base/errors.ts';
import { type CommandAction, createFrame, UsageError, wholeNumber } from '../src/installation/frame/command.ts';
import { createOutput, table } from '../src/installation/frame/output.ts';
import { sink, temporaryFolder, tokendrop } from './main.setup.ts';

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
