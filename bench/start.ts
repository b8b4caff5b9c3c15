// Measures how long `npm start` takes until the daemon says that it is ready: the first time, when it makes keys, a
// database and an account, and from then on.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runs } from './amounts.ts';
import { figure, median } from './figures.ts';
import type { BenchRow } from './table.ts';

const RUNS = runs(5);
const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));
const ANY_PORT = { TOKENDROP_HTTP_PORT: '0', TOKENDROP_SFTP_PORT: '0', TOKENDROP_OPS_PORT: '0' };

/**
 * Measures the first start of a folder and the next one, several times. The first round is left out, because the very first
 * start after `npm ci` also compiles the code.
 */
export async function startRows(folder: string): Promise<BenchRow[]> {
	const first: number[] = [];
	const again: number[] = [];
	for (let run = 0; run <= RUNS; run++) {
		const data = mkdtempSync(join(folder, 'start-'));
		const measured = [await startOnce(data), await startOnce(data)];
		rmSync(data, { recursive: true });
		if (run === 0) continue;
		first.push(measured[0]);
		again.push(measured[1]);
	}
	return [
		row('`npm start` to ready, the first time', 'start/first', first),
		row('the same, from then on', 'start/again', again),
	];
}

function row(what: string, name: string, seconds: readonly number[]): BenchRow {
	return {
		what,
		result: `${median(seconds).toFixed(2)} s`,
		target: '1.5 s',
		figures: [figure(name, 's', seconds, { must: 1.5 })],
	};
}

/** Starts a daemon as its users do, waits until it is ready, and ends it. Returns the seconds until it was ready. */
async function startOnce(data: string): Promise<number> {
	const environment = { ...process.env, ...ANY_PORT, TOKENDROP_DATA_DIR: data };
	const started = performance.now();
	const child = spawn('npm', ['start'], { cwd: REPOSITORY, env: environment, detached: true });
	const ended = once(child, 'exit');
	let said = '';
	const seconds = await new Promise<number>((resolve, reject) => {
		child.stdout.on('data', (text) => {
			said += text;
			if (said.includes('Tokendrop is ready')) resolve((performance.now() - started) / 1000);
		});
		child.stderr.on('data', (text) => {
			said += text;
		});
		child.once('error', reject);
		child.once('exit', (code) => reject(new Error(`\`npm start\` ended with exit code ${code}`)));
	});
	// npm does not pass the signal on to the daemon, so their whole group gets it.
	process.kill(-child.pid!, 'SIGTERM');
	await ended;
	return seconds;
}
