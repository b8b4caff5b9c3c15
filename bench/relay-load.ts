// Sends requests from a process of its own: `node relay-load.ts '{…}'` prints one line of JSON. Autocannon counts requests;
// a loop that sees parts of a millisecond measures the times of single ones.

import { Agent, request } from 'node:http';
import autocannon from 'autocannon';

export interface RelayLoad {
	readonly url: string;
	/** The paths that are requested one after the other. */
	readonly paths: readonly string[];
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	/** POST unless given. */
	readonly method?: 'GET' | 'POST';
	readonly connections: number;
	readonly seconds: number;
	/** Whether single requests are timed, instead of counting requests. */
	readonly isTimed?: boolean;
}

export interface RelayLoadResult {
	readonly requestsPerSecond: number;
	readonly p50Ms: number;
	readonly p99Ms: number;
	/** The number of answers that were not 200, and of requests that failed. */
	readonly failures: number;
}

async function count(task: RelayLoad): Promise<RelayLoadResult> {
	const { url, paths, headers, body, method = 'POST', connections, seconds } = task;
	const content = method === 'POST' ? { body } : {};
	const requests = paths.map((path) => ({ method, path, headers: { ...headers }, ...content }));
	const {
		requests: rate,
		latency,
		non2xx,
		errors,
	} = await autocannon({ url, connections, duration: seconds, requests });
	return { requestsPerSecond: rate.average, p50Ms: latency.p50, p99Ms: latency.p99, failures: non2xx + errors };
}

async function time({ url, paths, headers, body, connections, seconds }: RelayLoad): Promise<RelayLoadResult> {
	const { hostname, port } = new URL(url);
	const agent = new Agent({ keepAlive: true, maxSockets: connections });
	const length = String(Buffer.byteLength(body));
	const times: number[] = [];
	let failures = 0;
	let nth = 0;
	const call = (path: string) =>
		new Promise<void>((resolve) => {
			const options = {
				agent,
				hostname,
				port,
				path,
				method: 'POST',
				headers: { ...headers, 'content-length': length },
			};
			const sent = request(options, (answer) => {
				if (answer.statusCode !== 200) failures++;
				answer.resume().once('end', resolve);
			});
			sent.once('error', () => {
				failures++;
				resolve();
			});
			sent.end(body);
		});
	const run = async (until: number, isCounted: boolean) => {
		while (performance.now() < until) {
			const started = performance.now();
			await call(paths[nth++ % paths.length]);
			if (isCounted) times.push(performance.now() - started);
		}
	};
	const all = async (lasting: number, isCounted: boolean) => {
		const until = performance.now() + lasting * 1000;
		await Promise.all(Array.from({ length: connections }, () => run(until, isCounted)));
	};
	// The first second is not counted, because both ends still find out which of their code runs often, and compile it.
	await all(1, false);
	await all(seconds, true);
	agent.destroy();
	times.sort((a, b) => a - b);
	const at = (share: number) => times[Math.floor(times.length * share)];
	return { requestsPerSecond: times.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99), failures };
}

const task: RelayLoad = JSON.parse(process.argv[2]);
process.stdout.write(`${JSON.stringify(await (task.isTimed ? time(task) : count(task)))}\n`);
