// A proxy between browsers and the service that changes what passes through it, as an attacker or a careless CDN would.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Teardown } from './daemon.ts';

/** An answer on its way to the browser. */
export interface PassingAnswer {
	readonly path: string;
	status: number;
	readonly headers: Headers;
	body: Buffer;
}

export interface ChangingProxy {
	readonly url: string;
	/** Changes the answers that pass; a test replaces it. */
	change(answer: PassingAnswer): void;
	/** The paths that were asked for. */
	readonly paths: string[];
}

/** Starts a proxy that serves `target` in a folder; it ends with the test. */
export async function openChangingProxy(t: Teardown, target: string, folder = ''): Promise<ChangingProxy> {
	const paths: string[] = [];
	const server = createServer(async (request, response) => {
		paths.push(request.url!);
		const asked = Object.entries(request.headers).filter(([name]) => !['host', 'connection'].includes(name));
		const got = await fetch(target + request.url!.slice(folder.length), {
			headers: asked as [string, string][],
			redirect: 'manual',
		});
		const headers = new Headers(got.headers);
		for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) headers.delete(name);
		const answer = { path: request.url!, status: got.status, headers, body: Buffer.from(await got.arrayBuffer()) };
		proxy.change(answer);
		response.writeHead(answer.status, Object.fromEntries(answer.headers));
		response.end(answer.body);
	});
	server.listen(0, '127.0.0.1');
	await new Promise((resolve) => server.once('listening', resolve));
	t.teardown(() => {
		server.close();
		server.closeAllConnections();
	});
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${folder}`;
	const proxy: ChangingProxy = { url, change: () => {}, paths };
	return proxy;
}
