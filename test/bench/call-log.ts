// What the log of the last thousand calls costs those who store single cards, end to end: daemons with it and without it in
// turn. Compared are requests a second and the daemon's own processor time, which tells more where others use the machine.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { HttpLoad, HttpLoadResult } from './http-load.ts';
import { type BenchRow, median } from './table.ts';
import { withDaemon } from './with-daemon.ts';

const LOAD = fileURLToPath(new URL('./http-load.ts', import.meta.url));
const PRELOAD = fileURLToPath(new URL('./no-call-log/preload.mjs', import.meta.url));
const PAIRS = 5;
const SECONDS = 8;
const WARM_SECONDS = 3;
/** Of `/proc/<pid>/stat`, where Linux counts processor time. */
const TICKS_PER_SECOND = 100;

interface Measured {
	readonly requestsPerSecond: number;
	readonly cpuMicroseconds: number;
}

export async function callLogRows(): Promise<BenchRow[]> {
	const on: Measured[] = [];
	const off: Measured[] = [];
	for (let pair = 0; pair < PAIRS; pair++) {
		// Each goes first as often as the other, but for one.
		for (const isOn of pair % 2 === 0 ? [true, false] : [false, true]) (isOn ? on : off).push(await measure(isOn));
	}
	const middle = (all: readonly Measured[], name: keyof Measured) => median(all.map((each) => each[name]));
	const cost = (name: keyof Measured) => {
		const [with_, without] = [middle(on, name), middle(off, name)];
		const share = name === 'cpuMicroseconds' ? with_ / without - 1 : 1 - with_ / without;
		return `${(share * 100).toFixed(1)} %`;
	};
	const told = (all: readonly Measured[]) =>
		`${Math.round(middle(all, 'requestsPerSecond'))} requests/s, ${Math.round(middle(all, 'cpuMicroseconds'))} µs of the processor each`;
	return [
		{ what: 'store one card, with the log of calls', result: told(on), target: '' },
		{ what: 'store one card, without it', result: told(off), target: '' },
		{
			what: 'cost of the log of calls',
			result: `${cost('requestsPerSecond')} of requests/s, ${cost('cpuMicroseconds')} of processor time`,
			target: '2 %',
		},
	];
}

async function measure(isOn: boolean): Promise<Measured> {
	const variables: Record<string, string> = isOn ? {} : { NODE_OPTIONS: `--import=${PRELOAD}` };
	return withDaemon(variables, async (url, { apiKey }, _installation, { pid }) => {
		const load = async (seconds: number): Promise<HttpLoadResult> => {
			const task: HttpLoad = { url, apiKey, cards: 5000, paths: ['/api/payments/paycard'], seconds };
			const { stdout } = await promisify(execFile)(process.execPath, [LOAD, JSON.stringify(task)]);
			return JSON.parse(stdout);
		};
		await load(WARM_SECONDS);
		const before = cpuSeconds(pid);
		const { requestsPerSecond, answered } = await load(SECONDS);
		const cpuMicroseconds = ((cpuSeconds(pid) - before) * 1e6) / answered;
		const listed = await fetch(`${url}/api/requests`, { headers: { 'x-service-api-key': apiKey } });
		if (((await listed.json()) as unknown[]).length > 0 !== isOn)
			throw new Error('the log of calls is not as it should be');
		return { requestsPerSecond, cpuMicroseconds };
	});
}

function cpuSeconds(pid: number): number {
	const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
		.replace(/^.*\) /, '')
		.split(' ');
	return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
