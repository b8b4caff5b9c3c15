// Measures how long the doors are held up, and how much memory is taken, under each of the hostile inputs.

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { figure } from './figures.ts';
import { residentMb } from './process-usage.ts';
import { ANSWERS, INPUTS, type Target } from './stall-inputs.ts';
import type { Stalls } from './stall-watch.ts';
import type { BenchRow } from './table.ts';
import { withDaemon } from './with-daemon.ts';

const LIMITS = 'p99.9 50 ms, longest 250 ms, 600 MB (20 ms)';

/** Returns one row for each input. All inputs are sent to one daemon. */
export async function stallRows(folder: string): Promise<BenchRow[]> {
	const file = join(folder, 'stalls.json');
	const hostile = await openHostile();
	const variables = {
		TOKENDROP_RELAY_ALLOW_PRIVATE: 'true',
		NODE_OPTIONS: `--import=${new URL('./stall-watch.ts', import.meta.url).href}`,
		STALLS_FILE: file,
	};
	try {
		return await withDaemon(variables, async (url, { apiKey }, _installation, { pid }) => {
			const rows: BenchRow[] = [];
			for (const [what, work] of Object.entries(INPUTS)) {
				rows.push(await measured(what, work, { url, apiKey, hostileUrl: hostile.url }, { pid, file }));
			}
			return rows;
		});
	} finally {
		hostile.close();
	}
}

async function measured(
	what: string,
	work: (target: Target) => Promise<number[]>,
	target: Target,
	daemon: { readonly pid: number; readonly file: string },
): Promise<BenchRow> {
	await stallsOf(daemon);
	let peak = 0;
	const watch = setInterval(() => {
		peak = Math.max(peak, residentMb(daemon.pid));
	}, 20);
	const statuses = await work(target);
	clearInterval(watch);
	const { p999Ms, longestMs, longestTurnMs } = await stallsOf(daemon);
	const counts = [...new Set(statuses)].map(
		(status) => `${statuses.filter((each) => each === status).length} × ${status}`,
	);
	return {
		what,
		result: `p99.9 ${p999Ms.toFixed()} ms, longest ${longestMs.toFixed()} ms (${longestTurnMs.toFixed()} ms of processor), ${peak.toFixed()} MB, ${counts.join(', ')}`,
		target: LIMITS,
		figures: [
			figure(`stalls/${what}/p99.9`, 'ms', p999Ms, { must: 50, aim: 20 }),
			figure(`stalls/${what}/longest`, 'ms', longestMs, { must: 250 }),
			figure(`stalls/${what}/longest turn`, 'ms', longestTurnMs),
			figure(`stalls/${what}/memory`, 'MB', peak, { must: 600 }),
		],
	};
}

/** Returns how long the main thread was held up since the last call. */
async function stallsOf({ pid, file }: { readonly pid: number; readonly file: string }): Promise<Stalls> {
	rmSync(file, { force: true });
	process.kill(pid, 'SIGUSR2');
	while (!existsSync(file)) await sleep(10);
	return JSON.parse(readFileSync(file, 'utf8')) as Stalls;
}

async function openHostile() {
	const bodies = new Map(Object.entries(ANSWERS).map(([name, make]) => [`/${name}`, make()]));
	const server = createServer((request, response) => {
		response.setHeader('content-type', request.url === '/elements' ? 'application/xml' : 'application/json');
		response.end(bodies.get(request.url ?? ''));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}
