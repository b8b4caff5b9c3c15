import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { audited } from '../helpers/audited.ts';
import { BATCH, card, type Line, NDJSON, ndjson } from '../helpers/batch-calls.ts';
import { databases } from '../helpers/database.ts';
import { type Caller, type HttpApp, openHttpApp } from '../helpers/http-app.ts';

/** Sends a request whose body is written by the test, over a real connection. */
async function openRequest(
	t: ExecutionContext,
	parts: HttpApp,
	caller: Caller,
	more: Record<string, string> = {},
): Promise<ClientRequest> {
	if (!parts.app.server.listening) await parts.app.listen({ host: '127.0.0.1', port: 0 });
	const { port } = parts.app.server.address() as AddressInfo;
	const headers = { ...NDJSON, 'x-service-api-key': caller.apiKey, ...more };
	const request = httpRequest({ host: '127.0.0.1', port, method: 'POST', path: BATCH, headers, agent: false });
	request.on('error', () => {});
	t.teardown(() => request.destroy());
	return request;
}

/** Returns a function that reads the next whole line of an answer. */
function lineReader(response: Readable): () => Promise<string> {
	const lines = (async function* () {
		let rest = '';
		for await (const chunk of response) {
			const parts = (rest + chunk).split('\n');
			rest = parts.pop()!;
			yield* parts;
		}
	})();
	return async () => (await lines.next()).value!;
}

test('shapes §3: a card is answered while the body is still open', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const request = await openRequest(t, parts, caller);
	request.write(ndjson([card()]));
	const [response] = (await once(request, 'response')) as [IncomingMessage];
	const nextLine = lineReader(response);
	const first: Line = JSON.parse(await nextLine());
	t.truthy(await parts.vault.find(caller.account.id, first.token as never));
	request.write(ndjson([card({ Number: '1' })]));
	t.like(JSON.parse(await nextLine()), { index: 1, error: 'Number has less than 12 digits' });
	request.end(ndjson([card()]));
	t.like(JSON.parse(await nextLine()), { index: 2, error: null });
	t.is(await nextLine(), undefined as never);
});

test('shapes §11: a compressed answer can be read line by line as well', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const request = await openRequest(t, parts, caller, { 'accept-encoding': 'gzip' });
	request.write(ndjson([card()]));
	const [response] = (await once(request, 'response')) as [IncomingMessage];
	t.is(response.headers['content-encoding'], 'gzip');
	const nextLine = lineReader(response.pipe(createGunzip()));
	for (let index = 0; index < 3; index++) {
		t.like(JSON.parse(await nextLine()), { index, error: null });
		request.write(ndjson([card()]));
	}
	request.end();
	t.like(JSON.parse(await nextLine()), { index: 3, error: null });
	t.is(await nextLine(), undefined as never);
});

for (const dialect of databases) {
	test(`shapes §3: what was answered stays when the client goes away, and nothing else does (${dialect})`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const caller = await parts.createCaller('agency');
		const request = await openRequest(t, parts, caller);
		request.write(ndjson([card(), card()]));
		const [response] = (await once(request, 'response')) as [IncomingMessage];
		const nextLine = lineReader(response);
		const tokens = [JSON.parse(await nextLine()).token, JSON.parse(await nextLine()).token];
		request.write(JSON.stringify(card()).slice(0, 20));
		response.on('error', () => {});
		request.destroy();
		const [details] = await audited(parts, 'card.batch');
		for (const token of tokens) t.truthy(await parts.vault.find(caller.account.id, token));
		t.like(details, { cards: 2, isWhole: false, refused: 0, credential: 'api-key 1', address: '127.0.0.1' });
		t.is((await parts.database.knex('page_blocks')).length, 0);
	});
}

test('shapes §3: a client that stops reading stops the source', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const request = await openRequest(t, parts, caller);
	const piece = ndjson(Array.from({ length: 2000 }, () => card()));
	let sent = 0;
	let isStuck = false;
	const [response] = (await Promise.all([
		once(request, 'response').then(([first]) => {
			first.pause();
			return first;
		}),
		(async () => {
			// Writes until nothing more is taken. The kernel's buffers hold a few MiB, and the daemon two groups of lines.
			while (sent < 400 && !isStuck) {
				sent++;
				if (request.write(piece)) continue;
				const drained = await Promise.race([once(request, 'drain'), sleep(1500, null)]);
				isStuck = drained === null;
			}
		})(),
	])) as [IncomingMessage, undefined];
	t.true(isStuck, `${sent} pieces of ${piece.length} bytes were taken`);
	request.end();
	let lines = 0;
	for await (const chunk of response) for (const byte of chunk as Buffer) if (byte === 10) lines++;
	t.is(lines, sent * 2000);
});
