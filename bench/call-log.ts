// Measures what the log of the last thousand calls costs those who store single cards. Daemons with it and without it are
// measured in turn, by requests a second and by the daemon's own processor time, which tells more if other programs use the
// machine too.

import { fileURLToPath } from 'node:url';
import { amount, runs } from './amounts.ts';
import { figure, median } from './figures.ts';
import { httpLoad } from './loads.ts';
import { readProcess } from './process-usage.ts';
import type { BenchRow } from './table.ts';
import { withDaemon } from './with-daemon.ts';

const PRELOAD = fileURLToPath(new URL('./no-call-log/preload.mjs', import.meta.url));
const PAIRS = runs(5);
const SECONDS = amount('BENCH_SECONDS', 8);
const WARM_SECONDS = 3;

interface Measured {
	readonly requestsPerSecond: number;
	readonly cpuMicroseconds: number;
}

export async function callLogRows(): Promise<BenchRow[]> {
	const on: Measured[] = [];
	const off: Measured[] = [];
	for (let pair = 0; pair < PAIRS; pair++) {
		// The order changes with each pair, so that neither kind of daemon always goes first.
		for (const isOn of pair % 2 === 0 ? [true, false] : [false, true]) (isOn ? on : off).push(await measure(isOn));
	}
	const middle = (all: readonly Measured[], name: keyof Measured) => median(all.map((each) => each[name]));
	const cost = (name: keyof Measured) => {
		const [with_, without] = [middle(on, name), middle(off, name)];
		const share = name === 'cpuMicroseconds' ? with_ / without - 1 : 1 - with_ / without;
		return share * 100;
	};
	const told = (all: readonly Measured[]) =>
		`${Math.round(middle(all, 'requestsPerSecond'))} requests/s, ${Math.round(middle(all, 'cpuMicroseconds'))} µs of the processor each`;
	const figures = (name: string, all: readonly Measured[]) => [
		figure(
			`call-log/${name}/requests`,
			'requests/s',
			all.map((each) => each.requestsPerSecond),
		),
		figure(
			`call-log/${name}/processor`,
			'µs',
			all.map((each) => each.cpuMicroseconds),
		),
	];
	const [ofRequests, ofProcessor] = [cost('requestsPerSecond'), cost('cpuMicroseconds')];
	return [
		{ what: 'store one card, with the log of calls', result: told(on), target: '', figures: figures('with', on) },
		{ what: 'store one card, without it', result: told(off), target: '', figures: figures('without', off) },
		{
			what: 'cost of the log of calls',
			result: `${ofRequests.toFixed(1)} % of requests/s, ${ofProcessor.toFixed(1)} % of processor time`,
			target: '2 %',
			// Two runs are compared by the two rows above. The cost is a small difference, so a change of it in per cent says
			// little.
			figures: [
				figure('call-log/cost/requests', '%', ofRequests, { larger: 'neither', must: 2 }),
				figure('call-log/cost/processor', '%', ofProcessor, { larger: 'neither', must: 2 }),
			],
		},
	];
}

async function measure(isOn: boolean): Promise<Measured> {
	const variables: Record<string, string> = isOn ? {} : { NODE_OPTIONS: `--import=${PRELOAD}` };
	return withDaemon(variables, async (url, { apiKey }, _installation, { pid }) => {
		const load = (seconds: number) => httpLoad({ url, apiKey, cards: 5000, paths: ['/api/payments/paycard'], seconds });
		await load(WARM_SECONDS);
		const before = readProcess(pid).processorSeconds;
		const { requestsPerSecond, answered } = await load(SECONDS);
		const cpuMicroseconds = ((readProcess(pid).processorSeconds - before) * 1e6) / answered;
		const listed = await fetch(`${url}/api/requests`, { headers: { 'x-service-api-key': apiKey } });
		if (((await listed.json()) as unknown[]).length > 0 !== isOn)
			throw new Error('the log of calls is not as it should be');
		return { requestsPerSecond, cpuMicroseconds };
	});
}
