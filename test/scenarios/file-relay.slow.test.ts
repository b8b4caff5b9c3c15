// One installation relays files to another one, its partner. Checks what goes over, what is left where when the caller or
// the partner dies, and that no card number touches the disk of the one that relays.

import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { type Installation, type RunningDaemon, startInstallation } from '../helpers/daemon.ts';
import { openSession } from '../helpers/daemon-session.ts';
import { findLeaks, sweepFolder } from '../helpers/secrecy.ts';
import { until } from '../helpers/until.ts';

const NUMBER = '4111111111111111';
const HEAD = 'CardNumber,ExpirationMonth,ExpirationYear\n';
const ROW = `${NUMBER},12,2029\n`;
const secrets = { numbers: [NUMBER], passages: [] };
const variables = { TOKENDROP_RELAY_ALLOW_PRIVATE: 'true', TOKENDROP_LOG_LEVEL: 'trace' };

function open(t: ExecutionContext, { demo }: Installation, daemon: RunningDaemon, path: string, headers = {}) {
	const url = new URL(path, daemon.baseUrl);
	const all = { 'x-service-api-key': demo.apiKey, 'content-type': 'text/csv', accept: 'application/json', ...headers };
	const request = httpRequest(url, { method: 'POST', headers: all, agent: false });
	request.on('error', () => {});
	t.teardown(() => request.destroy());
	return request;
}

async function answerOf(request: ReturnType<typeof open>): Promise<{ status: number; text: string }> {
	const [response] = (await once(request, 'response')) as [IncomingMessage];
	let text = '';
	for await (const chunk of response) text += chunk;
	return { status: response.statusCode!, text };
}

async function call(...[t, installation, daemon, path, headers, body]: [...Required<Parameters<typeof open>>, string]) {
	const request = open(t, installation, daemon, path, headers);
	request.end(body);
	return answerOf(request);
}

test('a file goes to another installation with its password, is captured from there, and nothing clear stays', async (t) => {
	const [ours, theirs] = await Promise.all([startInstallation(t, { variables }), startInstallation(t)]);
	const { installation, daemon } = ours;
	const { demo } = theirs.installation;
	const hostKey = theirs.daemon.fingerprints.map((each) => each.split(' ')[1]).join();
	const place = (path: string, fileName: string) =>
		new URLSearchParams({
			...{ filter: 'SIMPLECSV', host: '127.0.0.1', port: String(theirs.daemon.sftpPort) },
			...{ userName: demo.userId, hostKey, path, fileName },
		});
	const password = { 'x-service-sftp-password': demo.apiKey };
	const session = await openSession(t, theirs.installation, theirs.daemon);
	const clear = HEAD + ROW.repeat(20_000);
	const stored = await call(t, installation, daemon, '/api/files/tokenize?filter=SIMPLECSV', {}, clear);
	t.is(stored.status, 200);

	const relay = `/api/payments/paycard/relay/sftp?${place('/tokenize/SIMPLECSV', 'may.csv')}`;
	const relayed = await call(t, installation, daemon, relay, password, stored.text);
	t.is(relayed.status, 200, relayed.text);
	t.like(JSON.parse(relayed.text), { cards: 20_000, bytesWritten: clear.length, unresolved: 0 });
	// The partner has tokenized the file like one of its own.
	const theirTokens = (await session.arrival('/tokenized/SIMPLECSV/may.csv')).toString();
	t.is(theirTokens.split('\n').length, 20_002);
	t.false(theirTokens.includes(NUMBER));
	await session.put('/detokenize/SIMPLECSV/back.csv', Buffer.from(theirTokens));
	t.is((await session.arrival('/detokenized/SIMPLECSV/back.csv')).toString(), clear);

	const capture = `/api/payments/paycard/capture/sftp?${place('/detokenized/SIMPLECSV', 'back.csv')}`;
	const captured = await call(t, installation, daemon, capture, password, '');
	t.is(captured.status, 200);
	t.regex(captured.text, new RegExp(`^${HEAD}[0-9a-f]{32},12,2029\n`));
	t.is(captured.text.length, clear.length + 20_000 * 16);

	// Now the caller goes away in the middle of a relay, and then the partner dies in the middle of another.
	const names = () => session.names('/tokenize/SIMPLECSV');
	const june = relay.replace('may.csv', 'june.csv');
	const leaving = open(t, installation, daemon, june, password);
	leaving.write(stored.text);
	await until('a part is there', async () => (await names()).some((name) => name.startsWith('.june.csv.')));
	leaving.destroy();
	await until('the part is gone', async () => (await names()).length === 0);
	const dying = open(t, installation, daemon, june, password);
	dying.write(stored.text);
	await until('a part is there', async () => (await names()).some((name) => name.startsWith('.june.csv.')));
	const answering = answerOf(dying);
	await theirs.daemon.kill();
	dying.end(stored.text.slice(HEAD.length));
	const died = await answering;
	t.is(died.status, 502, died.text);
	t.is(JSON.parse(died.text).moreInfo, 'host: the connection broke off');
	const again = await theirs.installation.start();
	const second = await openSession(t, theirs.installation, again);
	t.false((await second.names('/tokenize/SIMPLECSV')).includes('june.csv'));
	t.false((await second.names('/tokenized/SIMPLECSV')).includes('june.csv'));
	const retried = june.replace(`port=${theirs.daemon.sftpPort}`, `port=${again.sftpPort}`);
	t.is((await call(t, installation, daemon, retried, password, stored.text)).status, 200);
	t.is((await second.arrival('/tokenized/SIMPLECSV/june.csv')).length, theirTokens.length);

	await sleep(100);
	t.deepEqual(sweepFolder(installation.dataDir, secrets).leaks, []);
	t.deepEqual(sweepFolder(installation.tmpDir, secrets).leaks, []);
	await daemon.stop();
	t.deepEqual(sweepFolder(installation.dataDir, secrets).leaks, []);
	t.deepEqual(findLeaks('what was said', Buffer.from(installation.said()), secrets), []);
	t.false(installation.said().includes(demo.apiKey));
	t.true((await installation.json('audit', 'verify')).isWhole);
});
