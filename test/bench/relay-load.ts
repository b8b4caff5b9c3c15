// Requests from a process of its own: `node relay-load.ts '{…}'` prints one line of JSON. Counts by autocannon; times of
// single requests by a loop that sees parts of a millisecond.

import { Agent, request } from 'node:http';
import autocannon from 'autocannon';

export interface RelayLoad {
	readonly url: string;
	/** Gone through one after the other. */
	readonly paths: readonly string[];
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	readonly connections: number;
	readonly seconds: number;
	/** Measure single requests instead of counting them. */
	readonly isTimed?: boolean;
}

export interface RelayLoadResult {
	readonly requestsPerSecond: number;
	readonly p50Ms: number;
	readonly p99Ms: number;
	/** Answers that were not 200, and requests that failed. */
	readonly failures: number;
}

async function count({ url, paths, headers, body, connections, seconds }: RelayLoad): Promise<RelayLoadResult> {
	const requests = paths.map((path) => ({ method: 'POST' as const, path, body, headers: { ...headers } }));
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
	// The first second teaches both ends what is hot.
	await all(1, false);
	await all(seconds, true);
	agent.destroy();
	times.sort((a, b) => a - b);
	const at = (share: number) => times[Math.floor(times.length * share)];
	return { requestsPerSecond: times.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99), failures };
}

const task: RelayLoad = JSON.parse(process.argv[2]);
process.stdout.write(`${JSON.stringify(await (task.isTimed ? time(task) : count(task)))}\n`);
