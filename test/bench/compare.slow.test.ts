// Those tests of compare.test.ts that take long.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { writeRun } from '../../bench/run-file.ts';
import { rate, runOf, time } from './compare.setup.ts';

const MAIN = fileURLToPath(new URL('../../bench/main.ts', import.meta.url));

test('bench compare prints both runs and what is worse, and ends with 1 where anything is', (t) => {
	const folder = mkdtempSync(join(tmpdir(), 'tokendrop-compare-'));
	t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	const [before, after] = ['before.json', 'after.json'].map((name) => join(folder, name));
	writeRun(before, runOf([rate('files/GBT/tokenize/bytes', 40), time('files/other', 12)]));
	writeRun(
		after,
		runOf([rate('files/GBT/tokenize/bytes', 30), time('files/other', 12)], { amounts: { BENCH_RUNS: '1' } }),
	);
	const run = (...paths: string[]) => spawnSync(process.execPath, [MAIN, 'compare', ...paths], { encoding: 'utf8' });
	const worse = run(before, after);
	t.is(worse.status, 1, worse.stderr);
	t.regex(worse.stdout, /The runs differ in BENCH_RUNS: not set before, 1 after\./);
	t.regex(worse.stdout, /files\/GBT\/tokenize\/bytes +40 MB\/s +30 MB\/s +-25\.0 % +WORSE/);
	t.regex(worse.stdout, /files\/other +12 ms +12 ms +0\.0 %\n/);
	t.regex(worse.stdout, /2 figures, 1 of them more than 5 % worse/);
	t.is(run(after, before).status, 0);
});
