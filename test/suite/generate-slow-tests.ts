// Runs all tests and lists those that are slow, for `npm run generate:slow-tests`.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseSlow, writeSlowTests } from './slow-tests.ts';
import type { TestTime } from './times.ts';

const folder = mkdtempSync(join(tmpdir(), 'tokendrop-times-'));
const path = join(folder, 'times');
const { status } = spawnSync('ava', ['--config', 'ava.suite.config.js'], {
	stdio: 'inherit',
	env: { ...process.env, TOKENDROP_TEST_ALL: '1', TOKENDROP_TEST_TIMES: path },
});
if (status === 0) {
	const lines = readFileSync(path, 'utf8').trim().split('\n');
	writeSlowTests(chooseSlow(lines.map((line) => JSON.parse(line) as TestTime)));
}
rmSync(folder, { recursive: true });
process.exitCode = status ?? 1;
