// Sends load from a process of its own: `node http-load.ts '{…}'` prints one line of JSON.

import autocannon from 'autocannon';
import { cardNumber } from './generate.ts';

export interface HttpLoad {
	readonly url: string;
	readonly apiKey: string;
	/** The number of bodies, each with a different card; undefined for GET requests. */
	readonly cards?: number;
	/** Whether the cards have a CVV and a name, as those have that people type into forms. */
	readonly isComplete?: boolean;
	/** The paths that are requested in turn; only the first is used if there are cards. */
	readonly paths: readonly string[];
	readonly seconds: number;
	/** How many connections send the requests; 64 by default. */
	readonly connections?: number;
}

export interface HttpLoadResult {
	readonly requestsPerSecond: number;
	readonly p99Ms: number;
	/** The number of answers with a status of 2xx. */
	readonly answered: number;
	/** The number of answers with any other status, and of requests that failed. */
	readonly failures: number;
}

const CONNECTIONS = 64;

async function run(load: HttpLoad): Promise<HttpLoadResult> {
	const { url, apiKey, cards, isComplete = false, paths, seconds, connections = CONNECTIONS } = load;
	const headers = { 'x-service-api-key': apiKey, 'content-type': 'application/json', accept: 'application/json' };
	const requests =
		cards === undefined
			? paths.map((path) => ({ method: 'GET' as const, path }))
			: Array.from({ length: cards }, (_, n) => ({
					method: 'POST' as const,
					path: paths[0],
					body: bodyOf(n, isComplete),
				}));
	let client = 0;
	const result = await autocannon({
		...{ url, connections, duration: seconds, headers, requests },
		setupClient(connection) {
			// Each connection sends cards of its own. Otherwise all would send the same card at the same time, and a commit of
			// many cards would change only a few pages of their index.
			const nth = client++;
			if (cards !== undefined) connection.setRequests(requests.filter((_, n) => n % connections === nth));
		},
	});
	return {
		requestsPerSecond: result.requests.average,
		p99Ms: result.latency.p99,
		answered: result['2xx'],
		failures: result.non2xx + result.errors,
	};
}

function bodyOf(n: number, isComplete: boolean): string {
	const card = { Type: 'Visa', Number: cardNumber(n), ExpirationDate: { Month: '12', Year: '2029' } };
	return JSON.stringify({ BankCard: isComplete ? { ...card, CVV: '123', NameOnCard: 'MARIE DUPONT' } : card });
}

process.stdout.write(`${JSON.stringify(await run(JSON.parse(process.argv[2])))}\n`);
