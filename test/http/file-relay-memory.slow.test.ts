import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ExecutionContext } from 'ava';
import { openDestinations } from '../../src/work/relay/partners/destinations.ts';
import { type Caller, type HttpApp, openHttpApp } from '../helpers/http-app.ts';
import { type SshdPartner, startSshd } from '../helpers/sftp-partner.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const HEAD = 'CardNumber,ExpirationMonth,ExpirationYear,NameOnCard\n';
const ROW = '4111111111111111,12,2029,';
const FILE_BYTES = 60_000_000;
/** The bytes after which everything that a transfer holds in memory is there. */
const SETTLED_BYTES = 10_000_000;
const MORE_BYTES = 25_000_000;
const PLACE = 'filter=SIMPLECSV&destination=bank&fileName=big.csv';

async function open(t: ExecutionContext) {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const partner = await startSshd(t);
	const { port, userName, keys } = partner;
	await openDestinations(parts).put(
		{ accountId: caller.account.id, userId: 'agency' },
		{
			destination: {
				name: 'bank',
				host: '127.0.0.1',
				port,
				userName,
				folder: '',
				hostKeys: [partner.hostKeys.ed25519],
			},
			secrets: { privateKey: keys.ed25519 },
		},
		'operator test',
	);
	await parts.app.listen({ host: '127.0.0.1', port: 0 });
	return { parts, caller, partner };
}

function post(t: ExecutionContext, parts: HttpApp, { apiKey }: Caller, path: string) {
	const { port } = parts.app.server.address() as AddressInfo;
	const headers = { 'x-service-api-key': apiKey, 'content-type': 'text/csv' };
	const request = httpRequest({ host: '127.0.0.1', port, method: 'POST', path, headers, agent: false });
	t.teardown(() => request.destroy());
	return request;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const LOOK_EVERY_BYTES = 5_000_000;

/**
 * Measures how much more memory is in use than before `SETTLED_BYTES` had passed, without what only waits to be collected.
 */
function watchGrowth() {
	let settled = 0;
	let peak = 0;
	let next = 0;
	return {
		async passed(bytes: number) {
			if (bytes < next) return;
			next += LOOK_EVERY_BYTES;
			collectGarbage();
			// The memory of buffers is given back a little after the collection, so there is a second one after a pause.
			await sleep(50);
			collectGarbage();
			await sleep(20);
			const { heapUsed, external } = process.memoryUsage();
			if (bytes < SETTLED_BYTES) settled = Math.max(settled, heapUsed + external);
			else peak = Math.max(peak, heapUsed + external);
		},
		get bytes() {
			return peak - settled;
		},
	};
}

async function relayed(t: ExecutionContext, parts: HttpApp, caller: Caller, { folder }: SshdPartner) {
	const stored = await caller.inject('POST', '/api/files/tokenize?filter=SIMPLECSV', {
		...{ headers: { 'content-type': 'text/csv' }, payload: `${HEAD}${ROW}A HOLDER\n` },
	});
	const row = stored.payload.slice(HEAD.length).trimEnd();
	const block = `${row}${randomBytes(500).toString('hex')}\n`.repeat(200);
	const growth = watchGrowth();
	const request = post(t, parts, caller, `/api/payments/paycard/relay/sftp?${PLACE}`);
	request.write(HEAD);
	let sent = 0;
	for (; sent < FILE_BYTES; sent += block.length) {
		if (!request.write(block)) await once(request, 'drain');
		await growth.passed(sent);
	}
	request.end();
	const [response] = (await once(request, 'response')) as [IncomingMessage];
	t.is(response.statusCode, 200);
	response.resume();
	t.is(statSync(join(folder, 'big.csv')).size, HEAD.length + sent - (sent / block.length) * 200 * 16);
	return growth.bytes;
}

testNeeding('sshd (openssh-server)')(
	'a file of sixty megabytes takes no more memory than one of ten, there and back',
	async (t) => {
		const { parts, caller, partner } = await open(t);
		const grown = await relayed(t, parts, caller, partner);
		t.true(grown < MORE_BYTES, `relaying: ${grown} bytes`);
		const growth = watchGrowth();
		const request = post(t, parts, caller, `/api/payments/paycard/capture/sftp?${PLACE}`);
		request.end();
		const [response] = (await once(request, 'response')) as [IncomingMessage];
		let received = 0;
		for await (const chunk of response) {
			received += chunk.length;
			await growth.passed(received);
		}
		t.true(received > FILE_BYTES);
		t.true(growth.bytes < MORE_BYTES, `capturing: ${growth.bytes} bytes`);
		t.log(`grown by ${grown} and ${growth.bytes} bytes`);
	},
);
