// Those tests of bench-run.test.ts that take long.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { readRun } from '../../bench/run-file.ts';

const MAIN = fileURLToPath(new URL('../../bench/main.ts', import.meta.url));

function makeFolder(t: ExecutionContext): string {
	const folder = mkdtempSync(join(tmpdir(), 'tokendrop-bench-test-'));
	t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

/** Runs the benchmark with a path that holds nothing but Node, so that every other program is missing. */
function bench(folder: string, args: readonly string[], more: Record<string, string> = {}) {
	symlinkSync(process.execPath, join(folder, 'node'));
	const amounts = { BENCH_RUNS: '1', BENCH_SECONDS: '1', BENCH_HANGING: '10', BENCH_MAX_BYTES: '100000', ...more };
	const env = { PATH: folder, HOME: folder, ...amounts };
	return spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', env, timeout: 110_000 });
}

test('a group that compares with nginx and mitmproxy is measured without them, and says so in their cells', (t) => {
	const folder = makeFolder(t);
	const path = join(folder, 'run.json');
	const { status, stdout, stderr } = bench(folder, ['--json', path, 'relay', 'upload']);
	t.is(status, 0, stderr);
	t.regex(stdout, /nginx proxy_pass, 2 KB JSON, 64 connections +\| not measured: nginx is missing/);
	t.regex(stdout, /mitmproxy with a script, 2 KB SOAP, 64 connections +\| not measured: mitmdump is missing/);
	t.regex(stdout, /relay, 2 KB JSON, one token, target in Node +\| \d+ requests\/s/);
	t.regex(stdout, /sFTP upload of 100 KB until its output is visible +\| not measured: sftp is missing/);
	const run = readRun(path);
	t.deepEqual(
		run.groups.map(({ name, error }) => [name, error]),
		[
			['relay', undefined],
			['upload', undefined],
		],
	);
	const names = run.groups[0].rows.flatMap(({ figures }) => figures.map(({ name }) => name));
	t.true(names.includes('relay/JSON/ours, target in Node/requests'));
	t.false(names.some((name) => name.includes('nginx') || name.includes('mitmproxy')));
	t.deepEqual(run.amounts, { BENCH_RUNS: '1', BENCH_SECONDS: '1', BENCH_HANGING: '10', BENCH_MAX_BYTES: '100000' });
});

test('groups over sFTP say in every row that the client is missing', (t) => {
	const folder = makeFolder(t);
	const { status, stdout } = bench(folder, ['sftp', 'sizes', 'sessions', 'clients']);
	t.is(status, 0);
	const rows = stdout.trim().split('\n').slice(2);
	t.is(rows.length, 1 + 2 + 5 + 5);
	for (const row of rows) t.regex(row, /\| not measured: sftp is missing/);
});

test('a group that fails says so in its row, the others go on, and the exit code is 1', (t) => {
	const folder = makeFolder(t);
	const path = join(folder, 'run.json');
	const { status, stdout } = bench(folder, ['--json', path, 'misses', 'false-findings'], {
		...{ BENCH_FILES: 'many', BENCH_LINES: '1000' },
	});
	t.is(status, 1);
	t.regex(stdout, /the group misses +\| failed: BENCH_FILES is no whole number: many/);
	t.regex(stdout, /cards found in 1,000 lines of AIR and IUR without one +\| 0/);
	const { groups, machine, startedAt, commit } = readRun(path);
	t.is(groups[0].error, 'BENCH_FILES is no whole number: many');
	t.is(groups[1].error, undefined);
	const [found] = groups[1].rows[0].figures;
	t.deepEqual(found, {
		...{ name: 'false-findings/found', value: 0, unit: 'count', larger: 'worse', must: 0, aim: 0, runs: [0] },
	});
	t.true(machine.cores > 0 && machine.memoryBytes > 0 && machine.node === process.version && machine.kernel !== '');
	t.true(Math.abs(Date.parse(startedAt) - Date.now()) < 120_000);
	t.true(commit === null || /^[0-9a-f]{40}$/.test(commit));
});

test('a wrong command line of the benchmark', (t) => {
	const run = (...args: string[]) => spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
	for (const args of [['nope'], ['compare', 'one.json'], ['--jsn', 'a', 'files'], ['compare', MAIN, MAIN]]) {
		const { status, stderr } = run(...args);
		t.is(status, 64, args.join(' '));
		t.not(stderr, '');
	}
});
