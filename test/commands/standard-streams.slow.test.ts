// Where a command takes a file, - is standard input, or standard output for a file that it writes.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { openInstallation } from '../helpers/operator-commands.ts';
import { openCommandRunner } from '../helpers/run-command.ts';
import { makeSshKeyPair } from '../helpers/ssh-key-pair.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const FILE = 'CardNumber,ExpirationMonth,ExpirationYear\n4111111111111111,12,2031\n';
const NAMED = ['--user-id', 'agency', '--filter', 'SIMPLECSV'];

/** Returns a function that runs a command line in a process of its own with something on its standard input. */
async function openProgram(t: ExecutionContext) {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency');
	const piped = async (input: string, ...argv: string[]) => {
		const env = { ...process.env, TOKENDROP_DATA_DIR: run.dataDir };
		const child = spawn(process.execPath, [MAIN, ...argv], { env });
		child.stdin.end(input);
		const ended = once(child, 'exit');
		const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
		return { code: (await ended)[0] as number, stdout, stderr };
	};
	return { run, piped };
}

test('a file goes through a pipe with tokens and comes back, and what is said goes to standard error', async (t) => {
	const { run, piped } = await openProgram(t);
	const tokens = await piped(FILE, 'file', 'tokenize', ...NAMED, '-', '-');
	t.is(tokens.code, 0, tokens.stderr);
	t.regex(tokens.stdout, /^CardNumber,ExpirationMonth,ExpirationYear\n[0-9a-f]{32},12,2031\n$/);
	t.regex(tokens.stderr, /^cards tokenized: 1,/m);
	const back = await piped(tokens.stdout, 'file', 'detokenize', ...NAMED, '-', '-');
	t.is(back.stdout, FILE);
	t.notRegex(back.stderr, /4111/);
	const out = join(run.dataDir, 'tokens.csv');
	const report = join(run.dataDir, 'report.json');
	t.is((await piped(FILE, 'file', 'tokenize', ...NAMED, '--report', report, '-', out)).code, 0);
	t.regex(readFileSync(out, 'utf8'), /^[0-9a-f]{32},12,2031$/m);
	t.like(JSON.parse(readFileSync(report, 'utf8')), { state: 'done', name: 'standard input' });
	const trial = await piped(FILE, 'file', 'tokenize', ...NAMED, '--dry-run', '-');
	t.regex(trial.stdout, /cards that would be tokenized: 1, refused: 0/);
	const bad = await piped('Name\nx\n', 'file', 'tokenize', ...NAMED, '-', '-');
	t.is(bad.code, 1);
	const entries = await run('audit', 'export', join(run.dataDir, 'trail.jsonl'));
	t.is(entries.code, 0);
	t.regex(readFileSync(join(run.dataDir, 'trail.jsonl'), 'utf8'), /file\.tokenize.*standard input/);
});

test('options, keys, styles, bodies and exports come from standard input as from a file', async (t) => {
	const { run, piped } = await openProgram(t);
	const of = ['--user-id', 'agency'];
	const options = await piped('{"onRefused":"mask"}', 'format-options', 'put', ...NAMED, '--file', '-');
	t.is(options.code, 0, options.stderr);
	const key = makeSshKeyPair();
	const added = await piped(`${key.public} clerk\n`, 'ssh-key', 'add', ...of, '--file', '-');
	t.is(added.code, 0, added.stderr);
	t.is((await piped(`${key.public}\n`, 'ssh-key', 'remove', ...of, '--file', '-')).code, 0);
	const style = await piped('body { color: navy }\n', 'form-style', 'set', ...of, '--name', 'plain', '-');
	t.is(style.code, 0, style.stderr);
	const trail = await piped('', 'audit', 'export', '-');
	t.is(trail.code, 0, trail.stderr);
	const verified = await piped(trail.stdout, 'audit', 'verify', '--file', '-');
	t.is(verified.code, 0, verified.stderr);
	t.regex(verified.stdout, /The export is whole/);
	const imported = await piped(
		'CardNumber,ExpirationMonth,ExpirationYear\n4111111111111111,12,2031\n',
		'token',
		'import',
		...of,
		'-',
		'-',
	);
	t.regex(imported.stdout, /^index,token/);
	t.regex((await piped('', 'token', 'export', ...of, '-')).stdout, /411111/);
	t.is((await run('account', 'list')).code, 0);
});

test('standard input is given once, and standard output has one document', async (t) => {
	const { run, piped } = await openProgram(t);
	const twice = await piped('{}', 'file', 'tokenize', ...NAMED, '--options', '-', '-', 'out.csv');
	t.is(twice.code, 64);
	t.regex(
		twice.stderr,
		/--options - and <in> cannot both be standard input|<in> and --options - cannot both be standard input/,
	);
	const token = await piped('', '--token-file', '-', 'ssh-key', 'add', '--user-id', 'agency', '--file', '-');
	t.is(token.code, 64);
	const json = await piped(FILE, 'file', 'tokenize', ...NAMED, '--json', '-', '-');
	t.is(json.code, 64);
	t.is((await piped(FILE, 'file', 'tokenize', ...NAMED, '--report', '-', '-', '-')).code, 64);
	t.is((await run('account', 'list')).code, 0);
});

test('a second operator approves what is in a file, so nothing can be approved that comes from a pipe', async (t) => {
	const { as, run, folder, addByToken } = await openInstallation(t);
	await run('account', 'create', '--user-id', 'agency');
	await addByToken('alice', 'keys');
	await addByToken('bob', 'keys', 'alice');
	writeFileSync(join(folder, 'x'), '');
	const asked = await as('alice')('file', 'detokenize', ...NAMED, '-', join(folder, 'out'), '--request');
	t.is(asked.code, 64, asked.stderr);
	t.regex(asked.stderr, /name one in place of -/);
});
