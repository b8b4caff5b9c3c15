// What the stand-ins of key services have in common.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** What releases a stand-in at the end of a test. */
export interface Releasing {
	teardown(release: () => unknown): void;
}

export interface ServiceDouble {
	readonly url: string;
	/** The texts of all requests and answers so far that may hold nothing secret, for tests that look for keys. */
	readonly operations: readonly string[];
	/** Stops listening and cuts what is open, as a machine does that is switched off. */
	goAway(): Promise<void>;
	/** Listens again at the same address. */
	comeBack(): Promise<void>;
	/** Accepts connections and answers nothing while true. */
	isHanging: boolean;
	/** Is called before each operation is answered; what it returns is waited for. */
	onOperation: ((name: string) => unknown) | undefined;
}

export interface Asked {
	readonly method: string;
	readonly path: string;
	readonly request: IncomingMessage;
	readonly body: Buffer;
}

export interface Told {
	readonly status: number;
	readonly json?: object;
	readonly text?: string;
	readonly headers?: Readonly<Record<string, string>>;
}

/** Starts a server that answers what `answer` returns. `nameOf` names an operation for `onOperation` and `operations`. */
export async function openServiceDouble(
	t: Releasing,
	{
		tls,
		nameOf,
		answer,
	}: {
		readonly tls?: { readonly cert: string; readonly key: string };
		nameOf(asked: Asked): string;
		answer(asked: Asked): Told;
	},
): Promise<ServiceDouble> {
	let server: Server | undefined;
	let port = 0;
	const operations: string[] = [];
	const double = {
		url: '',
		operations,
		isHanging: false,
		onOperation: undefined as ServiceDouble['onOperation'],
		async goAway() {
			server?.closeAllConnections();
			await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
			server = undefined;
		},
		async comeBack() {
			const listener = async (request: IncomingMessage, response: ServerResponse) => {
				const pieces: Buffer[] = [];
				for await (const piece of request) pieces.push(piece);
				const asked = { method: request.method!, path: request.url!, request, body: Buffer.concat(pieces) };
				if (double.isHanging) return;
				const name = nameOf(asked);
				operations.push(name);
				await double.onOperation?.(name);
				const { status, json, text, headers } = answer(asked);
				response.writeHead(status, { 'content-type': 'application/json', ...headers });
				response.end(json === undefined ? text : JSON.stringify(json));
			};
			const listening = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
			await new Promise<void>((resolve) => listening.listen(port, '127.0.0.1', resolve));
			server = listening as Server;
			({ port } = listening.address() as AddressInfo);
			double.url = `http${tls === undefined ? '' : 's'}://${tls === undefined ? '127.0.0.1' : 'localhost'}:${port}`;
		},
	};
	await double.comeBack();
	t.teardown(() => double.goAway());
	return double;
}
