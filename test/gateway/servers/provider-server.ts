// A provider on this machine: speaks HTTP, keeps what it was asked, and fails in the way a test wants.

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';

/**
 * `decline`, `busy` are for the provider to say in its own words; the rest is the same for all: `error` (a 500 before
 * anything is done), `garbage` (done, but the answer is no answer), `lost` (done, then the connection goes), `silent`
 * (done, then nothing).
 */
export type Mode = 'normal' | 'decline' | 'busy' | 'error' | 'garbage' | 'lost' | 'silent';

export interface Asked {
	readonly method: string;
	/** Without the query. */
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
	/** Everything that was sent to it, for those who look what it was. */
	text(): string;
}

/** Listens until the test ends. `carryOut` does what is asked and says what the provider would; `fail` is its 500. */
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

/** What was answered under a key the first time is answered again, as providers do. */
export function replays(): (key: string | undefined, make: () => Said) => Said {
	const kept = new Map<string, Said>();
	return (key, make) => {
		if (key === undefined) return make();
		const said = kept.get(key) ?? make();
		kept.set(key, said);
		return said;
	};
}
