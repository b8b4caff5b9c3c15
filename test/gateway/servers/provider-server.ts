// Imitates a provider on this machine: it speaks HTTP, keeps what it was asked, and fails in the way that a test wants.

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';

/**
 * How the provider behaves. For `decline` and `busy` each provider has its own answer. The rest is the same for all:
 * `error` answers 500 before anything is done, `garbage` carries out what was asked and answers a page that means nothing,
 * `lost` carries it out and closes the connection, and `silent` carries it out and answers nothing.
 */
export type Mode = 'normal' | 'decline' | 'busy' | 'error' | 'garbage' | 'lost' | 'silent';

export interface Asked {
	readonly method: string;
	/** The path without its query. */
	readonly path: string;
	readonly query: URLSearchParams;
	readonly headers: IncomingMessage['headers'];
	readonly body: string;
}

export interface Said {
	readonly status: number;
	readonly body: unknown;
	readonly headers?: Readonly<Record<string, string>>;
}

export interface ProviderServer {
	readonly baseUrl: string;
	mode: Mode;
	readonly asked: Asked[];
	/** Returns everything that was sent to it, so that a test can look for what should or should not be there. */
	text(): string;
}

/** Listens until the test ends. `carryOut` does what is asked and returns the answer; `fail` is the body of a 500. */
export async function openProviderServer(
	t: ExecutionContext<unknown>,
	{ carryOut, fail }: { carryOut(asked: Asked, mode: Mode): Said; fail: unknown },
): Promise<ProviderServer> {
	const asked: Asked[] = [];
	const http = createServer(async (request, response) => {
		const pieces: Buffer[] = [];
		for await (const piece of request) pieces.push(piece);
		const url = new URL(request.url!, 'http://provider');
		const seen = { method: request.method!, path: url.pathname, query: url.searchParams, headers: request.headers };
		const { mode } = server;
		asked.push({ ...seen, body: Buffer.concat(pieces).toString() });
		const said = mode === 'error' ? { status: 500, body: fail } : carryOut(asked.at(-1)!, mode);
		if (mode === 'silent') return;
		if (mode === 'lost') return response.destroy();
		const headers = { 'content-type': 'application/json', ...said.headers };
		if (mode === 'garbage') return response.writeHead(200, headers).end('<html>Welcome</html>');
		response.writeHead(said.status, headers).end(said.body === undefined ? '' : JSON.stringify(said.body));
	});
	http.listen(0, '127.0.0.1');
	await once(http, 'listening');
	t.teardown(() => {
		http.closeAllConnections();
		http.close();
	});
	const server: ProviderServer = {
		baseUrl: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
		mode: 'normal',
		asked,
		text: () => asked.map(({ path, body }) => `${path} ${body}`).join('\n'),
	};
	return server;
}

/** Makes a function that gives the first answer to a key again when the key comes again, as providers do. */
export function replays(): (key: string | undefined, make: () => Said) => Said {
	const kept = new Map<string, Said>();
	return (key, make) => {
		if (key === undefined) return make();
		const said = kept.get(key) ?? make();
		kept.set(key, said);
		return said;
	};
}
