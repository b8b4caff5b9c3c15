// Sends HTTP requests as they are: it decodes nothing, follows no redirect, and adds no header but those that a request
// needs.

import { request as httpRequest } from 'node:http';

export interface WireAnswer {
	readonly status: number;
	/** The headers, with names in lower case. */
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
	readonly body: Buffer;
}

export interface WireCall {
	readonly method?: string;
	/** The names and values in turn, so that a name may come twice. */
	readonly headers?: readonly string[];
	readonly body?: string;
}

/** Sends a request over a connection of its own. */
export function exchange(url: string, { method = 'GET', headers = [], body }: WireCall = {}): Promise<WireAnswer> {
	const { host, hostname, port, pathname, search } = new URL(url);
	const length = body === undefined ? [] : ['content-length', String(Buffer.byteLength(body))];
	const all = ['host', host, 'connection', 'close', ...length, ...headers];
	return new Promise((resolve, reject) => {
		const request = httpRequest({ hostname, port, path: pathname + search, method, headers: all, agent: false });
		request.on('error', reject);
		request.on('response', (response) => {
			const pieces: Buffer[] = [];
			response.on('data', (piece: Buffer) => pieces.push(piece));
			response.on('error', reject);
			response.on('end', () =>
				resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(pieces) }),
			);
		});
		request.end(body);
	});
}
