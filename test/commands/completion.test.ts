// What shells complete and what the manual page says is made from the commands. Real shells and a real reader are asked.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { commandRules } from '../../src/people/operators/roles.ts';
import { patient } from '../helpers/patience.ts';
import { openCommandRunner } from '../helpers/run-command.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const run = promisify(execFile);

function folderOf(t: ExecutionContext): string {
	const folder = mkdtempSync(join(tmpdir(), 'tokendrop-completion-'));
	t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

/** Writes the script of a shell into a folder with two files, and returns a function that asks the shell. */
async function openShell(
	t: ExecutionContext,
	shell: string,
	ask: (script: string, words: string[]) => [string, string[]],
) {
	const folder = folderOf(t);
	const { code, stdout } = await openCommandRunner(t, {}, { isReady: false }).text('completion', shell);
	t.is(code, 0);
	const script = join(folder, `tokendrop.${shell}`);
	writeFileSync(script, stdout);
	writeFileSync(join(folder, 'cards.csv'), '');
	writeFileSync(join(folder, 'cards of may.csv'), '');
	return async (...words: string[]) => {
		const [program, given] = ask(script, words);
		const options = {
			cwd: folder,
			timeout: patient(20_000),
			env: { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8' },
		};
		return (await run(program, given, options)).stdout
			.split('\n')
			.filter((line) => line !== '')
			.sort();
	};
}

async function checkCompletion(t: ExecutionContext, complete: (...words: string[]) => Promise<string[]>) {
	t.deepEqual(await complete('acc'), ['account']);
	t.deepEqual(await complete('api-key', 'r'), ['revoke', 'rotate']);
	t.deepEqual(await complete('account', 'permissions', ''), ['set']);
	t.deepEqual(await complete('--config', 'x.yaml', '--as', 'account', 'api-key', 'c'), ['create']);
	t.deepEqual(await complete('completion', '--jso'), ['--json']);
	t.deepEqual(await complete('account', 'create', '--user'), ['--user-id']);
	t.deepEqual(await complete('ssh-key', 'add', '--file', 'cards.'), ['cards.csv']);
	t.deepEqual(await complete('file', 'tokenize', 'cards o'), ['cards of may.csv']);
	t.deepEqual(await complete('account', 'create', '--user-id', 'cards'), []);
}

test('bash completes commands, options and files', async (t) => {
	const complete = await openShell(t, 'bash', (script, words) => {
		const line = `. "$1"; shift; COMP_WORDS=(tokendrop "$@"); COMP_CWORD=$#; _tokendrop; printf '%s\\n' "\${COMPREPLY[@]}"`;
		return ['bash', ['--norc', '-c', line, 'bash', script, ...words]];
	});
	await checkCompletion(t, complete);
});

testNeeding('fish')('fish completes commands, options and files', async (t) => {
	const complete = await openShell(t, 'fish', (script, words) => {
		const typed = ['tokendrop', ...words].map((word) => word.replaceAll(' ', '\\ ')).join(' ');
		const line = `source ${script}; complete -C (printf %s $argv[1] | string collect) | string split -f 1 \\t; true`;
		return ['fish', ['--no-config', '-c', line, typed]];
	});
	await checkCompletion(t, complete);
});

testNeeding('zsh')('zsh takes the functions of bash', async (t) => {
	const complete = await openShell(t, 'zsh', (script, words) => {
		const line = `autoload -U compinit && compinit -u -D; . "$1"; shift; emulate -L ksh; COMP_WORDS=(tokendrop "$@"); COMP_CWORD=$#; _tokendrop; printf '%s\\n' "\${COMPREPLY[@]}"`;
		return ['zsh', ['-f', '-c', line, 'zsh', script, ...words]];
	});
	// zsh itself leaves out those that do not begin as typed.
	t.true((await complete('acc')).includes('account'));
	t.deepEqual(await complete('api-key', 'r'), ['create', 'list', 'revoke', 'rotate']);
	t.true((await complete('account', 'create', '--user')).includes('--user-id'));
});

testNeeding('man (man-db, groff)')('the manual page is read without a warning, and has every command', async (t) => {
	const folder = folderOf(t);
	const runner = openCommandRunner(t, {}, { isReady: false });
	const page = join(folder, 'tokendrop.1');
	writeFileSync(page, (await runner.text('manual')).stdout);
	const env = { PATH: process.env.PATH, LANG: 'C.UTF-8', MANWIDTH: '400', HOME: folder };
	const { stdout, stderr } = await run('man', ['--warnings', '-l', page], { env, timeout: patient(20_000) });
	t.is(stderr, '');
	// biome-ignore lint/suspicious/noControlCharactersInRegex: bold letters are written over themselves
	const text = stdout.replace(/.\u0008/g, '');
	for (const command of Object.keys(commandRules)) t.true(text.includes(`tokendrop ${command}`), command);
	t.regex(text, /file tokenize <in> \[out\]/);
	t.regex(text, /^ +\{"error":\{"reason","message"\}\}/m);
});

test('a command that there is not is a wrong command line, also where its help is asked for', async (t) => {
	const runner = openCommandRunner(t, {}, { isReady: false });
	for (const words of [
		['NOSUCH'],
		['NOSUCH', '--help'],
		['account', 'NOSUCH', '--help'],
		['help', 'NOSUCH'],
		['--json', 'NOSUCH', '-h'],
	]) {
		const { code, stdout, stderr } = await runner.text(...words);
		t.is(code, 64, words.join(' '));
		t.is(stdout, '', words.join(' '));
		t.true(stderr.length > 0);
	}
	for (const words of [['--help'], ['account', '--help'], ['account', 'create', '--help'], ['help', 'account']]) {
		const { code, stdout } = await runner.text(...words);
		t.is(code, 0, words.join(' '));
		t.regex(stdout, /^Usage: tokendrop/);
	}
});
