// Submits hosted forms from a process of its own: opens the forms, sends each of them once, and prints one line of JSON.

import autocannon from 'autocannon';
import { cardNumber } from './generate.ts';
import type { HttpLoadResult } from './http-load.ts';

export interface FormLoad {
	readonly url: string;
	readonly apiKey: string;
	/** This many forms are opened and submitted. */
	readonly forms: number;
	/** This many different cards are typed into them. */
	readonly cards: number;
}

const CONNECTIONS = 64;
const PATH = '/api/payments/capturecard';

async function run({ url, apiKey, forms, cards }: FormLoad): Promise<HttpLoadResult> {
	const bodies: string[] = [];
	const open = async () => {
		while (bodies.length < forms) {
			const nth = bodies.push('') - 1;
			const page = await (await fetch(`${url}${PATH}`, { headers: { 'x-service-api-key': apiKey } })).text();
			const id = /name="form" value="([^"]+)"/.exec(page)![1];
			const typed = { cardNumber: cardNumber(nth % cards), expiry: '12 / 29', cvv: '123', nameOnCard: 'MARIE DUPONT' };
			bodies[nth] = new URLSearchParams({ form: id, ...typed }).toString();
		}
	};
	await Promise.all(Array.from({ length: 32 }, open));
	const each = Math.floor(forms / CONNECTIONS);
	let client = 0;
	// The client needs some tenths of a second to make its requests, so the time counts from the first answer.
	let started = 0;
	let ended = 0;
	const result = await new Promise<autocannon.Result>((resolve, reject) => {
		const options: autocannon.Options = {
			url,
			connections: CONNECTIONS,
			amount: each * CONNECTIONS,
			headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
			setupClient(connection) {
				const nth = client++;
				const own = bodies.filter((_, n) => n % CONNECTIONS === nth).slice(0, each);
				connection.setRequests(own.map((body) => ({ method: 'POST' as const, path: PATH, body })));
			},
		};
		const instance = autocannon(options, (error, done) => (error ? reject(error) : resolve(done)));
		// The client ends only at a full second, which may be long after the last answer. So each answer notes the time.
		instance.on('response', () => {
			ended = performance.now();
			started ||= ended;
		});
	});
	const seconds = (ended - started) / 1000;
	return {
		requestsPerSecond: result['2xx'] / seconds,
		p99Ms: result.latency.p99,
		answered: result['2xx'],
		failures: result.non2xx + result.errors,
	};
}

process.stdout.write(`${JSON.stringify(await run(JSON.parse(process.argv[2])))}\n`);
